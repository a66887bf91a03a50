"""Artifacts declare by their types what they are made of, and all of them can be asked for."""

from __future__ import annotations

import typing

from tests.builders import Host, inputs
from tfperf_plugin.analysis import artifacts
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.phases import Phases
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import Inputs, part_makers
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable, Passed, Verdict
from tfperf_plugin.recording.record import TrainingFacts


def test_every_artifact_can_be_had_and_is_of_the_type_that_names_it() -> None:
    host = Host()
    host.kernel(0, 1)
    found, kinds = inputs(host), set[type]()
    for module in artifacts.makers():
        hint = typing.get_type_hints(getattr(module, "finish", None) or module.part)["return"]
        kind = (typing.get_args(hint) or (hint,))[0]

        assert isinstance(found.get(kind), kind | Missing | NotApplicable), module.__name__
        assert (kind in part_makers()) == hasattr(module, "part"), module.__name__
        kinds.add(kind)
    assert len(kinds) == len(list(artifacts.makers())) > 40


def test_what_may_be_absent_is_none_and_the_first_that_may_not_says_why() -> None:
    host = Host()
    host.kernel(0, 1)
    found = inputs(host)

    def optional(ledger: Ledger | None, facts: TrainingFacts | None, devices: Devices) -> Verdict:
        return Passed(f"{ledger} {facts} {len(devices.participating)}")

    def needs(word: str, devices: Devices, facts: TrainingFacts, phases: Phases) -> Verdict:
        raise AssertionError(word)

    assert found.call(optional) == Passed("None None 1")
    assert found.call(needs, "given") == NotApplicable("The training did not record itself.")
    assert isinstance(found.get(Phases), Missing)


def test_parts_are_asked_for_only_when_needed() -> None:
    asked: list[type] = []
    made = inputs(Host())

    def part(kind: type) -> object:
        asked.append(kind)
        return made.part(kind)

    Inputs(part, made.steps, made.ledger, made.run).get(Devices)

    assert asked == [Devices]
