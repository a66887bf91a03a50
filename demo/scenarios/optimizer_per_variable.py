"""The model has 360 variables, and a kernel of its own updates each: they do next to nothing in 2 µs each.

A report must find optimizer-per-variable.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Launching, Training
from demo.simulator.variants import ManyVariables

TRAINING = Training(
    model=ManyVariables(ConvNet(batch=96), each=40), launching=Launching(schedule_ns=1_000, call_ns=1_000)
)
