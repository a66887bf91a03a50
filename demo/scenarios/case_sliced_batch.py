"""Images are copied with three channels, of which the first layer keeps one.

They come as float32 from pageable memory, at the start of each step, whose loss Python waits for.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import InputPipeline, Training
from demo.simulator.variants import WithSlicedImages

TRAINING = Training(
    model=WithSlicedImages(ConvNet(batch=384, image_value_bytes=4, table_parameters=2_850_000_000)),
    input=InputPipeline(pinned=False, prefetch_to_device=False),
    readback_lag=0,
)
