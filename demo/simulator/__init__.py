"""Simulates a training run on GPUs and writes the profile that TensorFlow's profiler would write.

Hosts launch kernels, streams run them in order, collectives wait for their last participant, input
pipelines fill buffers. Nothing is drawn: a cause is a parameter of `Training`, its effects follow.
"""

from demo.simulator.simulation import Simulation, simulate, what_happens
from demo.simulator.training import Training
from demo.simulator.truth import Truth

__all__ = ["Simulation", "Training", "Truth", "simulate", "what_happens"]
