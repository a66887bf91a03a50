"""One GPU has more work than the others."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, each, evidence, finding, fires, inputs, judge, says, value
from tests.stages import pipeline
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.several_gpus import replica_imbalance as rule
from tfperf_plugin.judging.rules.several_gpus.replica_imbalance import RULE


def training(*compute: float, together: float = 100) -> Host:
    """Steps of ``together`` ms: each GPU computes that long, then exchanges gradients until the end."""
    host = Host(gpus=len(compute))
    host.steps(5, together)

    def step(at: float) -> None:
        for gpu, length in enumerate(compute):
            host.kernel(at, at + length, gpu)
            host.kernel(at + length, at + together, gpu, ALL_REDUCE)

    each(5, together, step)
    return host


def test_work_above_the_mean_is_what_even_shares_would_save() -> None:
    found = finding(RULE, training(80, 50, 50, 50))

    # Evenly shared each GPU would compute for 57.5 ms instead of up to 80 ms; three of four wait for 30 ms.
    assert found.saving is not None
    assert found.saving.ns == 22_500_000
    assert found.title == "Replica imbalance: GPU 0"
    assert found.severity == "critical"
    assert value(found, "compute of GPU 0") == 80_000_000
    assert value(found, "median of the others") == 50_000_000
    assert value(found, "above the median") == pytest.approx(0.6)
    place = found.where[0]
    assert (place.begin_ms, place.end_ms) == (50, 80)
    assert place.device != "GPU:0"


def test_the_claim_never_exceeds_what_the_others_wait() -> None:
    claims = fires(RULE, training(80, 50, 50, 50)).claims

    assert sum(claims.values()) == 22_500_000
    assert claims["communication.wait"] == 22_500_000  # (0 + 30 + 30 + 30) / 4


@pytest.mark.near_miss("below")
def test_small_differences_are_normal() -> None:
    assert isinstance(judge(RULE, training(54.9, 50, 50, 50)), Passed)
    assert value(fires(RULE, training(55, 50, 50, 50)), "above the median") == pytest.approx(0.1)


def test_a_gpu_with_little_work_makes_the_comparison_less_certain() -> None:
    assert fires(RULE, training(80, 50, 50, 25)).confidence == "high"
    assert fires(RULE, training(80, 50, 50, 24)).confidence == "medium"


def test_one_idle_looking_gpu_does_not_make_the_others_heavy() -> None:
    assert isinstance(judge(RULE, training(50, 50, 50, 20)), Passed)


def test_equal_work_that_starts_late_is_no_imbalance() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 50, 0))
    each(5, 100, lambda at: host.kernel(at + 40, at + 90, 1))

    assert isinstance(judge(RULE, host), Passed)


def with_ops(*gpus: dict[str, float], name: str = "worker") -> Host:
    """Steps of 100 ms in which each GPU runs these ops one after another, then exchanges gradients."""
    host = Host(name, gpus=len(gpus))
    host.steps(5, 100)

    def step(at: float) -> None:
        for gpu, times in enumerate(gpus):
            begin = at
            for op, length in times.items():
                host.kernel(begin, begin + length, gpu, op=op)
                begin += length
            host.kernel(begin, at + 100, gpu, ALL_REDUCE)

    each(5, 100, step)
    return host


LAYERS: dict[str, float] = {f"model/layer/{name}:MatMul": 10.0 for name in ("a", "b", "c", "d", "e")}


def replica(number: int, ops: dict[str, float]) -> dict[str, float]:
    return {f"replica_{number}/{op}": length for op, length in ops.items()}


def test_ops_that_only_one_gpu_runs_are_named() -> None:
    extra = {"evaluation/head/MatMul:MatMul": 20.0, "evaluation/head/Softmax:Softmax": 4.0}
    found = finding(RULE, with_ops({**LAYERS, **extra}, replica(1, LAYERS), replica(2, LAYERS)))

    assert found.title == "Replica imbalance: GPU 0"
    assert (
        "It alone runs 2 ops below evaluation/head/, 24.0 ms per step: MatMul:MatMul (20.0 ms) and "
        "Softmax:Softmax (4.0 ms)." in found.summary
    )
    assert value(found, "evaluation/head/MatMul:MatMul") == 20_000_000
    assert "no other GPU runs it" in evidence(found.evidence, "evaluation/head/MatMul").source
    assert not any("layer" in row.label for row in found.evidence)


def test_an_op_that_takes_longer_there_is_named() -> None:
    longer = {**LAYERS, "model/layer/a:MatMul": 30.0}
    found = fires(RULE, with_ops(longer, replica(1, LAYERS)))

    assert "Most of the difference lies in model/layer/a:MatMul (20.0 ms)." in found.summary
    assert "no other GPU" not in evidence(found.evidence, "model/layer/a").source


def test_a_gpu_that_takes_longer_throughout_may_just_be_slower() -> None:
    slower = dict.fromkeys(LAYERS, 12.0)
    found = fires(RULE, with_ops(slower, replica(1, LAYERS)))

    assert found.title == "Replica imbalance: GPU 0"
    assert (
        "its share of the batch is larger, or its clock is lower; the profile does not say which"
        in found.summary
    )
    assert value(found, "kernels of GPU 0 above") == 0


def test_a_difference_that_is_spread_over_many_ops_is_said_to_be() -> None:
    many: dict[str, float] = {f"head/{name}/Mul:Mul": 4.0 for name in "abcdef"}
    some = dict.fromkeys(many, 1.0)
    twice = {
        f"{op[:-4]}x:Mul": 1.0 for op in many
    }  # runs there only, but makes less than 80 % of the surplus
    found = fires(RULE, with_ops({**many, **twice}, replica(1, some)))

    assert "The difference is spread over 12 ops, most of all head/a/Mul:Mul (3.0 ms)" in found.summary


def test_batches_that_make_another_gpu_busiest_in_each_step_are_no_imbalance() -> None:
    host = Host(gpus=2)
    host.steps(7, 100)
    for number in range(7):
        for gpu in range(2):
            long = (number % 3 == 0) == (gpu == 0)  # GPU 1 in two of three steps
            end = 100 * number + (80 if long else 40)
            host.kernel(100 * number, end, gpu)
            host.kernel(end, 100 * number + 100, gpu, ALL_REDUCE)
    passed = judge(RULE, host)

    assert isinstance(passed, Passed)
    assert says(passed, rule.IN_TURN)


def test_one_step_with_more_work_is_no_imbalance() -> None:
    host = Host(gpus=2)
    host.steps(6, 100)
    each(6, 100, lambda at: host.kernel(at, at + (100 if at == 200 else 50), 0))
    each(6, 100, lambda at: host.kernel(at, at + 50, 1))

    assert isinstance(judge(RULE, host), Passed)


@pytest.mark.near_miss("hidden")
def test_a_surplus_during_which_the_others_have_other_things_to_do_saves_nothing() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)

    def step(at: float) -> None:
        host.kernel(at, at + 80, 0)
        host.kernel(at, at + 50, 1)
        host.copy("H2D", at + 50, at + 80, 1)
        for gpu in range(2):
            host.kernel(at + 80, at + 100, gpu, ALL_REDUCE)

    each(5, 100, step)

    assert run_rules([RULE], inputs(host)).findings == ()


def test_of_several_hosts_the_uneven_one_is_named() -> None:
    even = with_ops(LAYERS, LAYERS, name="even")
    uneven = with_ops({**LAYERS, "metrics/Sum:Sum": 30.0}, LAYERS, name="uneven")
    found = fires(RULE, even, uneven)

    assert found.title == "Replica imbalance: GPU 0 of uneven"
    assert "metrics/Sum:Sum (30.0 ms)" in found.summary


def test_one_gpu_cannot_be_compared() -> None:
    assert isinstance(judge(RULE, training(80)), NotApplicable)


def test_without_kernels_it_cannot_be_judged() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)

    assert isinstance(judge(RULE, host), Missing)


def test_a_gpu_of_another_model_is_said_to_be_one() -> None:
    host = Host(gpus=4, model=["A100", "A100", "A100", "V100"])
    host.steps(5, 100)
    for at in range(0, 500, 100):
        for gpu, length in enumerate((50, 50, 50, 90)):
            host.kernel(at, at + length, gpu)
            host.kernel(at + length, at + 100, gpu, ALL_REDUCE)
    found = fires(RULE, host)

    assert found.title == "Slower GPU model: GPU 3"
    assert "a V100, the others are A100" in found.summary
    assert found.claims == {}
    assert found.advice == "it is another model of GPU"


def after_the_step(gpu: int | None) -> Host:
    """Four GPUs compute for 60 of 100 ms; one works on for 28 ms, after the marker has ended."""
    host = Host(gpus=4)
    host.steps(6, 60, gap=40)

    def step(at: float) -> None:
        for every in range(4):
            host.kernel(at, at + 60, every)
        if gpu is not None:
            host.kernel(at + 60, at + 88, gpu, op="metrics/accuracy/Sum:Sum")

    each(6, 100, step)
    return host


def test_between_steps_siblings_wait_for_the_work_of_one_gpu() -> None:
    outcome = run_rules(RULES, inputs(after_the_step(0)))
    (found,) = [f for f in outcome.findings if f.id == "replica-imbalance"]

    assert outcome.findings[0].id == "replica-imbalance"
    assert found.saving is not None
    assert dict(found.saving.accounts) == {"idle.between_steps": 21_000_000}  # 28 ms less a quarter of it
    (rest,) = [f for f in (*outcome.findings[1:], *found.explains) if f.id == "step-gaps"]
    assert rest.saving is None or rest.saving.ns == 12_000_000


@pytest.mark.near_miss("below")
def test_gaps_in_which_no_gpu_works_are_not_claimed() -> None:
    outcome = run_rules(RULES, inputs(after_the_step(None)))

    assert [f.id for f in outcome.findings] == ["step-gaps"]


def test_of_stages_layers_are_moved() -> None:
    found = fires(RULE, pipeline(3, 4, work=(9, 4.5, 4.5)))

    assert found.advice == "it is a stage of the model"
