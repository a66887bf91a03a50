"""The input's map handles one batch at a time.

Images are augmented with random ops, which TensorFlow does not run in parallel by itself, in a map without
``num_parallel_calls``; the GPU trains a smaller batch than that thread can prepare in time.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, InputPipeline, Training

TRAINING = Training(
    model=ConvNet(batch=384, table_parameters=2_850_000_000),
    input=InputPipeline(map_ns=31 * MILLISECOND_NS, map_parallelism=0, prefetch=2, autotune=False),
)
