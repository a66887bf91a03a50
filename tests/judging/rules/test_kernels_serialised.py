"""No two kernels of a GPU overlap although several streams run them."""

from __future__ import annotations

import pytest

from tests.builders import Host, fires, judge, passes
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.capture.kernels_serialised import RULE


def training(on_second: int = 10, on_first: int = 10, overlap: float = 0, gpus: int = 1) -> Host:
    """Kernels of 1 ms, one after another, on two streams of the first GPU; the last two may overlap."""
    host = Host(gpus=gpus)
    for number in range(on_first):
        host.kernel(number, number + 1, stream=7)
    for number in range(on_second):
        begin = on_first + number - overlap
        host.kernel(begin, begin + 1, stream=8)
    return host


def with_steps(streams: tuple[int, ...]) -> Host:
    """Four steps of 20 kernels, one after another; each step's run on the next of these streams in turn."""
    host = Host()
    for step in range(4):
        at = 100 * step
        host.event("train", at, at + 90, step_num=step, _r=1)
        for number in range(20):
            stream = streams[step % len(streams)] + (number % 2 if len(streams) == 1 else 0)
            host.kernel(
                at + 2 * number + 1,
                at + 2 * number + 2,
                stream=stream,
                launch=(at + number, at + number + 0.5),
            )
    return host


@pytest.mark.near_miss("below")
def test_streams_of_which_each_step_has_its_own_cannot_overlap() -> None:
    assert isinstance(judge(RULE, with_steps((7, 9, 11, 13))), NotApplicable)
    fires(RULE, with_steps((7,)))


def beside_a_sibling() -> Host:
    host = training(gpus=2)
    host.kernel(0, 10, gpu=1, stream=7)
    host.kernel(5, 15, gpu=1, stream=8)
    return host


@pytest.mark.parametrize("host", [training(overlap=0.001), beside_a_sibling()])
def test_any_overlap_shows_that_the_profiler_records_it(host: Host) -> None:
    passes(RULE, host)


def with_copies() -> Host:
    host = training(on_second=0)
    for number in range(20):
        host.copy("H2D", 10 + number, 11 + number)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [training(on_second=9), training(on_first=230, on_second=12), training(on_second=0), with_copies()],
    ids=["few on the second stream", "4.96 % on it", "one stream", "copies beside kernels"],
)
def test_a_few_kernels_on_a_second_stream_may_never_meet_another(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)
    assert fires(RULE, training(on_first=228, on_second=12)).severity == "info"  # 5 %
