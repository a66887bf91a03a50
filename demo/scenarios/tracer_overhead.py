"""Python tracing is on in a loop without ``tf.function``: the host mostly records itself."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Collector, Training

TRAINING = Training(
    model=ConvNet(batch=64, table_parameters=2_970_000_000),
    generation="trace",
    eager=True,
    collector=Collector(python_tracer=True),
)
