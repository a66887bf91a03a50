"""Ten good steps of a training that stands 10 s in every 40, while it downloads the next file of data."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(
    HEALTHY, machine=Machine(pause_s=10, pause_every_s=40, pause_network_gbps=0.6, network_gbps=0.02)
)
