"""The profiler was not permitted to record the GPUs: they are declared, but nothing was seen on them."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    collector=Collector(device_events=False),
)
