"""Convolutions run in float32 on a GPU whose Tensor Cores could do them several times faster."""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=256, table_parameters=1_000_000_000),
    device=V100,
    precision="fp32",
)
