"""Groups of steps that resemble each other, of lengths that are drawn by hand."""

from __future__ import annotations

import pytest

from tests.builders import Host, inputs
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.report.panels.steps import step_groups


def groups(*lengths_ms: float, hosts: int = 1) -> list[tuple[str, int]]:
    """Name and count of each group; all hosts record the same steps."""
    found = []
    for number in range(hosts):
        host, at = Host(f"worker{number}"), 0.0
        for step, length in enumerate((*lengths_ms, 10)):  # what lies behind the last one is not recorded
            host.step(step, at, at + length)
            host.kernel(at, at + 5, launch=(at, at + 0.1))
            at += length
        found.append(host)

    def named(ledger: Ledger) -> list[tuple[str, int]]:
        return [(group.name, group.count) for group in step_groups(ledger)]

    result = inputs(*found).call(named)
    assert isinstance(result, list)
    return result


@pytest.mark.parametrize(
    ("lengths", "found"),
    [
        (
            (10, 10, 20),
            [("2 hosts", ("worker0", "worker1"), 10_000_000), ("worker2", ("worker2",), 20_000_000)],
        ),
        (
            (10, 20, 10, 20),
            [
                ("2 faster hosts", ("worker0", "worker2"), 10_000_000),
                ("2 slower hosts", ("worker1", "worker3"), 20_000_000),
            ],
        ),
    ],
)
def test_hosts_whose_steps_differ_are_groups_told_apart_by_number_or_speed(
    lengths: tuple[int, ...], found: list[tuple[str, tuple[str, ...], int]]
) -> None:
    hosts = []
    for number, length in enumerate(lengths):
        host = Host(f"worker{number}").steps(5, length)
        for step in range(5):
            host.kernel(step * length, step * length + 5)
        hosts.append(host)
    ledger = inputs(*hosts).ledger
    assert ledger
    assert [(group.name, group.hosts, group.p50_ns) for group in step_groups(ledger)] == found


def test_steps_that_are_alike_are_no_groups() -> None:
    assert groups(10, 10, 11, 10, 10.5) == []
