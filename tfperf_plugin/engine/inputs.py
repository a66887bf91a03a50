"""What rules can ask for: the type of a rule's parameter names the artifact, built once when first asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tfperf_plugin.artifacts import (
    allreduce,
    balance,
    between,
    capture,
    compilation,
    copies,
    devices,
    eager,
    framework,
    host_gaps,
    host_input,
    host_pass,
    idle,
    kernels,
    lateness,
    memory,
    ops,
    outliers,
    parameters,
    peers,
    phases,
    pipelines,
    placement,
    sequences,
    stalls,
    starts,
    timeline,
    turns,
)
from tfperf_plugin.artifacts.allreduce import FLOAT_BYTES, AllReduceTimes
from tfperf_plugin.artifacts.balance import Balance
from tfperf_plugin.artifacts.between import BetweenSteps
from tfperf_plugin.artifacts.by_host import RunFacts, View, mean_step_ns, merged_all, views
from tfperf_plugin.artifacts.capture import Capture
from tfperf_plugin.artifacts.compilation import Compilation
from tfperf_plugin.artifacts.copies import Copies
from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.eager import EagerOps
from tfperf_plugin.artifacts.estimate import AllReduceEstimate, Stated, find_estimate
from tfperf_plugin.artifacts.exchanges import ModelExchanges, find_exchanges
from tfperf_plugin.artifacts.framework import Framework
from tfperf_plugin.artifacts.host_gaps import HostGaps
from tfperf_plugin.artifacts.host_input import HostInput
from tfperf_plugin.artifacts.host_pass import HostPass
from tfperf_plugin.artifacts.hosts import Hosts, find_hosts
from tfperf_plugin.artifacts.idle import Idle
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.artifacts.late_input import LateInput, find_late_input
from tfperf_plugin.artifacts.lateness import Lateness
from tfperf_plugin.artifacts.memory import Memory
from tfperf_plugin.artifacts.ops import HostOps, Ops
from tfperf_plugin.artifacts.outliers import Outliers
from tfperf_plugin.artifacts.parameters import ParametersEstimate
from tfperf_plugin.artifacts.peers import PeerCopies
from tfperf_plugin.artifacts.phases import Phases, is_training
from tfperf_plugin.artifacts.pipelines import Pipelines
from tfperf_plugin.artifacts.placement import Placement
from tfperf_plugin.artifacts.sequences import Sequences
from tfperf_plugin.artifacts.stalls import Stalls
from tfperf_plugin.artifacts.starts import Starts
from tfperf_plugin.artifacts.timeline import Timeline, timeline_of
from tfperf_plugin.artifacts.turns import Turns
from tfperf_plugin.artifacts.waits import CollectiveWaits, find_waits
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


PARTS: Final[Mapping[type, Callable[[View], Any]]] = {
    AllReduceTimes: allreduce.part,
    Balance: balance.part,
    BetweenSteps: between.part,
    Capture: capture.part,
    Compilation: compilation.part,
    Copies: copies.part,
    Devices: devices.part,
    EagerOps: eager.part,
    Framework: framework.part,
    HostGaps: host_gaps.part,
    HostInput: host_input.part,
    HostOps: ops.host_part,
    HostPass: host_pass.part,
    Idle: idle.part,
    Kernels: kernels.part,
    Lateness: lateness.part,
    Memory: memory.part,
    Ops: ops.part,
    Outliers: outliers.part,
    ParametersEstimate: parameters.part,
    PeerCopies: peers.part,
    Phases: phases.part,
    Pipelines: pipelines.part,
    Placement: placement.part,
    Sequences: sequences.part,
    Stalls: stalls.part,
    Starts: starts.part,
    Timeline: timeline.part,
    Turns: turns.part,
}
"""What one host contributes to each artifact; several hosts' are merged (``artifacts/by_host.py``)."""


