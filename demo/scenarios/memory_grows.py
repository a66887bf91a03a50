"""A training whose memory grows by 5 MB in each second, as if each batch kept something."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(leaks_mb_s=5))
