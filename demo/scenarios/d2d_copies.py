"""In the middle of each step every GPU fetches activations of all others, as copies from GPU to GPU.

The outputs of one layer are concatenated over all replicas by hand, over PCIe; until they are there, no GPU
can go on.
"""

from demo.simulator.devices import T4
from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, PeerCopy, Training

TRAINING = Training(
    model=ConvNet(batch=256, table_parameters=1_000_000_000),
    device=T4,
    gpus=4,
    communication=Communication(call_ns=20_000, hop_ns=3_000),
    peer_copies=(PeerCopy("functional_1/all_replicas/concat:ConcatV2", 103_000_000, 0.25, source=None),),
)
