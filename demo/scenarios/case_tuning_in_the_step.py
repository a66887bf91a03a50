"""Keras' callback records the second batch, in which the driver holds the first call and cuDNN is tuned anew.

The batch has a shape that cuDNN has not seen. Of later steps this one says little.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Collector, InputPipeline, Startup, Training

TRAINING = Training(
    model=ConvNet(batch=384),
    generation="old",
    steps=1,
    readback_lag=0,
    input=InputPipeline(arrays=True),
    collector=Collector(one_batch=True, op_events=False),
    startup=Startup(candidates=3, held_ns=17 * MILLISECOND_NS),
)
