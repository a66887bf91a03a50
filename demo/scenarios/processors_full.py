"""The GPU waits for data, and the processors have nothing left to make it faster.

A batch takes four processors for 47 ms, and the step 26 ms. Another program has the fifth one.
"""

from dataclasses import replace

from demo.scenarios.input_bound import TRAINING as INPUT_BOUND
from demo.simulator.machine import Machine
from demo.simulator.training import MILLISECOND_NS, InputPipeline

TRAINING = replace(
    INPUT_BOUND,
    lead_steps=16,
    cores=4,
    input=InputPipeline(map_ns=190 * MILLISECOND_NS, map_parallelism=4, map_calls=32, prefetch=2),
    machine=Machine(gpu_busy=0.55, processors=5, training_cores=3.95, other_cores=0.98),
)
