"""Four GPUs start every step one after the other.

One shared thread launches the ops of all replicas, GPU by GPU, and Python waits for the loss of every
step, so that no GPU ever has work in its queue when a step begins.
"""

from demo.simulator.devices import V100
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Launching, Training

TRAINING = Training(
    model=ConvNet(batch=192, table_parameters=1_120_000_000),
    device=V100,
    gpus=4,
    launching=Launching(
        schedule_ns=22 * MICROSECOND_NS, call_ns=8 * MICROSECOND_NS, private_threads=False, shared_thread=True
    ),
    readback_lag=0,
)
