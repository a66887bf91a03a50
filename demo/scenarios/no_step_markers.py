"""A custom training loop without step markers, recorded at a level that shows no functions either."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    generation="trace",
    markers=False,
    collector=Collector(host_level=1),
)
