"""What rules about the memory of GPUs share."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.memory.memory import Memory
from tfperf_plugin.analysis.evidence import Missing, NotApplicable

ON_CPU = "The model ran on the CPU."
NO_EVENTS = "No allocator events of a GPU were recorded."
RECORD = "Record with host_tracer_level=2, the default, and while training runs."
USED = "The fullest GPU uses {used:percent} of its memory at the peak."


def without_events(memory: Memory, compute: HostCompute) -> Missing | NotApplicable | None:
    """Why nothing is known of the memory of GPUs."""
    if compute.on_cpu:
        return NotApplicable(ON_CPU)
    return None if memory.devices else Missing(NO_EVENTS, RECORD)
