"""GPUs whose link no name tells exchange gradients over PCI Express for longer than they compute.

The backward pass hides what it can; the rest is bare. Nothing is wrong with the path: PCIe carries no more.
"""

from dataclasses import replace

from demo.simulator.devices import A100
from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, Training

TRAINING = Training(
    model=ConvNet(batch=64, channels=128, table_parameters=2_750_000_000),
    device=replace(A100, name="NVIDIA A10G", bus_gbps=9.0),
    gpus=4,
    communication=Communication(call_ns=20_000, hop_ns=2_500),
)
