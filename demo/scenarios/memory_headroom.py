"""Four fifths of the GPU's memory are never used: the batch could be larger. All else is well tuned."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(model=ConvNet(batch=768, table_parameters=300_000_000))
