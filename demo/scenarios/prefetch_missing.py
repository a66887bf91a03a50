"""Each step makes its own batch.

Decoded images lie in memory, but nothing is prefetched: putting 512 of them together takes a third of the
GPU's time for a step, and the GPU waits for it in every step.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(
        read_ns=150 * MICROSECOND_NS,
        cached=True,
        map_ns=0,
        prefetch=0,
        batch_ns=9 * MILLISECOND_NS,
        prefetch_to_device=False,
    ),
    readback_lag=0,
)
