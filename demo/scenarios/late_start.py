"""Ten good steps of a training that first downloads its data for six minutes."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(starts_s=360, downloads_gb=90.0))
