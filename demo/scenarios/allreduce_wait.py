"""In each step another GPU comes last to AllReduce, and the other three wait for it there.

Batches are made of sequences of different length, which nobody sorts into buckets: some are up to half more
work than usual, some up to half less.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, InputPipeline, Training

TRAINING = Training(
    model=Transformer(batch=40, layers=3, table_parameters=2_600_000_000),
    gpus=4,
    input=InputPipeline(map_ns=2_000_000),
    communication=Communication(call_ns=20_000, hop_ns=1_500),
    uneven_batches=0.5,
)
