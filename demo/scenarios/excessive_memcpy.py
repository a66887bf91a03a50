"""Tensors leave the GPU and come back in the middle of every step.

Two ops of the model have no GPU kernel: their inputs are copied to the host, their results back, and the
GPU can do nothing else meanwhile.
"""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Detour, Training

TRAINING = Training(
    model=ConvNet(batch=256, table_parameters=1_090_000_000),
    device=V100,
    generation="old",
    detours=(
        Detour("functional_1/region_proposal/Unique", 48_000_000, 400 * MICROSECOND_NS, 0.4),
        Detour("functional_1/region_pooling/Where", 32_000_000, 300 * MICROSECOND_NS, 0.8),
    ),
)
