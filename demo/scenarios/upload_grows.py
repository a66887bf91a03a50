"""One file of events grows by 2 MB in each second, and all of it is uploaded every five minutes."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(writes_mb_s=2, link_gbps=0.125))
