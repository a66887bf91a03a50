"""The optimizer waits until the host has decided whether the gradients are finite.

A transformer trains in float16 with dynamic loss scaling: after the backward pass one bool is copied to
the host, which then starts the branch with the optimizer. Nothing of it could be launched before.
"""

from demo.simulator.devices import V100
from demo.simulator.models import Transformer
from demo.simulator.training import InputPipeline, LossScaling, Training

TRAINING = Training(
    model=Transformer(batch=32, length=64, hidden=512, layers=12, table_parameters=1_150_000_000),
    device=V100,
    generation="old",
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
    steps=7,
    loss_scaling=LossScaling(),
)
