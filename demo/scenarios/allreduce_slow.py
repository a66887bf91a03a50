"""Gradients travel over a link that is far slower than the one these GPUs have.

Four A100 with NVLink, but the library goes through host memory, as it does where peer access is off.
AllReduce runs while the backward pass goes on, which cannot hide all of it.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, Training

TRAINING = Training(
    model=ConvNet(batch=128, channels=128, table_parameters=2_750_000_000),
    gpus=4,
    communication=Communication(link_gbps=8.0, call_ns=20_000, hop_ns=2_500),
)
