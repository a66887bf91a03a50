"""The gradients are summed in hundreds of small calls instead of a few large ones.

Each call takes some thirty microseconds, however few bytes it moves, so that all of them together outlast
the backward pass beside which they run.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=96, table_parameters=2_950_000_000),
    gpus=4,
    steps=5,
    input=InputPipeline(map_ns=2_000_000),
    communication=Communication(buckets=240, call_ns=25_000, hop_ns=1_500),
)
