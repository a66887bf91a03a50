"""GPUs that wait in AllReduce for the last one."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, GATHER, SEND_RECV, Host, each, fires, judge, says, value
from tests.exchange import training
from tests.judging.rules.test_replica_imbalance import LAYERS, replica, with_ops
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.several_gpus import allreduce_wait as rule
from tfperf_plugin.judging.rules.several_gpus.allreduce_wait import RULE


def uneven(longer: float, late_steps: int = 6) -> Host:
    """Three GPUs; in each of six steps another one computes ``longer`` ms more than 40."""
    host = Host(gpus=3).steps(7, 100)

    def step(at: float) -> None:
        number = int(at // 100)
        extra = longer if number < late_steps else 0
        for gpu in range(3):
            arrival = 40 + (extra if gpu == number % 3 else 0)
            host.kernel(at, at + arrival, gpu)
            host.kernel(at + arrival, at + 50 + extra, gpu, ALL_REDUCE, stream=9)

    each(6, 100, step)
    return host


def of_host(name: str, late: bool, begin: float) -> Host:
    """Two GPUs that come last in turn, both 30 ms after those of the other host if it is ``late``."""
    host = Host(name, gpus=2)
    for step in range(7):
        at = begin + step * 100
        host.step(step, at, at + 100)
        for gpu in range(2):
            arrival = (60 if gpu == step % 2 else 55) if late else 30 + gpu
            host.kernel(at, at + arrival, gpu)
            host.kernel(at + arrival, at + 65, gpu, ALL_REDUCE, stream=9)
    return host


def of_two(name: str, second: float, begin: float) -> Host:
    return training([10, second], end=50, host=name, begin=begin)


@pytest.mark.parametrize(
    ("hosts", "late", "waiting_ms"),
    [
        ([training([10, 10, 40, 10], end=50)], "GPU 2", 22.5),
        ([uneven(15)], "", 10),  # in turns
        ([of_two("a", 10, 0), of_two("b", 40, 77)], "b GPU 1", 22.5),
        ([of_host("a", False, 0), of_host("b", True, 12)], "b", 16.0),
    ],
)
def test_the_gpu_or_host_that_always_comes_last_is_named(
    hosts: list[Host], late: str, waiting_ms: float
) -> None:
    found = fires(RULE, *hosts)

    assert found.title == (f"Straggler in AllReduce: {late}" if late else RULE.title)
    assert found.claims == {"communication.wait": pytest.approx(waiting_ms * 1_000_000)}
    assert (value(found, "share of the waiting") == 1) == bool(late)
    assert says(found, rule.CAUSE_IN_TURN) != bool(late)


@pytest.mark.parametrize(("threads", "one"), [(1, True), (3, False)])
def test_where_one_thread_launches_for_all_the_lengths_of_examples_are_not_blamed(
    threads: int, one: bool
) -> None:
    host = uneven(15)
    for at in range(0, 600, 100):
        for gpu in range(3):
            host.kernel(
                at + 0.1 + gpu / 10, at + 1, gpu, launch=(at + gpu / 100, at + gpu / 100 + 0.005),
                thread=f"launcher/{gpu % threads}", stream=11,
            )  # fmt: skip

    assert fires(RULE, host).advice == ("one thread launches for all" if one else "")


def under_compute() -> Host:
    host = training([10, 40], end=50)
    each(5, 100, lambda at: host.kernel(at + 10, at + 40, gpu=0, stream=8))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "fires_"), [(uneven(1.6), True), (uneven(1.4), False), (under_compute(), False)]
)
def test_below_one_percent_and_under_compute_it_is_normal(host: Host, fires_: bool) -> None:
    assert isinstance(judge(RULE, host), Passed) != fires_


def late_begins(*late: tuple[float, ...], works: bool = False, hosts: bool = False) -> list[Host]:
    """For each step when GPUs begin, in ms after the step's start: they compute for 20 ms and sum.

    With ``works`` they begin at once and work that much longer. With ``hosts``, each GPU has a host, which
    begins the step late.
    """
    count = len(late[0])
    found = [Host(f"rank{n}", gpus=1) for n in range(count)] if hosts else [Host(gpus=count)]
    for number, begins in enumerate([*late, late[0]]):
        for gpu, begin in enumerate(begins):
            host, shift = found[gpu if hosts else 0], 11.0 * gpu if hosts else 0.0
            at = 100.0 * number + shift
            if hosts or gpu == 0:
                host.step(number, at + (begin if hosts else 0), 100.0 * (number + 1) + shift)
            if number == len(late):
                continue
            start = 0.0 if works else begin
            host.kernel(at + start, at + begin + 20, 0 if hosts else gpu)
            host.kernel(at + begin + 20, at + max(begins) + 25, 0 if hosts else gpu, ALL_REDUCE, stream=9)
    return found


@pytest.mark.parametrize("hosts", [False, True])
def test_gpus_with_equal_work_that_begin_late_need_no_equal_work(hosts: bool) -> None:
    found = fires(RULE, *late_begins((0, 8, 3, 1), (7, 0, 1, 2), (1, 2, 0, 9), (2, 6, 0, 0), hosts=hosts))

    assert found.title == "GPUs begin the step apart"
    assert "all compute for 20.0 ms per step" in found.summary
    assert ("The hosts begin the step 6.0–9.0 ms apart" in found.summary) == hosts
    assert not says(found, rule.CHANGES)
    assert found.advice == "GPUs begin late"


def test_gpus_that_work_longer_in_turn_are_not_said_to_begin_late() -> None:
    found = fires(RULE, *late_begins((0, 8, 3, 1), (7, 0, 1, 2), (1, 2, 0, 9), (2, 6, 0, 0), works=True))

    assert found.title == RULE.title
    assert says(found, rule.CHANGES)
    for works in (True, False):  # of one step nothing changes
        assert not says(fires(RULE, *late_begins((0, 8, 7.5, 8), works=works)), rule.CHANGES)


def test_where_calls_before_end_apart_gpus_with_equal_work_are_not_to_get_equal_work() -> None:
    """In each step, other GPUs come later out of the first call, and all compute as long after it."""
    host = Host(gpus=3).steps(7, 100)
    for number in range(6):
        at = 100.0 * number
        for gpu in range(3):
            through = at + 30 + (8 if gpu == number % 3 else 0)
            host.kernel(at, at + 20, gpu)
            host.kernel(at + 20, through, gpu, SEND_RECV, stream=9)
            host.kernel(through, through + 20, gpu)
            host.kernel(through + 20, at + 60, gpu, ALL_REDUCE, stream=9)
            host.kernel(at + 60, at + 100, gpu)
    found = fires(RULE, host)

    assert "All compute for 80.0 ms per step" in found.summary
    assert found.advice == "equal work"


def test_an_op_that_takes_longer_on_the_gpu_that_comes_last_is_named() -> None:
    found = fires(
        RULE, with_ops({**LAYERS, "model/layer/a:MatMul": 30.0}, replica(1, LAYERS), replica(2, LAYERS))
    )

    assert found.advice == "one op takes longer"
    assert "because model/layer/a takes longer" in found.cause
    assert value(found, "on the others at least") == 10_000_000


def test_of_several_kinds_of_collectives_the_one_with_most_waiting_is_named() -> None:
    host = Host(gpus=2).steps(7, 100)
    for number in range(6):
        for gpu in range(2):
            at, late = 100 * number, gpu == number % 2
            first, second = at + (55 if late else 40), at + (85 if late else 80)
            host.kernel(at, first, gpu)
            host.kernel(first, at + 60, gpu, GATHER, stream=9)
            host.kernel(at + 60, second, gpu)
            host.kernel(second, at + 90, gpu, ALL_REDUCE, stream=9)

    assert "Of that, 7.5 ms are waits in AllGather." in fires(RULE, host).summary


@pytest.mark.parametrize(("late", "others"), [(0, False), (1, True)])
def test_waits_in_other_kinds_are_said_to_be_in_others(late: float, others: bool) -> None:
    """The wait in the gather is ``late`` ms, that in the AllReduce 30."""
    host = Host(gpus=2).steps(7, 100)
    for number in range(6):
        for gpu in range(2):
            at = 100 * number
            first, second = at + 40 + late * gpu, at + (85 if gpu else 55)
            host.kernel(at, first, gpu)
            host.kernel(first, at + 45, gpu, GATHER, stream=9)
            host.kernel(at + 45, second, gpu)
            host.kernel(second, at + 90, gpu, ALL_REDUCE, stream=9)

    said = fires(RULE, host).summary
    assert said.startswith(f"A GPU waits in AllReduce{' and other collectives' if others else ''} for ")
