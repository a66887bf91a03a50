"""Every convolution adds a bias that the batch normalization after it takes away again."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import WithBias

TRAINING = Training(model=WithBias(ConvNet(batch=512, table_parameters=2_850_000_000)))
