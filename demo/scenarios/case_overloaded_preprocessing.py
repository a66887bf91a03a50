"""Case study: preprocessing that is parallel already and needs more cores than the host has.

A 7 × 7 convolution over every input image runs in a parallel map, on a host with four cores.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(map_ns=240 * MILLISECOND_NS, map_calls=32, map_parallelism=8),
    cores=4,
)
