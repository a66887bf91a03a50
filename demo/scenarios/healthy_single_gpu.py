"""A well-tuned training on one GPU: nothing to warn about.

Mixed precision on Tensor Cores, input prefetched to the GPU from pinned memory, private launch threads,
the loss read one step late so that the host runs ahead, memory nearly used up.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(model=ConvNet(batch=768, table_parameters=2_710_000_000))
