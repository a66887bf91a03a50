"""Stages of a model that wait for each other while the pipeline fills and drains."""

from __future__ import annotations

import pytest

from tests.builders import Host, Stats, finding, fires, inputs, judge, says, value
from tests.exchange import training
from tests.stages import copied, pipeline, sent
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.several_gpus import all_to_all_exposed, gpus_run_serially
from tfperf_plugin.judging.rules.several_gpus import pipeline_bubble as rule
from tfperf_plugin.judging.rules.several_gpus.pipeline_bubble import RULE

SENT: Stats = {"collective_type": "send", "buffer_size": 8_000}


@pytest.mark.parametrize(
    ("stages", "batches", "saving_ms", "severity"),
    [
        (2, 2, 9, "warning"),
        (2, 7, 9, "warning"),
        (2, 9, 9, "info"),
        (3, 2, 18, "critical"),
        (4, 4, 27, "warning"),
    ],
)
def test_each_further_stage_has_to_be_waited_for(
    stages: int, batches: int, saving_ms: int, severity: str
) -> None:
    found = finding(RULE, pipeline(stages, batches))

    assert value(found, "saved by twice as many") == saving_ms * 1_000_000
    assert value(found, "ideal waiting") == pytest.approx((stages - 1) / (batches + stages - 1))
    assert found.severity == severity


def beside(host: Host, at: float) -> None:
    for gpu in (0, 1):
        host.kernel(at, at + 60, gpu, stream=8)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "fires_"),
    [
        (pipeline(2, 43, steps=4), True),
        (pipeline(2, 48, steps=4), False),  # 0.9 % of the step
        (pipeline(2, 2, extra=beside), False),  # stages compute something else meanwhile
    ],
)
def test_a_hundredth_of_the_step_is_worth_a_word(host: Host, fires_: bool) -> None:
    assert isinstance(judge(RULE, host), NotApplicable | Passed) != fires_


def in_kernels(count: int) -> Host:
    """Two stages of which the first computes each pass in so many kernels more."""

    def many(host: Host, at: float) -> None:
        for number in range(4 * count):
            begin = at + (number % 4) * 10 + 10 * (number % 4 > 1) * 2 + (number // 4) * 9 / count
            host.kernel(begin, begin + 9 / count, 0, stream=8)

    return pipeline(2, 2, extra=many)


def test_stages_of_short_kernels_wait_for_each_other_and_not_for_the_host() -> None:
    """No other rule speaks of the time, though nothing is promised."""
    findings = run_rules(RULES, inputs(in_kernels(230))).findings
    (own,) = (f for f in findings if f.id == "pipeline-bubble")

    assert own.severity == "info"
    assert own.saving is None
    assert "unexplained-idle" in {f.id for f in own.explains}
    assert not {"gpu-stagger", "unexplained-idle", "kernel-launch-bound"} & {f.id for f in findings}


def test_without_micro_batches_gpus_take_turns() -> None:
    """Which of the two rules speaks depends on whether there are micro-batches."""
    one, two = pipeline(2, 1), pipeline(2, 2)
    verdict = judge(RULE, one)

    assert isinstance(verdict, NotApplicable)
    assert "gpus-run-serially" in verdict.reason
    assert fires(gpus_run_serially.RULE, one).advice == "copies order the GPUs"
    assert isinstance(judge(gpus_run_serially.RULE, two), Passed)


def test_the_stage_that_computes_longest_is_named_and_its_surplus_is_not_claimed() -> None:
    found = fires(RULE, pipeline(3, 4, work=(9, 4.5, 4.5)))

    assert "Stage 1 (GPU 0) computes longest, 72.0 ms per step where the mean is 48.0 ms" in found.summary
    assert sum(found.claims.values()) == pytest.approx(9_000_000, abs=2)
    assert not says(fires(RULE, pipeline(3, 4)), rule.UNEVEN)


@pytest.mark.parametrize("stats", [SENT, None])
def test_two_gpus_of_which_it_is_said_that_they_send(stats: Stats | None) -> None:
    """Otherwise they may as well exchange all-to-all."""
    host = Host(gpus=2)
    sent(2, [host], stats=stats)
    verdict = judge(RULE, host)

    assert isinstance(verdict, NotApplicable) == (stats is None)
    if stats:
        assert fires(RULE, host).claims == {"communication.wait": 9_000_000}
        assert isinstance(judge(all_to_all_exposed.RULE, host), NotApplicable)


def test_stages_on_two_hosts() -> None:
    hosts = [Host("a"), Host("b")]
    sent(2, hosts, stats=SENT)
    found = fires(RULE, *hosts)

    assert found.claims == {"communication.wait": 9_000_000}
    assert value(found, "waiting of stage 2 (b GPU 0)") == pytest.approx(0.15)


def one_way(host: Host, giver: int, taker: int, at: float) -> None:
    if giver < taker:
        copied(host, giver, taker, at)


def to_the_next_two(host: Host, giver: int, taker: int, at: float) -> None:
    copied(host, giver, taker, at)
    if giver == 0:
        copied(host, giver, 2, at)


def twice_back(host: Host, giver: int, taker: int, at: float) -> None:
    copied(host, giver, taker, at)
    if giver > taker:
        copied(host, giver, taker, at - 0.1)


def neighbours() -> Host:
    """Each GPU computes its part of the same layers and gets the edges of its neighbours' parts."""
    host = Host(gpus=2).steps(6, 100)
    for begin in range(0, 600, 25):
        for gpu in (0, 1):
            host.kernel(begin, begin + 10 + 5 * gpu, gpu)
            copied(host, gpu, 1 - gpu, begin + 16 + gpu)
    return host


@pytest.mark.parametrize(
    "host",
    [
        *(pipeline(3, 2, hand_over) for hand_over in (one_way, to_the_next_two, twice_back)),
        neighbours(),
        training([80, 80], end=100),
    ],
    ids=["one way", "to the next two", "twice back", "neighbours", "data parallel"],
)
def test_what_is_no_chain_back_and_forth_is_no_pipeline(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)


def test_gpus_that_take_no_part_forbid_a_judgement() -> None:
    host = pipeline(2, 2)
    third = Host("other").trained(6, 60, lambda host, at: host.kernel(at, at + 60))

    verdict = judge(RULE, host, third)

    assert isinstance(verdict, NotApplicable)
    assert "Only 2 of 3 GPUs" in verdict.reason


def test_it_is_a_warning_under_which_idle_time_without_a_cause_is_folded() -> None:
    findings = run_rules(RULES, inputs(pipeline(4, 4))).findings
    assert findings[0].id == "pipeline-bubble"
    assert {"gpu-stagger", "unexplained-idle"} >= {f.id for f in findings[0].explains} >= {"unexplained-idle"}
    assert not {"gpu-stagger", "unexplained-idle", "gpus-run-serially"} & {f.id for f in findings}
