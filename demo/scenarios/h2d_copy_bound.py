"""The GPU waits for its batch to be copied.

Images are converted to float32 on the host and copied from pageable memory at the start of each step,
instead of as bytes, from pinned memory, while the GPU computes the step before. Python waits for each loss.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=384, image_value_bytes=4, table_parameters=2_850_000_000),
    input=InputPipeline(pinned=False, prefetch_to_device=False),
    readback_lag=0,
)
