"""PyTorch's DistributedDataParallel looks for unused parameters after each forward pass, on two ranks.

A report must find unused-parameters: the GPUs have nothing to do while the host walks the graph.
"""

from demo.simulator.models import Transformer
from demo.simulator.training import Communication, Training

TRAINING = Training(
    model=Transformer(batch=16, length=256, hidden=512, layers=6),
    hosts=2,
    communication=Communication(call_ns=20_000, hop_ns=3_000, search_ns=9_000_000),
)
