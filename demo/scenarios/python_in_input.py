"""Examples come from a Python generator, which makes them one after the other.

The map behind it is parallel and batches are prefetched, but neither makes Python any faster.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(records=32, generator_ns=round(1.3 * MILLISECOND_NS)),
)
