"""Two compute streams and one for AllReduce, yet no two kernels overlap: the collector runs them singly."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=768, blocks_per_stage=1, table_parameters=2_860_000_000),
    gpus=2,
    compute_streams=2,
    collector=Collector(serialises=True),
)
