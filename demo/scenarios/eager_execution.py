"""Python runs the step op by op.

The loop's ``train_step`` has no ``@tf.function``: Python and TensorFlow's runtime take about 60 µs for each
op, longer than most of its kernels, so the GPU waits for the next op nearly all the time.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Launching, Training

TRAINING = Training(
    model=ConvNet(batch=64, table_parameters=2_970_000_000),
    generation="trace",
    eager=True,
    launching=Launching(python_ns=60 * MICROSECOND_NS),
)
