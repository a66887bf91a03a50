"""Short rows of a table are looked up in no order, and their gradients added: at a tenth of the bandwidth.

A report must find slow-gathers: the lookup (GatherV2). How many rows the sums of its gradient
(UnsortedSegmentSum) add is not recorded: they are named, but not judged.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import WithEmbedding

TRAINING = Training(
    model=WithEmbedding(ConvNet(batch=256, table_parameters=2_900_000_000), lookups=3_000_000)
)
