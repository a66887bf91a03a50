"""fit() gets a Python generator: Keras prefetches one batch of it, and Python makes one at a time.

Keras' callback records one batch. Python began to make it before, so that nothing of that was recorded.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Collector, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=384),
    generation="old",
    steps=1,
    readback_lag=0,
    input=InputPipeline(
        adapted=True,
        read_ns=900 * MILLISECOND_NS,
        map_ns=0,
        prefetch=1,
        autotune=False,
        pinned=False,
        prefetch_to_device=False,
    ),
    collector=Collector(one_batch=True, op_events=False),
)
