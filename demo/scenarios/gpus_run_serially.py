"""Three GPUs take turns.

The user's loop trains one model copy per GPU and waits for each loss before it goes on to the next GPU.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=384, blocks_per_stage=1, table_parameters=2_930_000_000),
    generation="trace",
    gpus=3,
    serial=True,
    readback_lag=0,
)
