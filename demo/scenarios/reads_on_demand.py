"""Files are read one at a time, each record only when the next stage asks for it.

They lie on remote storage that answers after a millisecond; its network could carry many times as much.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Files, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=512, table_parameters=2_810_000_000),
    input=InputPipeline(
        files=Files(record_bytes=2_400_000, latency_ns=MILLISECOND_NS, gbps=5.0),
    ),
)
