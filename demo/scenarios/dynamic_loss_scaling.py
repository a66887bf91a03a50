"""The optimizer waits until the host has decided whether the gradients are finite.

A transformer trains in float16 with dynamic loss scaling: after the backward pass one bool is copied to
the host, which then starts the branch with the optimizer. Its many small kernels are launched only now.
"""

from demo.simulator.devices import V100
from demo.simulator.models import Transformer
from demo.simulator.training import LossScaling, Training

TRAINING = Training(
    model=Transformer(batch=4, length=128, hidden=512),
    device=V100,
    generation="old",
    loss_scaling=LossScaling(),
)
