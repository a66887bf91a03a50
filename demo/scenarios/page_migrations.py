"""Weights in managed memory leave the GPU between steps, and each forward pass waits for their pages."""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Training
from demo.simulator.variants import InManagedMemory

TRAINING = Training(
    model=InManagedMemory(ConvNet(batch=512, table_parameters=2_850_000_000), 12 * MILLISECOND_NS)
)
