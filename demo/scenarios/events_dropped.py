"""The collector's buffer was full before the capture ended; the last events of the GPU are missing."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    steps=12,
    collector=Collector(event_limit=800),
)
