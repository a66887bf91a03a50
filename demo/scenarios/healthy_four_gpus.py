"""A well-tuned training on four GPUs: gradients are summed while the backward pass goes on."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Training

TRAINING = Training(model=ConvNet(batch=768, table_parameters=2_710_000_000), gpus=4)
