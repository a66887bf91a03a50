"""A GPU that is too hot for three quarters of the time, and runs at three quarters of its clock then.

The profile lies in a minute in which it has cooled down.
"""

from dataclasses import replace

from demo.scenarios.healthy_single_gpu import TRAINING as HEALTHY
from demo.simulator.machine import Machine

TRAINING = replace(HEALTHY, machine=Machine(hot_gpus=(0,), recorded_at=1895 / 3600))
