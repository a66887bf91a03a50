"""Memory allows a larger batch."""

from __future__ import annotations

import pytest

from tests.builders import Host, fires, inputs, passes, says, value
from tfperf_plugin.judging.engine.rule import Found
from tfperf_plugin.judging.rules.one_gpu import memory_headroom as rule
from tfperf_plugin.judging.rules.one_gpu.memory_headroom import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord

GB = 10**9


def training(
    lasting: float, peak: float, capacity: float = 20, gpu: int = 0, host: Host | None = None
) -> Host:
    """Allocator events (GB) of a step that rise from ``lasting`` to ``peak`` and fall again."""
    if host is None:
        host = Host(gpus=2).steps(2, 100)
    for at, allocated in ((10, lasting), (50, peak), (90, lasting)):
        host.memory(at, int(allocated * GB), int(capacity * GB), int(peak * GB), f"GPU_{gpu}_bfc")
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        training(lasting=2, peak=13),  # 16 / 11 = 1.45
        training(lasting=14, peak=17),  # weights do not grow with the batch: 4 / 3 = 1.33
        training(lasting=2, peak=17, gpu=1, host=training(lasting=2, peak=4)),  # the fullest GPU decides
    ],
)
def test_too_little_growth_is_not_worth_it(host: Host) -> None:
    passes(RULE, host)
    assert value(fires(RULE, training(lasting=2, peak=12)), "possible growth") == pytest.approx(1.6)


def test_the_recorded_batch_is_stated() -> None:
    given = inputs(training(lasting=2, peak=6))
    given.facts = TrainingFacts((TrainingRecord(batch_size=64),))
    found = given.call(RULE.judge)

    assert isinstance(found, Found)
    assert says(found, rule.RECORDED) and "batch of 64" in found.summary
