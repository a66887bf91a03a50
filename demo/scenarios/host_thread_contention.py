"""The threads that launch wait for a core, because tf.data's threads have them all.

The host has four cores and sixteen threads that map; launching has no threads of its own. Batches are ready
in time, but when a step begins while many of them work, its kernels are launched late.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Launching, Training

TRAINING = Training(
    model=ConvNet(batch=256, table_parameters=2_900_000_000),
    steps=30,
    cores=4,
    readback_lag=0,
    input=InputPipeline(map_ns=46 * MILLISECOND_NS, map_parallelism=16),
    launching=Launching(private_threads=False),
)
