"""The loss is put together op by op in a Python loop: hundreds of kernels that do next to nothing.

The host has launched them long before the GPU is done with the convolutions, so it waits for no launch.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import WithSmallOps

TRAINING = Training(model=WithSmallOps(ConvNet(batch=384, table_parameters=2_880_000_000), count=200))
