"""One of four hosts is slow, and all others wait for it in every AllReduce.

The two GPUs of the third host are clocked lower and need two fifths longer for the same work.
"""

from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, HostClocks, SlowHost, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    gpus=2,
    hosts=4,
    steps=8,
    communication=Communication(network_gbps=20.0, call_ns=20_000, hop_ns=1_500, network_hop_ns=6_000),
    clocks=HostClocks(
        errors_ns=(0, 2_300_000, -4_100_000, 900_000), start_lags_ns=(0, 7_000_000, 3_000_000, -5_000_000)
    ),
    slow_host=SlowHost(2, gpu_factor=1.4),
)
