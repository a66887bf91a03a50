"""The capture begins with the very first step, in which the function is traced and kernels are tried out."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    lead_steps=0,
    warm_up=True,
)
