"""The inputs of rules: the type of a parameter names an artifact, which is made when it is first needed.

A module of ``artifacts`` makes one artifact. Its ``part`` sees one host with all events; its ``finish`` sees
the merged parts of all hosts and the other artifacts that its parameter types name. The return type of
``finish``, or else of ``part``, names the artifact; without a ``part``, it depends on other artifacts alone.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any, Final

from tfperf_plugin.analysis import artifacts
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, View
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.recording.resources import Recorded

NO_STEPS = "The profile does not tell where a step begins and ends."
HOW_TO_MARK_STEPS = (
    "Record at least ten steps with step markers: the TensorBoard callback with profile_batch=(10, 20), or "
    "in a custom loop tf.profiler.experimental.Trace('train', step_num=step, _r=1) around each step."
)

NOT_WATCHED: Final = "The machine was not watched: tfperf record watches it."

# A host may wait for its GPUs without recording it; without GPU events, that cannot be told from other work.
NO_KERNELS = "GPUs are declared, but no kernel was recorded on them."
HOW_TO_RECORD_KERNELS = (
    "Record with device_tracer_level=1, the default; fix first what no-device-events reports."
)


def _kinds(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a declared type; the artifact comes first."""
    return typing.get_args(hint) or (hint,)


_hints = cache(typing.get_type_hints)


def _made_by(module: ModuleType) -> type:
    """The artifact that a module makes."""
    makes = getattr(module, "finish", None) or module.part
    kind: type = _kinds(_hints(makes)["return"])[0]
    return kind


@cache
def _modules() -> Mapping[type, ModuleType]:
    return {_made_by(module): module for module in artifacts.makers()}


def part_makers() -> Mapping[type, Callable[[View], Any]]:
    """Artifact → what makes the part of one host; ``artifacts/by_host.py`` merges parts."""
    return {kind: module.part for kind, module in _modules().items() if hasattr(module, "part")}


@cache
def requires(function: Callable[..., Any], kind: type) -> bool:
    """Whether a function cannot be called without the artifact ``kind``, which others may need in turn."""
    wanted = [_kinds(hint) for name, hint in _hints(function).items() if name != "return"]
    needed = [kinds[0] for kinds in wanted if type(None) not in kinds]
    made = [getattr(_modules().get(other), "finish", function) for other in needed]
    return kind in needed or any(requires(finish, kind) for finish in made if finish is not function)


@dataclass
class Inputs:
    """The artifacts of one run. ``get`` makes each at most once.

    ``part``: returns the merged parts of all hosts for a type of ``part_makers``; ``stated``: what the user
    states; ``facts``: what the training recorded about itself; ``recorded``: what the machine did meanwhile.
    """

    part: Callable[[type], Any]
    steps: Steps
    ledger: Ledger | None
    run: RunFacts
    stated: Stated = field(default_factory=Stated)
    facts: TrainingFacts | None = None
    recorded: Recorded | None = None
    _made: dict[type, Any] = field(default_factory=dict, init=False)

    def get(self, kind: type) -> Any:
        """The artifact of this type, or ``Missing`` with how to record it, or ``NotApplicable``."""
        if kind not in self._made:
            self._made[kind] = self._make(kind)
        return self._made[kind]

    def call(self, function: Callable[..., Any], *given: Any) -> Any:
        """Calls a function with the values given and the artifacts that its other parameters name.

        An artifact that the profile lacks is ``None`` if the parameter allows it; otherwise returns why it is
        missing instead of calling.
        """
        values = {}
        wanted = [(name, hint) for name, hint in _hints(function).items() if name != "return"]
        for name, hint in wanted[len(given) :]:
            kind, *others = _kinds(hint)
            value = self.get(kind)
            if isinstance(value, Missing | NotApplicable):
                if type(None) not in others:
                    return value
                value = None
            values[name] = value
        return function(*given, **values)

    def _make(self, kind: type) -> Any:
        if kind is Ledger:
            return self.ledger or self._no_ledger()
        if kind is TrainingFacts:
            return self.facts or NotApplicable("The training did not record itself.")
        if kind is Recorded:
            return self.recorded or NotApplicable(NOT_WATCHED)
        given: dict[type, Any] = {Steps: self.steps, RunFacts: self.run, Stated: self.stated}
        if kind in given:
            return given[kind]
        module = _modules().get(kind)
        if module is None:
            raise TypeError(f"no artifact of type {kind.__name__}")
        merged = [self.part(kind)] if hasattr(module, "part") else []
        return self.call(module.finish, *merged) if hasattr(module, "finish") else merged[0]

    def _no_ledger(self) -> Missing | NotApplicable:
        if self.get(HostCompute).on_cpu:
            return NotApplicable("The model ran on the CPU: no time of a GPU was lost.")
        if not self.get(Devices).participating:
            return Missing("No GPU ran a kernel in this profile.", HOW_TO_MARK_STEPS)
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
