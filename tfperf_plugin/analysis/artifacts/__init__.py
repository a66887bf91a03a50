"""The artifacts of a run, one file each (``engine/inputs.py``), and the modules that they share."""

from __future__ import annotations

from typing import Final

# Explicit, so that a forgotten file is a failing test.
NAMES: Final = (
    "allocations",
    "allreduce",
    "arguments",
    "balance",
    "bounds",
    "calls",
    "capture",
    "compilation",
    "copies",
    "devices",
    "eager",
    "estimate",
    "exchanges",
    "framework",
    "host_gaps",
    "host_input",
    "host_ops",
    "host_pass",
    "hosts",
    "idle",
    "idle_input",
    "idle_launch",
    "kernels",
    "lateness",
    "memory",
    "model_stages",
    "ops",
    "outliers",
    "parameters",
    "peer_copies",
    "phases",
    "pipelines",
    "placement",
    "sequences",
    "serialization",
    "slow",
    "starts",
    "step_gaps",
    "timeline",
    "waits",
)
