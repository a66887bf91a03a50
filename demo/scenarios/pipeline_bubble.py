"""A transformer in four stages on four GPUs, which pass on three micro-batches per step.

Each stage stands still until the first one has come to it, and again until gradients come back.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import InputPipeline, Training

TRAINING = Training(
    model=Transformer(batch=64, layers=11, table_parameters=2_400_000_000),
    gpus=4,
    steps=4,
    input=InputPipeline(map_ns=2_000_000),
    pipeline_stages=True,
    micro_batches=3,
)
