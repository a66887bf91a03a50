"""Products with 16 to 64 blocks on a GPU with 108 multiprocessors: most of them have nothing to do.

Sentences are short and the batch is small, as for a small language model that runs on a large GPU; ops are
launched almost fast enough. A report must find small-grids, or batch-too-small, which explains it.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import InputPipeline, Launching, Training
from demo.simulator.variants import SmallGrids

TRAINING = Training(
    model=SmallGrids(Transformer(batch=4, length=128, hidden=512, layers=8, table_parameters=2_850_000_000)),
    launching=Launching(schedule_ns=1_500, call_ns=1_500),
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
)
