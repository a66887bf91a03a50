"""A well-tuned training on four hosts with two GPUs each, whose clocks differ by some milliseconds."""

from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, HostClocks, Training

TRAINING = Training(
    model=ConvNet(batch=768, table_parameters=2_710_000_000),
    gpus=2,
    hosts=4,
    steps=8,
    communication=Communication(network_gbps=20.0, call_ns=20_000, hop_ns=1_500, network_hop_ns=6_000),
    clocks=HostClocks(
        errors_ns=(0, 2_300_000, -4_100_000, 900_000), start_lags_ns=(0, 7_000_000, 3_000_000, -5_000_000)
    ),
)
