"""A convolution with an 11 x 11 filter on the output, at full image size, costs as much as all the rest.

The case "inefficient graph" of the performance analysis case studies, made larger.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import WithOutputConvolution

TRAINING = Training(
    model=WithOutputConvolution(ConvNet(batch=256, table_parameters=2_900_000_000), batch=256, channels=16)
)
