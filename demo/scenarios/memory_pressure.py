"""The batch fills the GPU's memory to the last hundredth: a few sequences more end the training."""

from demo.simulator.models import Transformer
from demo.simulator.training import Training

TRAINING = Training(model=Transformer(batch=196, layers=6))
