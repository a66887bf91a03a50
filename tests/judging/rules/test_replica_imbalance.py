"""One GPU has more work than the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import (
    ALL_REDUCE,
    Host,
    each,
    fires,
    inputs,
    passes,
    says,
    value,
)
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.several_gpus import replica_imbalance as rule
from tfperf_plugin.judging.rules.several_gpus.replica_imbalance import RULE


def training(*compute: float, together: float = 100) -> Host:
    """Steps of ``together`` ms: each GPU computes that long, then exchanges gradients until the end."""

    def step(host: Host, at: float) -> None:
        for gpu, length in enumerate(compute):
            host.kernel(at, at + length, gpu)
            host.kernel(at + length, at + together, gpu, ALL_REDUCE)

    return Host(gpus=len(compute)).trained(5, together, step)


def drawn(*gpus: Callable[[int], tuple[float, float]]) -> Host:
    """Steps of 100 ms, in each of which a GPU computes from the first to the second of these times."""
    host = Host(gpus=len(gpus)).steps(7, 100)
    for number in range(7):
        for gpu, span in enumerate(gpus):
            begin, end = span(number)
            host.kernel(100 * number + begin, 100 * number + end, gpu)
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "said"),
    [
        (training(54.9, 50, 50, 50), rule.EVEN),
        (training(50, 50, 50, 20), rule.EVEN),  # one with little work does not make the others heavy
        (drawn(lambda _: (0, 50), lambda _: (40, 90)), rule.EVEN),  # equal work that starts late
        (drawn(lambda n: (0, 100 if n == 2 else 50), lambda _: (0, 50)), rule.EVEN),  # one step with more
        # Batches make another GPU busiest: GPU 1 in two of three steps.
        (drawn(lambda n: (0, 40 if n % 3 else 80), lambda n: (0, 80 if n % 3 else 40)), rule.IN_TURN),
    ],
    ids=["small", "little work", "late start", "one step", "in turn"],
)
def test_what_is_no_imbalance(host: Host, said: str) -> None:
    passed = passes(RULE, host)

    assert says(passed, said)
    assert value(fires(RULE, training(55, 50, 50, 50)), "above the median") == pytest.approx(0.1)


def with_ops(*gpus: dict[str, float], name: str = "worker") -> Host:
    """Steps of 100 ms in which each GPU runs these ops one after another, then exchanges gradients."""

    def step(host: Host, at: float) -> None:
        for gpu, times in enumerate(gpus):
            begin = at
            for op, length in times.items():
                host.kernel(begin, begin + length, gpu, op=op)
                begin += length
            host.kernel(begin, at + 100, gpu, ALL_REDUCE)

    return Host(name, gpus=len(gpus)).trained(5, 100, step)


LAYERS: dict[str, float] = {f"model/layer/{name}:MatMul": 10.0 for name in ("a", "b", "c", "d", "e")}


def replica(number: int, ops: dict[str, float]) -> dict[str, float]:
    return {f"replica_{number}/{op}": length for op, length in ops.items()}


HEADS: dict[str, float] = {f"head/{name}/Mul:Mul": 4.0 for name in "abcdef"}
# They run there only, but make less than 80 % of the surplus.
TWICE: dict[str, float] = {f"head/{name}/x:Mul": 1.0 for name in "abcdef"}


@pytest.mark.parametrize(
    ("own", "others", "said"),
    [
        (
            {**LAYERS, "model/layer/a:MatMul": 30.0},
            LAYERS,
            "Most of the difference lies in model/layer/a:MatMul (20.0 ms).",
        ),
        (dict.fromkeys(LAYERS, 12.0), LAYERS, rule.ALL_LONGER),
        (
            {**HEADS, **TWICE},
            dict.fromkeys(HEADS, 1.0),
            "The difference is spread over 12 ops, most of all head/a/Mul:Mul (3.0 ms)",
        ),
    ],
    ids=["one op", "throughout", "spread"],
)
def test_where_the_surplus_lies_is_said(own: dict[str, float], others: dict[str, float], said: str) -> None:
    assert said in fires(RULE, with_ops(own, replica(1, others))).summary


@pytest.mark.near_miss("hidden")
def test_a_surplus_during_which_the_others_have_other_things_to_do_saves_nothing() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 80, 0)
        host.kernel(at, at + 50, 1)
        host.copy("H2D", at + 50, at + 80, 1)
        for gpu in range(2):
            host.kernel(at + 80, at + 100, gpu, ALL_REDUCE)

    host = Host(gpus=2).trained(5, 100, step)

    assert run_rules([RULE], inputs(host)).findings == ()


def test_of_several_hosts_the_uneven_one_is_named() -> None:
    even = with_ops(LAYERS, LAYERS, name="even")
    uneven = with_ops({**LAYERS, "metrics/Sum:Sum": 30.0}, LAYERS, name="uneven")
    found = fires(RULE, even, uneven)

    assert found.title == "Replica imbalance: GPU 0 of uneven"
    assert "metrics/Sum:Sum (30.0 ms)" in found.summary


def test_a_gpu_of_another_model_is_said_to_be_one() -> None:
    host = Host(gpus=4, model=["A100", "A100", "A100", "V100"]).steps(5, 100)
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
    host = Host(gpus=4).steps(6, 60, gap=40)

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
    assert found.saving and dict(found.saving.accounts) == {
        "idle.between_steps": 21_000_000
    }  # 28 ms less a quarter of it
    (rest,) = [f for f in (*outcome.findings[1:], *found.explains) if f.id == "step-gaps"]
    assert rest.saving is None or rest.saving.ns == 12_000_000


@pytest.mark.near_miss("below")
def test_gaps_in_which_no_gpu_works_are_not_claimed() -> None:
    outcome = run_rules(RULES, inputs(after_the_step(None)))

    assert [f.id for f in outcome.findings] == ["step-gaps"]
