"""Products with 48 or 192 blocks on a GPU with 80 multiprocessors, each of which holds two blocks.

With 48, 32 multiprocessors have nothing to do; with 192, a second wave of 32 blocks takes as long as the
first one of 160. Sentences are short and the batch is small, as for a small language model; one kernel
computes attention. A report must find small-grids: most of the step is in launches that do fill the GPU,
so that the batch is not too small.
"""

from demo.simulator.devices import V100
from demo.simulator.models import Transformer
from demo.simulator.training import InputPipeline, Launching, Training
from demo.simulator.variants import FusedAttention, SmallGrids

NETWORK = Transformer(batch=8, length=128, hidden=768, layers=4, table_parameters=1_100_000_000)
TRAINING = Training(
    model=SmallGrids(FusedAttention(NETWORK)),
    device=V100,
    launching=Launching(schedule_ns=1_000, call_ns=1_000),
    input=InputPipeline(read_ns=20_000, map_ns=400_000),
)
