"""The GPU waits while the driver frees and allocates memory.

The batch leaves so little memory that the allocator gives back what it kept, four times in each step: the
driver waits for the GPU, frees, and allocates in other sizes.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Allocations, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    allocations=Allocations(4, free_ns=1_500_000, allocate_ns=MILLISECOND_NS),
)
