"""The batch fills the GPU's memory to the last hundredth: two hundred short sequences more end it."""

from demo.simulator.models import Transformer
from demo.simulator.training import Training

TRAINING = Training(model=Transformer(batch=12_500, length=16, layers=6))
