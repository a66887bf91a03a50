"""AllReduce at the full speed of NVLink, but nothing hides it.

A large model and a small batch: there are many gradients to sum for little to compute, and all of them are
summed only after the backward pass.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, InputPipeline, Training

TRAINING = Training(
    model=Transformer(batch=3, hidden=2048, layers=4, table_parameters=2_500_000_000),
    gpus=4,
    steps=6,
    input=InputPipeline(map_ns=2_000_000),
    communication=Communication(overlap=False, call_ns=20_000, hop_ns=1_500),
)
