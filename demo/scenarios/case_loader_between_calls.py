"""Case study: a loop in JAX loads each batch with NumPy before it calls the step's function.

The step's marker encloses both, no event tells of the loading, and the loop reads each loss at once, so that
the GPU has nothing to do meanwhile.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Communication, HostWork, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    generation="trace",
    jax=True,
    readback_lag=0,
    inside_step=(HostWork("$loader.py:41 next_batch", call_ns=10 * MILLISECOND_NS),),
    communication=Communication(launcher="xla"),
)
