"""A custom loop calls ``next(iterator)`` before it opens its Trace block, so no step contains its input."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_700_000_000),
    generation="trace",
    iterator_outside_step=True,
)
