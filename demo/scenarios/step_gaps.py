"""The GPU idles between steps.

A callback computes its own metrics after every batch with sixty eager ops on the host, and Python waits
for the loss of each step, so nothing is queued on the GPU meanwhile.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, HostWork, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    readback_lag=0,
    between_steps=(
        HostWork(
            "$callbacks.py:27 on_train_batch_end",
            call_ns=220 * MICROSECOND_NS,
            calls=60,
            op="ConfusionMatrix",
        ),
    ),
)
