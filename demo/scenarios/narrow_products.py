"""Convolutions with 8 and 16 channels: a tile has 64 columns, which are computed whether they exist or not.

Nothing else is wrong: 16 bit is on, channels are multiples of 8. A report must find narrow-products, and
promise nothing.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training
from demo.simulator.variants import NarrowProducts

TRAINING = Training(model=NarrowProducts(ConvNet(batch=1024, channels=8, table_parameters=2_700_000_000)))
