"""Embeddings that are spread over four GPUs are exchanged all-to-all before the layers that need them.

Nothing else is left to compute meanwhile, in the forward as in the backward pass.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, InputPipeline, LayerExchange, Training

TRAINING = Training(
    model=Transformer(batch=40, layers=3, table_parameters=2_600_000_000),
    gpus=4,
    steps=6,
    input=InputPipeline(map_ns=2_000_000),
    communication=Communication(call_ns=20_000, hop_ns=1_500),
    layer_exchange=LayerExchange("all_to_all", 300_000_000, 12),
)
