"""The GPU waits for data.

The input function is mapped without ``num_parallel_calls``, so one thread prepares every batch and
needs longer than the GPU does for a step; the prefetch buffer is always empty.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(map_ns=48 * MILLISECOND_NS, map_parallelism=0),
)