@dataclass
class Inputs:
    """The artifacts of one run. ``get`` builds each at most once.

    ``part``: gives the merged parts of all hosts for a type of ``PARTS``; ``stated``: what the user states;
    ``facts``: what the training recorded about itself.
    """

    part: Callable[[type], Any]
    steps: Steps
    ledger: Ledger | None
    training: bool
    stated: Stated = field(default_factory=Stated)
    facts: TrainingFacts | None = None
    _built: dict[type, Any] = field(default_factory=dict)

    @staticmethod
    def of_trace(
        trace: Trace,
        steps: Steps,
        ledger: Ledger | None,
        stated: Stated | None = None,
        facts: TrainingFacts | None = None,
    ) -> TraceInputs:
        """Those of a run that is held in memory: parts are made when they are asked for."""
        training = any(is_training(host) for host in trace.hosts)
        run = RunFacts(mean_step_ns(steps.hosts), training)

        def part(kind: type) -> Any:
            if kind is Timeline and ledger:
                return timeline_of(ledger)
            return merged_all(PARTS[kind](view) for view in views(trace, steps, ledger, run))

        return TraceInputs(part, steps, ledger, training, stated or Stated(), facts, trace=trace)

    def get(self, kind: type) -> Any:
        """The artifact of this type; else ``Missing`` with how to record it, or ``NotApplicable``."""
        if kind not in self._built:
            self._built[kind] = self._build(kind)
        return self._built[kind]

    def _build(self, kind: type) -> Any:
        if kind is TrainingFacts:
            return self.facts or NotApplicable("The training did not record itself.")
        if kind is AllReduceEstimate:
            return self._estimate() or NotApplicable("There is no AllReduce to estimate.")
        if kind is LateInput:
            hosts = self.get(Hosts) if self.ledger else None
            return find_late_input(self.get(Pipelines), self.get(HostInput), self.ledger, hosts)
        if kind in _FROM_STEPS:
            return _FROM_STEPS[kind](self.part(kind), self.steps)
        if kind not in _FROM_LEDGER and kind not in (
            AllReduceTimes,
            CollectiveWaits,
            Hosts,
            Idle,
            Ledger,
            ModelExchanges,
            Phases,
            Steps,
            Timeline,
        ):
            raise TypeError(f"no artifact of type {kind.__name__}")
        if kind is Steps:
            return self.steps
        if self.ledger is None:
            return Missing(self._no_ledger(), HOW_TO_MARK_STEPS)
        return self._from_ledger(kind, self.ledger)

    def _from_ledger(self, kind: type, ledger: Ledger) -> Any:
        if kind is Ledger:
            return ledger
        if kind is Hosts:
            return find_hosts(ledger)
        if kind is AllReduceTimes:
            found = allreduce.finish(self.part(kind), ledger, self.facts)
            return found or NotApplicable("No AllReduce between several GPUs was recorded.")
        if kind is CollectiveWaits:
            waits = find_waits(self.part(AllReduceTimes), ledger)
            return waits or NotApplicable("No collective was recorded in a judged step.")
        if kind is ModelExchanges:
            exchanges = find_exchanges(self.part(AllReduceTimes), ledger, self.facts)
            return exchanges or NotApplicable("No collective was recorded in a judged step.")
        if kind is Idle:
            return idle.finish(self.part(kind), ledger, self.get(BetweenSteps))
        if kind is Phases:
            return phases.finish(self.part(kind), ledger, self.training)
        if kind is Timeline:
            found = self.part(kind)
            return found if isinstance(found, Timeline) else timeline.finish(found, ledger)
        return _FROM_LEDGER[kind](self.part(kind), ledger)

    def _estimate(self) -> AllReduceEstimate | None:
        times = self.get(AllReduceTimes)
        known = times if isinstance(times, AllReduceTimes) else None
        size, element = (known.gradient_bytes, known.element_bytes) if known else (None, FLOAT_BYTES)
        per_call = (self.facts and self.facts.steps_per_execution) or 1
        shown = self.part(ParametersEstimate)
        count = parameters.parameters_of(shown, self.ledger, size and size // per_call, element)
        return find_estimate(self.get(Devices), known, count, self.facts, self.stated)

    def _no_ledger(self) -> str:
        if not self.get(Devices).participating:
            return "No GPU ran a kernel in this profile."
        return "The profile does not tell where a step begins and ends."


@dataclass
class TraceInputs(Inputs):
    """With the events of the run."""

    trace: Trace = field(default_factory=lambda: Trace("", ()))


_FROM_LEDGER: dict[type, Callable[[Any, Ledger], Any]] = {
    Balance: lambda found, _: found,
    BetweenSteps: between.finish,
    Copies: copies.finish,
    HostPass: host_pass.finish,
    Kernels: kernels.finish,
    Lateness: lateness.finish,
    Ops: ops.finish,
    Outliers: outliers.finish,
    PeerCopies: peers.finish,
    Sequences: sequences.finish,
    Stalls: stalls.finish,
    Starts: lambda found, _: found,
    Turns: lambda found, _: found,
}
_FROM_STEPS: dict[type, Callable[[Any, Steps], Any]] = {
    Capture: capture.finish,
    Compilation: compilation.finish,
    Devices: devices.finish,
    EagerOps: eager.finish,
    Framework: framework.finish,
    HostGaps: host_gaps.finish,
    HostInput: host_input.finish,
    HostOps: ops.host_finish,
    Memory: lambda found, _: found,
    Pipelines: lambda found, _: found,
    Placement: placement.finish,
}
