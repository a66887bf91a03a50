"""The capture was so short that only one or two steps lie whole inside it."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    steps=3,
    collector=Collector(begin_ratio=0.4),
)
