"""The GPU waits for data, because the container's quota stops the threads that make it.

Sixteen threads use a quota of four processors up in the first quarter of each period, and then stand.
"""

from dataclasses import replace

from demo.scenarios.processors_full import TRAINING as FULL
from demo.simulator.machine import Machine

TRAINING = replace(
    FULL, machine=Machine(gpu_busy=0.55, processors=4, training_cores=3.95, other_cores=0.0, throttled=0.72)
)
