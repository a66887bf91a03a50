"""Products in 16 bit whose dimensions are no multiples of 8: Tensor Cores load them narrowly, at half speed.

A report must find misaligned-dimensions: 1,020 columns in every product of the layers, and 68 of each head.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Training

TRAINING = Training(model=Transformer(batch=32, hidden=1_020, layers=3, table_parameters=2_700_000_000))
