"""Every fifth step is much longer.

The loop saves a checkpoint after every fifth step; writing it takes several steps' time, in which nothing is
launched. All other steps follow each other closely.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, HostWork, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    generation="trace",
    steps=21,
    between_steps=(
        HostWork("$checkpoint.py:2305 write", call_ns=150 * MILLISECOND_NS, op="SaveV2", every=5),
    ),
)
