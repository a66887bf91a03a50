"""Two hosts with one GPU each train together, but only one of them was profiled."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    hosts=2,
    recorded_hosts=1,
)
