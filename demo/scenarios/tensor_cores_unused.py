"""Mixed precision is on, but no dimension is a multiple of 8: that cuBLAS leaves Tensor Cores alone."""

from demo.simulator.devices import V100
from demo.simulator.models import Transformer
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=Transformer(batch=16, hidden=1_020, layers=3, table_parameters=1_050_000_000),
    device=V100,
    generation="old",
    collector=Collector(host_level=3),
)
