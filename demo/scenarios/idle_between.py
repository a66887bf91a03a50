"""Ten good steps of a training that stands a minute in every four, as for an evaluation on the CPU."""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(pause_s=60, pause_every_s=240))
