"""PyTorch's DataParallel: one process copies the model to four GPUs in each step and sums gradients on one.

Written as PyTorch's profiler writes it, which marks the calls.
"""

from demo.simulator.devices import T4
from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, PeerCopy, Training

MODEL = ConvNet(batch=192, table_parameters=120_000_000)

TRAINING = Training(
    model=MODEL,
    device=T4,
    gpus=4,
    peer_copies=(PeerCopy("replicate:Broadcast", 4 * MODEL.parameters, 0.0),),
    communication=Communication(reduction="hierarchical", overlap=False, call_ns=20_000, hop_ns=3_000),
    data_parallel=True,
)
