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


def test_late_begins_count_from_the_first_gpu_and_without_collectives_by_step() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 60, 0)
        host.kernel(at + 5, at + 60, 1)
        host.kernel(at + (9 if at < 100 else 2), at + 60, 2)

    host = Host("worker", gpus=3).trained(6, 100, step)

    assert rows(host) == (
        Straggler("worker", "GPU:1", 5_000_000, 0.8, ""),
        Straggler("worker", "GPU:2", 2_000_000, 0.2, ""),
        Straggler("worker", "GPU:0", 0, 0.0, ""),
    )


def test_who_is_never_last_says_so_and_who_is_needs_a_cause() -> None:
    def step(host: Host, at: float) -> None:
        for gpu in range(3):
            host.kernel(at + 4 * gpu, at + 60, gpu)

    host = Host("worker", gpus=3).trained(6, 100, step)

    assert [row.cause for row in rows(host)] == ["", "Never last: no GPU waits for it.", ""]
    assert {row.behind_ns for row in rows(host)} == {0, 4_000_000, 8_000_000}


def test_late_arrivals_count_where_begins_are_even() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 30, 0)
        host.kernel(at, at + 50, 1)
        # Waits for GPU 1 from 30 to 50; the second call is even.
        for gpu, begin in ((0, 30), (1, 50)):
            host.kernel(at + begin, at + 60, gpu, ALL_REDUCE, stream=9)
            host.kernel(at + 70, at + 80, gpu, ALL_REDUCE, stream=9)

    host = Host("worker", gpus=2).trained(6, 100, step)
    late, first = rows(host)

    assert (late.device, late.behind_ns, late.cause) == (
        "GPU:1",
        20_000_000,
        "It is still at work while others wait.",
    )
    assert (late.last_ratio, late.caused_wait_ns) == (1, 20_000_000)
    assert (first.device, first.behind_ns) == ("GPU:0", 0)


def test_one_gpu_is_not_late() -> None:
    host = Host("worker").trained(4, 100, lambda host, at: host.kernel(at, at + 60))

    assert rows(host) == ()


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
