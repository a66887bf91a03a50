"""Which steps are usual: warm-up and rare long steps are told apart before anything is divided."""

from __future__ import annotations

import pytest

from tests.builders import MS, Host, inputs
from tfperf_plugin.analysis.steps import HostSteps


def steps_of(*lengths: float) -> HostSteps:
    """Steps of so many ms in which the GPU works, and one that is not complete."""
    host, begin = Host(), 0.0
    for number, length in enumerate((*lengths, 100.0)):
        host.step(number, begin, begin + length)
        host.kernel(begin, begin + length)
        begin += length
    return inputs(host).steps.hosts[0]


@pytest.mark.parametrize(
    ("lengths", "warm_up", "rare"),
    [
        ((2_500, 100, 100, 100), [0], []),
        ((2_500, 100, 101), [0], []),
        ((2_500, 100), [], []),  # it is not known which of two is usual
        ((290, 100, 120, 100), [], []),  # with few steps, it must be clear
        ((123, 126, 127, 164), [], [3]),  # as where all others are alike
        ((123, 126, 137, 164), [], []),
        ((123, 126, 127, 150), [], []),
        ((160, 100, 100, 100, 100), [0], []),
        ((2_500, 900, 100, 100, 100, 100), [0, 1], []),  # compiles again for the layout of its own results
        ((900, 2_500, 100, 100, 100, 100), [0, 1], []),
        ((2_500, 900, 800, 100, 100, 100), [0], []),  # half of the others are as long
        ((100, 100, 2_500, 100, 100), [], [2]),
        ((2_500, 100, 100, 100, 900, 100, 100, 100, 100), [0], [4]),
        ((900, 100, 100, 100, 2_500, 100, 100, 100, 100), [], [0, 4]),
        ((100, 100, 100, 160, 100, 100, 100, 100), [], [3]),
        ((100, 100, 100, 160, 110, 100, 100), [], []),
        ((100, 100, 100, 160, 100, 100, 100), [], [3]),
        ((*[100] * 12, 135, 140, 145, 152), [], []),  # no gap divides these
        ((*[100] * 12, 135, 140, 152, 500), [], [15]),
        ((100, 200, 100, 200, 100, 200, 100, 200), [], []),  # every second one is usual
    ],
)
def test_start_up_and_rare_long_steps_are_left_out(
    lengths: tuple[float, ...], warm_up: list[int], rare: list[int]
) -> None:
    steps = steps_of(*lengths)

    assert steps.number[steps.warm_up].tolist() == warm_up
    assert steps.number[steps.rare].tolist() == rare
    assert set(steps.number[steps.judged].tolist()) == set(range(len(lengths))) - {*warm_up, *rare}


def test_the_ledger_is_of_usual_steps() -> None:
    host = Host()
    for number, (begin, end) in enumerate([(0, 2_500), (2_500, 2_600), (2_600, 2_700), (2_700, 2_800)]):
        host.step(number, begin, end)
        host.kernel(end - 60, end)
    ledger = inputs(host).ledger

    assert ledger is not None
    assert (ledger.step_ns, ledger.average()["compute"]) == (100 * MS, 60 * MS)
