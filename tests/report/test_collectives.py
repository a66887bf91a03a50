"""Collectives by kind, with numbers that are drawn by hand."""

from __future__ import annotations

from tests.builders import ALL_REDUCE, Host, each, inputs
from tfperf_plugin.report.model import Collective
from tfperf_plugin.report.panels.communication import collectives


def rows(host: Host) -> tuple[Collective, ...]:
    found = inputs(host).call(collectives)
    assert isinstance(found, tuple)
    return found


def test_waiting_is_not_known_where_calls_are_of_one_gpu() -> None:
    host = Host("worker", gpus=1).steps(6, 100)
    each(6, 100, lambda at: host.kernel(at, at + 10, 0, ALL_REDUCE, stream=9))

    assert rows(host) == (Collective("all_reduce", 1, 10_000_000, None, "AllReduce"),)
