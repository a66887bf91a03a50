"""The step's function is traced in each step.

The learning rate is passed as a Python number that a schedule changes from step to step; each new value is a
new trace, in which Python builds the whole graph while nothing is launched.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    generation="trace",
    retrace_every=1,
)
