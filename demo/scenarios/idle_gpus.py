"""Eight GPUs are visible, two of them train; apart from that all is well."""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=1_000_000_000),
    device=V100,
    generation="old",
    gpus=2,
    visible_gpus=8,
)
