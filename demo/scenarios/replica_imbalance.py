"""The first of four GPUs has 30 % more to do than its siblings.

It alone evaluates a second head, and the other three wait for it in AllReduce.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(
    model=ConvNet(batch=512, blocks_per_stage=1, table_parameters=2_910_000_000),
    gpus=4,
    extra_on_first_gpu=0.3,
)
