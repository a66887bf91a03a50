"""What rules can ask for: the type of a rule's parameter names the artifact, built once when first asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tfperf_plugin.artifacts.allreduce import FLOAT_BYTES, AllReduceTimes, find_allreduce
from tfperf_plugin.artifacts.balance import Balance, find_balance
from tfperf_plugin.artifacts.between import BetweenSteps, find_between
from tfperf_plugin.artifacts.capture import Capture, find_capture
from tfperf_plugin.artifacts.compilation import Compilation, find_compilation
from tfperf_plugin.artifacts.copies import Copies, find_copies
from tfperf_plugin.artifacts.devices import Devices, find_devices
from tfperf_plugin.artifacts.eager import EagerOps, find_eager_ops
from tfperf_plugin.artifacts.estimate import AllReduceEstimate, Stated, find_estimate
from tfperf_plugin.artifacts.host_gaps import HostGaps, find_host_gaps
from tfperf_plugin.artifacts.host_input import HostInput, find_host_input
from tfperf_plugin.artifacts.hosts import Hosts, find_hosts
from tfperf_plugin.artifacts.idle import Idle, find_idle
from tfperf_plugin.artifacts.kernels import Kernels, find_kernels
from tfperf_plugin.artifacts.late_input import LateInput, find_late_input
from tfperf_plugin.artifacts.memory import Memory, find_memory
from tfperf_plugin.artifacts.ops import HostOps, Ops, find_host_ops, find_ops
from tfperf_plugin.artifacts.outliers import Outliers, find_outliers
from tfperf_plugin.artifacts.parameters import find_parameters
from tfperf_plugin.artifacts.peers import PeerCopies, find_peers
from tfperf_plugin.artifacts.phases import Phases, find_phases
from tfperf_plugin.artifacts.pipelines import Pipelines, find_pipelines
from tfperf_plugin.artifacts.placement import Placement, find_placement
from tfperf_plugin.artifacts.sequences import Sequences, find_sequences
from tfperf_plugin.artifacts.stalls import Stalls, find_stalls
from tfperf_plugin.artifacts.starts import Starts, find_starts
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.artifacts.turns import Turns, find_turns
from tfperf_plugin.engine.rule import Missing, NotApplicable
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.model import Trace
from tfperf_plugin.training import TrainingFacts

HOW_TO_MARK_STEPS = (
    "Record at least ten steps with step markers: the TensorBoard callback with profile_batch=(10, 20), or "
    "in a custom loop tf.profiler.experimental.Trace('train', step_num=step, _r=1) around each step."
)

# A host with GPUs may wait for them in ways that it does not record: without their events nobody can tell.
NO_KERNELS = "GPUs are declared, but no kernel was recorded on them."
HOW_TO_RECORD_KERNELS = (
    "Record with device_tracer_level=1, the default; what no-device-events says has to be put right first."
)


@dataclass
class Inputs:
    """The artifacts of one run. ``get`` builds each at most once.

    ``stated``: what the user states; ``facts``: what the training recorded about itself.
    """

    trace: Trace
    steps: Steps
    ledger: Ledger | None
    stated: Stated = field(default_factory=Stated)
    facts: TrainingFacts | None = None
    _built: dict[type, Any] = field(default_factory=dict)

    def get(self, kind: type) -> Any:
        """The artifact of this type; else ``Missing`` with how to record it, or ``NotApplicable``."""
        if kind not in self._built:
            self._built[kind] = self._build(kind)
        return self._built[kind]

    def _build(self, kind: type) -> Any:
        if kind is TrainingFacts:
            return self.facts or NotApplicable("The training did not record itself.")
        if kind is AllReduceTimes and self.ledger:
            found = find_allreduce(self.trace, self.ledger, self.facts)
            return found or NotApplicable("No AllReduce between several GPUs was recorded.")
        if kind is AllReduceEstimate:
            return self._estimate() or NotApplicable("There is no AllReduce to estimate.")
        if kind is LateInput:
            hosts = self.get(Hosts) if self.ledger else None
            return find_late_input(self.get(Pipelines), self.get(HostInput), self.ledger, hosts)
        if kind in _FROM_LEDGER:
            if self.ledger is None:
                return Missing(self._no_ledger(), HOW_TO_MARK_STEPS)
            return _FROM_LEDGER[kind](self.trace, self.ledger)
        if kind not in _FROM_STEPS:
            raise TypeError(f"no artifact of type {kind.__name__}")
        return _FROM_STEPS[kind](self.trace, self.steps)

    def _estimate(self) -> AllReduceEstimate | None:
        times = self.get(AllReduceTimes)
        known = times if isinstance(times, AllReduceTimes) else None
        size, element = (known.gradient_bytes, known.element_bytes) if known else (None, FLOAT_BYTES)
        per_call = (self.facts and self.facts.steps_per_execution) or 1
        parameters = find_parameters(self.trace, self.ledger, size and size // per_call, element)
        return find_estimate(self.trace, known, parameters, self.facts, self.stated)

    def _no_ledger(self) -> str:
        if not any(d.participates for h in self.trace.hosts for d in h.devices):
            return "No GPU ran a kernel in this profile."
        return "The profile does not tell where a step begins and ends."


_FROM_LEDGER: dict[type, Callable[[Trace, Ledger], Any]] = {
    Ledger: lambda _, ledger: ledger,
    Timeline: lambda _, ledger: Timeline(ledger),
    Copies: find_copies,
    Kernels: find_kernels,
    Sequences: find_sequences,
    Ops: find_ops,
    Phases: find_phases,
    Starts: find_starts,
    Balance: find_balance,
    Turns: find_turns,
    PeerCopies: find_peers,
    Hosts: find_hosts,
    AllReduceTimes: find_allreduce,
    BetweenSteps: find_between,
    Outliers: find_outliers,
    Stalls: find_stalls,
    Idle: find_idle,
}
_FROM_STEPS: dict[type, Callable[[Trace, Steps], Any]] = {
    Steps: lambda _, steps: steps,
    Devices: find_devices,
    Capture: find_capture,
    HostInput: find_host_input,
    HostGaps: find_host_gaps,
    EagerOps: find_eager_ops,
    Compilation: find_compilation,
    Pipelines: find_pipelines,
    Placement: lambda trace, _: find_placement(trace),
    Memory: lambda trace, _: find_memory(trace),
    HostOps: find_host_ops,
}
