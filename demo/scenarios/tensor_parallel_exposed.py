"""Every layer is spread over four GPUs, which sum its parts in the forward and in the backward pass.

Each GPU has weights of its own, so there are no gradients to exchange.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, InputPipeline, LayerExchange, Training

TRAINING = Training(
    model=Transformer(batch=40, layers=3, table_parameters=2_600_000_000),
    gpus=4,
    steps=6,
    input=InputPipeline(map_ns=2_000_000),
    communication=Communication(call_ns=20_000, hop_ns=1_500, reduction="none"),
    layer_exchange=LayerExchange("all_reduce", 160_000_000, 12),
)
