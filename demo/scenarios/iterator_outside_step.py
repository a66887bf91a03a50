"""A custom loop calls ``next(iterator)`` before it opens its Trace block, so no step contains its input.

The pipeline is a little slower than the GPU; the wait for it lies between the markers.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    generation="trace",
    input=InputPipeline(map_ns=42 * MILLISECOND_NS, map_parallelism=0),
    iterator_outside_step=True,
)
