"""Four micro-batches add up to one update, and the gradients of each are exchanged, over PCIe.

The next forward pass begins when the last one's gradients are there: three of four exchanges are needless.
"""

from demo.simulator.devices import T4
from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, Training

TRAINING = Training(
    model=ConvNet(batch=256, table_parameters=400_000_000),
    device=T4,
    gpus=2,
    steps=6,
    accumulated=4,
    communication=Communication(call_ns=20_000, hop_ns=3_000, each_batch=True, buckets=1),
)
