"""Case study: the network cannot deliver ten times the records that training keeps.

A filter drops nine of ten records after they were read. Files are read in parallel and everything else
is as in a healthy training; the step waits for data during three quarters of its time.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Files, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(
        records=16,
        files=Files(record_bytes=4_800_000, latency_ns=500 * MICROSECOND_NS, gbps=6.8, readers=8),
        keep_one_of=10,
    ),
)
