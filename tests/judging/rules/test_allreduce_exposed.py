"""AllReduce while nothing is computed."""

from __future__ import annotations

import pytest

from tests.builders import judge
from tests.exchange import training
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.several_gpus.allreduce_exposed import RULE


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("end", "hidden", "fires_"), [(60, 6.9, True), (60, 7, False), (70, 15, True), (70, 15.1, False)]
)
def test_less_than_a_twentieth_of_the_step_is_well_if_seven_tenths_are_hidden(
    end: float, hidden: float, fires_: bool
) -> None:
    assert isinstance(judge(RULE, training([50, 50], end=end, hidden=hidden)), Passed) != fires_
