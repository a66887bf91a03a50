"""The case study "Heavy post processing": the GPU is active for 47 % of each step.

A callback draws and stores 64 random images after each batch of 64 and takes longer than the batch itself.
TensorFlow warned that on_train_batch_end is slow compared to the batch update. One V100, TensorFlow 2.2, five
steps recorded.
"""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, HostWork, Training

TRAINING = Training(
    model=ConvNet(batch=64, blocks_per_stage=10, table_parameters=1_100_000_000),
    device=V100,
    generation="old",
    steps=5,
    readback_lag=0,
    between_steps=(HostWork("$callbacks.py:31 on_train_batch_end", call_ns=650 * MICROSECOND_NS, calls=64),),
)
