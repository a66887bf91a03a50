"""The threads that launch wait for a core, because tf.data's threads have them all.

The host has few cores and sixteen threads that map; launching has no threads of its own. Batches are ready
in time, but now and then the next kernel is launched only when one of the others pauses.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Launching, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    cores=4,
    input=InputPipeline(map_ns=80 * MILLISECOND_NS, map_parallelism=16, prefetch=4),
    launching=Launching(private_threads=False),
)
