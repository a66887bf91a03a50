"""A deep network on a batch of 2: its kernels are done before the host has launched the next one.

The case "small batch size" of the performance analysis case studies. Most of the memory is unused.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=2, blocks_per_stage=6), input=InputPipeline(read_ns=20_000, map_ns=200_000)
)
