"""Collectives by kind, with numbers that are drawn by hand."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, each, inputs
from tfperf_plugin.analysis.artifacts.communication.calls import (
    CollectiveCall,
    CollectiveCalls,
    longest_calls,
)
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.report.model import Collective
from tfperf_plugin.report.panels.communication import collectives

SEND_RECV = "ncclDevKernel_SendRecv(ncclDevComm*)"


def rows(host: Host) -> tuple[Collective, ...]:
    found = inputs(host).call(collectives)
    assert isinstance(found, tuple)
    return found


def _calls(ledger: Ledger, calls: CollectiveCalls) -> tuple[CollectiveCall, ...]:
    gpus, every = calls.rows(ledger)
    return longest_calls(gpus, every)


def several(gpus: int) -> Host:
    """In each step, AllReduce for which GPU 0 waits 20 ms, and two exchanges of 12 ms."""

    def step(host: Host, at: float) -> None:
        for gpu in range(gpus):
            begin = 30 if gpu == 0 else 50
            host.kernel(at, at + begin, gpu)
            host.kernel(at + begin, at + 60, gpu, ALL_REDUCE, stream=9)
            for again in (70, 85):
                host.kernel(at + again, at + again + 12, gpu, SEND_RECV, stream=9)

    return Host("worker", gpus=gpus).trained(6, 100, step)


@pytest.mark.parametrize(
    ("gpus", "kind", "name"), [(2, "send_recv", "SendRecv"), (4, "all_to_all", "AllToAll")]
)
def test_calls_and_times_are_per_step_and_gpu(gpus: int, kind: str, name: str) -> None:
    wait = 20_000_000 // gpus

    assert rows(several(gpus)) == (
        Collective(kind, 2, 24_000_000, 0, name),
        Collective("all_reduce", 1, 10_000_000 + wait, wait, "AllReduce"),
    )


@pytest.mark.parametrize(("gpus", "name"), [(2, "send_recv"), (4, "all_to_all")])
def test_the_longest_calls_have_the_same_names(gpus: int, name: str) -> None:
    ledger = inputs(several(gpus)).call(_calls)
    assert {call.kind for call in ledger} == {name, "all_reduce"}


def test_waiting_is_not_known_where_calls_are_of_one_gpu() -> None:
    host = Host("worker", gpus=1).steps(6, 100)
    each(6, 100, lambda at: host.kernel(at, at + 10, 0, ALL_REDUCE, stream=9))

    assert rows(host) == (Collective("all_reduce", 1, 10_000_000, None, "AllReduce"),)
