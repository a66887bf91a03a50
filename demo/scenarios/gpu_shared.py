"""Another process computes on the GPU for four minutes in every ten."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(shared_s=240))
