"""XLA compiles in every third step.

Batches are padded to their longest example, and every third one has a length that has not been seen before;
for each XLA compiles the whole step anew.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    generation="trace",
    steps=12,
    communication=Communication(launcher="xla"),
    recompile_every=3,
)
