"""Launches wait while tf.data takes the host's cores."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, inputs, judge, passes, says
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu import host_thread_contention as rule
from tfperf_plugin.judging.rules.one_gpu.host_thread_contention import RULE

RUN = "InstantiatedCapturedFunction::Run"
STEPS = 12


def training(
    late: float, pool: str = "tf_Compute/1", functions: int = 4, steps_with_work: int = STEPS,
    late_anyway: bool = False, hidden: bool = False, since: float = 0.3,
) -> Host:  # fmt: skip
    """Steps of 10 ms of ten kernels; half-way the next launch comes late, while functions of tf.data run."""

    def step(host: Host, at: float) -> None:
        works = at < 10 * steps_with_work
        pause = late if works or late_anyway else 0
        host.event("ExecutorState::Process", at, at + 9, thread=pool, id=7, iter_num=0)
        for number in range(10):
            waits = pause if number >= 5 else 0
            launched = at + number * 0.02 + (5 + waits - 0.1 if waits else 0)
            begin = at + number * 0.5 if number < 5 else at + 5 + waits + (number - 5) * (5 - waits) / 5
            end = begin + (1 if number < 4 else at + 5 - begin if number == 4 else (5 - waits) / 5)
            begin = at + number if number < 5 else begin
            end = at + number + 1 if number < 5 else end
            host.kernel(max(begin, launched + 0.006), end, launch=(launched, launched + 0.005), thread=pool)
        for worker in range(functions if works else 1):
            host.event(RUN, at + since, at + 9.99, thread=f"tf_data_private_threadpool/{worker}")

    host = Host().trained(STEPS, 10, step)
    if hidden:
        each(STEPS, 10, lambda at: host.kernel(at, at + 10, stream=8))
    return host


def test_threads_of_their_own_need_no_advice() -> None:
    assert isinstance(judge(RULE, training(late=2, pool="tf_gpu_private_0/1")), NotApplicable)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(late=0),
        training(late=0.09),
        training(late=2, hidden=True),
        training(late=2, functions=1),  # leaves other cores free
        training(late=2, pool="python3"),  # Python that launches is no pool
    ],
    ids=["in time", "0.9 %", "under other kernels", "one function", "no pool"],
)
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)
    assert sum(fires(RULE, training(late=0.2)).claims.values()) > 0


def test_launches_as_late_without_tf_data_have_another_cause() -> None:
    passed = passes(RULE, training(late=2, steps_with_work=6, late_anyway=True))

    assert says(passed, rule.NOT_TF_DATA)
    assert fires(RULE, training(late=2, steps_with_work=6)).confidence == "medium"


def test_without_quiet_time_it_is_uncertain() -> None:
    assert fires(RULE, training(late=2, since=0)).confidence == "low"


def slow_and_late(late: float) -> Host:
    """Forty small kernels launched slowly in each step of 10 ms; twice a launching op is held up as well."""
    host = Host().steps(STEPS, 10)
    pool = "tf_Compute/1"

    def step(at: float) -> None:
        host.event("ExecutorState::Process", at, at + 9.5, thread=pool, id=7, iter_num=0)
        begin = at
        for number in range(40):
            launched = begin + 0.06 + (late if number in (10, 20) else 0)
            host.event(f"model/layer{number}:MatMul", begin, launched + 0.03, thread=pool)
            host.kernel(launched + 0.02, launched + 0.07, launch=(launched, launched + 0.01), thread=pool)
            begin = launched + 0.04
        for worker in range(4):
            host.event(RUN, at + 0.3, at + 9.99, thread=f"tf_data_private_threadpool/{worker}")

    each(STEPS, 10, step)
    return host


def test_it_comes_before_launch_delay_of_which_it_is_the_larger_part() -> None:
    """Ops hold the time in which their launch is held up: the ledger calls all of it launching."""
    outcome = run_rules(RULES, inputs(slow_and_late(2)))

    saved = [(f.id, f.saving.accounts) for f in outcome.findings if f.saving]
    assert saved == [
        ("host-thread-contention", {"idle.launch": 4_000_000}),
        ("kernel-launch-bound", {"idle.launch": 1_990_000, "idle.dispatch": 1_470_000}),
    ]


def test_launch_delay_that_tf_data_has_no_part_in_stays_alone() -> None:
    ids = {f.id for f in run_rules(RULES, inputs(slow_and_late(0))).findings}

    assert ids & {"kernel-launch-bound", "host-thread-contention"} == {"kernel-launch-bound"}
