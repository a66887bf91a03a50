"""The case study "Bottleneck on CPU GPU data interface": throughput falls by a sixth.

The host blows each input frame up tenfold with tf.tile, and the GPU discards what was added; it waits until
the copy of the batch is complete. One V100, TensorFlow 2.2, five
steps recorded.
"""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=64, blocks_per_stage=10, image_value_bytes=10, table_parameters=1_100_000_000),
    device=V100,
    generation="old",
    steps=5,
    input=InputPipeline(prefetch_to_device=False),
    readback_lag=0,
)
