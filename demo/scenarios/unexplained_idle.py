"""Python works for milliseconds in each step of a loop without tf.function; nothing records what it does."""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, HostWork, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_850_000_000),
    generation="trace",
    eager=True,
    inside_step=(HostWork("$augment.py:12 mix", 8 * MILLISECOND_NS),),
    readback_lag=0,
)
