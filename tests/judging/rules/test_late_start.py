"""The first step of the training comes late."""

from __future__ import annotations

import pytest

from tests.builders import fires, passes, says, value
from tests.watched import training, watched
from tfperf_plugin.judging.rules.machine import late_start as rule
from tfperf_plugin.judging.rules.machine.late_start import RULE


def used(start_s: int, work_s: int = 600) -> list[float]:
    return [0.0] * start_s + [0.9] * work_s


def test_what_passes_before_the_first_step_is_told() -> None:
    found = fires(RULE, training(), recorded=watched({"gpu.busy 0": used(200)}))

    assert value(found, "time before the first step") == 200e9
    assert found.impact_ratio == pytest.approx(200 / 800)
    assert not says(found, rule.DOWNLOADS)


@pytest.mark.near_miss("below")
def test_importing_and_compiling_may_take_a_minute() -> None:
    passes(RULE, training(), recorded=watched({"gpu.busy 0": used(110)}))


@pytest.mark.parametrize(
    ("received", "is_download"),
    [
        ([6e6] * 800, True),
        ([4e6] * 800, False),
        ([0.0] * 200 + [1e9] * 600, False),  # while steps run
    ],
)
def test_a_download_is_told_from_other_work(received: list[float], is_download: bool) -> None:
    found = fires(RULE, training(), recorded=watched({"gpu.busy 0": used(200), "network.in eth0": received}))

    assert says(found, rule.DOWNLOADS) == is_download
    assert (found.advice == "it downloads") == is_download
