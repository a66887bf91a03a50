"""Keras reads a loss and many metrics after the step, one by one; its callback recorded one batch."""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, InputPipeline, Results, Training

TRAINING = Training(
    model=ConvNet(batch=96),
    device=V100,
    generation="old",
    steps=1,
    input=InputPipeline(arrays=True),
    collector=Collector(one_batch=True, op_events=False),
    readback_lag=0,
    results=Results(count=20),
)
