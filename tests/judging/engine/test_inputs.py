"""Artifacts declare by their types what they are made of, and all of them can be asked for."""

from __future__ import annotations

import typing

from tests.builders import Host, inputs
from tfperf_plugin.analysis import artifacts
from tfperf_plugin.judging.engine.inputs import part_makers
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable


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
