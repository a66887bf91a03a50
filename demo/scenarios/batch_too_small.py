"""Dense layers on a batch of 256: products with 16 blocks on a GPU with 80 multiprocessors.

Each takes as long as with five times the batch. A report must find batch-too-small, which explains
small-grids.
"""

from demo.simulator.devices import V100
from demo.simulator.models import Perceptron
from demo.simulator.training import InputPipeline, Launching, Training
from demo.simulator.variants import SmallGrids

TRAINING = Training(
    model=SmallGrids(Perceptron(layers=48, table_parameters=1_050_000_000)),
    device=V100,
    launching=Launching(schedule_ns=1_000, call_ns=1_000),
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
)
