"""An op of the step runs on the CPU while the GPU waits.

The model calls a Python function on a small tensor in the middle of its forward pass: the copies there and
back take microseconds, but nothing can be launched before Python is done.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Detour, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    detours=(Detour("functional_1/match_anchors/EagerPyFunc", 200_000, 9 * MILLISECOND_NS, 0.6),),
)
