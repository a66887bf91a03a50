"""How late each GPU is, with numbers that are drawn by hand."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, inputs
from tfperf_plugin.report.model import Straggler
from tfperf_plugin.report.panels.stragglers import stragglers


def rows(*hosts: Host) -> tuple[Straggler, ...]:
    found = inputs(*hosts).call(stragglers)
    assert isinstance(found, tuple)
    return found


def test_who_makes_others_wait_longest_comes_first_however_often_another_is_last() -> None:
    """GPU 1 is 20 ms late once a step; GPU 0 is 0.1 ms late nine times."""

    def step(host: Host, at: float) -> None:
        for call in range(10):
            begin = (0, 20) if call == 0 else (0.1, 0)
            for gpu in range(2):
                call_at = at + 5 * call + (20 if call else 0)
                host.kernel(
                    call_at + begin[gpu],
                    call_at + 24 if call == 0 else call_at + 4,
                    gpu,
                    ALL_REDUCE,
                    stream=9,
                )
        for gpu in range(2):
            host.kernel(at + 80, at + 90, gpu)

    late, other = rows(Host("worker", gpus=2).trained(6, 100, step))

    assert (late.device, other.device) == ("GPU:1", "GPU:0")
    assert (late.caused_wait_ns, other.caused_wait_ns) == (20_000_000, 900_000)
    assert late.last_ratio == pytest.approx(20 / 20.9)
