"""Pairs of simulated trainings: the verdict, and every change, against what really happened."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import pytest
from msgspec.structs import replace

from demo.accuracy.measure import report_on, simulated_step_ns
from demo.build import training
from demo.simulator import Training, simulate
from demo.simulator.devices import H100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import InputPipeline, Launching
from tests.compare.test_compare import compare
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.report.model import Report, Workload
from tfperf_plugin.report.options import Options

INPUT, STAGGER, GAPS = training("input_bound"), training("gpu_stagger"), training("step_gaps")
PRECISION, SLOW, EAGER = (
    training("mixed_precision_off"),
    training("allreduce_slow"),
    training("eager_execution"),
)
STEADY = dataclasses.replace(GAPS, between_steps=())
FAST_LINK = dataclasses.replace(SLOW, communication=dataclasses.replace(SLOW.communication, link_gbps=None))

# Training with the cause, without it, the finding that goes.
CAUSES: dict[str, tuple[Training, Training, str]] = {
    "input": (INPUT, dataclasses.replace(INPUT, input=InputPipeline()), "input-bound"),
    "stagger": (STAGGER, dataclasses.replace(STAGGER, launching=Launching()), "gpu-stagger"),
    "gaps": (GAPS, STEADY, "step-gaps"),
    "precision": (PRECISION, dataclasses.replace(PRECISION, precision="fp16"), "mixed-precision-off"),
    "slow link": (SLOW, FAST_LINK, "allreduce-slow"),
    "eager": (EAGER, dataclasses.replace(EAGER, eager=False), "eager-execution"),
}


@lru_cache(maxsize=32)
def seen(job: Training) -> tuple[Report, int]:
    """What the report says of a training, and its true step in ns."""
    simulation = simulate(job)
    return report_on(simulation.files, Options()), simulated_step_ns(job, simulation.truth)


def report(job: Training) -> Report:
    return seen(job)[0]


def assert_adds_up(result: Comparison) -> None:
    assert result.times
    rows = result.accounts
    assert sum(a.base_ns for a in rows) == result.times.base_ns
    assert sum(a.new_ns for a in rows) == result.times.new_ns
    assert sum(a.delta_ns for a in rows) == result.times.delta_ns
    assert all(a.delta_ns == a.new_ns - a.base_ns for a in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", CAUSES)
def test_a_cause_that_is_removed_makes_the_run_better_by_what_it_really_cost(name: str) -> None:
    with_cause, without, rule = CAUSES[name]
    (before, slow_ns), (after, fast_ns) = seen(with_cause), seen(without)

    result = compare(before, after)

    assert result.verdict == "better"
    assert_adds_up(result)
    assert result.times
    assert result.times.delta_ns == pytest.approx(fast_ns - slow_ns, abs=0.01 * slow_ns)
    assert {f.id for f in result.findings if f.status == "vanished"} >= {rule}
    assert result.prediction
    assert rule in result.prediction.findings
    assert result.prediction.measured_ns == -result.times.delta_ns
    assert result.prediction.promised_ns + result.prediction.other_ns == result.prediction.measured_ns
    assert abs(result.prediction.other_ns) <= 0.05 * slow_ns

    back = compare(after, before)
    assert back.verdict == "worse"
    assert_adds_up(back)
    assert {f.id for f in back.findings if f.status == "appeared"} >= {rule}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", ["steady", "uneven batches", "noisy input"])
def test_the_same_training_again_is_the_same(name: str, seed: int) -> None:
    small = ConvNet(batch=64, blocks_per_stage=1)
    job = {
        "steady": Training(model=small, jitter=0.1),
        "uneven batches": Training(model=small, gpus=2, uneven_batches=0.3),
        "noisy input": dataclasses.replace(INPUT, jitter=0.05),
    }[name]

    result = compare(report(job), report(dataclasses.replace(job, seed=seed)))

    assert result.verdict == "same"
    assert result.times
    assert abs(result.times.delta_ns) <= result.times.noise_ns


def test_another_model_or_device_cannot_be_compared() -> None:
    model = compare(report(STEADY), report(dataclasses.replace(STEADY, model=Transformer(layers=2))))
    device = compare(report(STEADY), report(dataclasses.replace(STEADY, device=H100)))
    deeper = compare(
        report(dataclasses.replace(STEADY, model=Transformer(layers=2))),
        report(dataclasses.replace(STEADY, model=Transformer(layers=3))),
    )

    assert {r.verdict for r in (model, device, deeper)} == {"cannot_compare"}
    assert any("Another model: layers differ" in reason for reason in model.reasons)
    assert any("4 BatchMatMul before, 6 now" in reason for reason in deeper.reasons)
    assert any("Other GPUs: NVIDIA A100-SXM4-40GB before, NVIDIA H100" in reason for reason in device.reasons)
    assert all(r.times is None and not r.accounts and r.prediction is None for r in (model, device, deeper))


def test_another_batch_is_compared_by_example_if_both_are_recorded_and_else_not_at_all() -> None:
    assert isinstance(STEADY.model, ConvNet)
    twice = dataclasses.replace(STEADY, model=dataclasses.replace(STEADY.model, batch=2 * STEADY.model.batch))
    small, large = report(STEADY), report(twice)

    unknown = compare(small, large)
    assert unknown.verdict == "cannot_compare"
    assert any("whether it holds another number of examples is not recorded" in r for r in unknown.reasons)

    known = compare(with_batch(small, 64), with_batch(large, 128))
    assert known.basis == "examples"
    assert known.times and small.ledger and large.ledger
    assert known.times.examples == 2
    assert known.times.new_ns == round(large.ledger.step_ns / 2)
    assert_adds_up(known)
    # The optimizer, and what every step costs once, is shared by more examples: less than launches differ by.
    assert -0.03 < known.times.change < 0
    assert known.verdict == "same"
    assert known.reasons[0].startswith("The same work takes")
    assert compare(with_batch(small, 64), with_batch(large, 128), drift=0.01).verdict == "better"


def with_batch(of: Report, batch_size: int) -> Report:
    return replace(of, workload=replace(of.workload, batch_size=batch_size))


def test_compiling_by_xla_is_no_other_model() -> None:
    compiled = dataclasses.replace(
        SLOW, communication=dataclasses.replace(SLOW.communication, launcher="xla")
    )

    result = compare(report(SLOW), report(compiled))

    assert result.verdict == "same"
    assert any("Whether the model is the same cannot be told" in caveat for caveat in result.caveats)


def test_what_runs_on_more_gpus_is_a_question_of_scaling() -> None:
    one = dataclasses.replace(SLOW, gpus=1)
    (single, single_ns), (quad, quad_ns) = seen(one), seen(SLOW)

    result = compare(single, quad)

    scaling = result.scaling
    assert result.verdict == "better"
    assert scaling
    assert (scaling.kind, scaling.fewer_gpus, scaling.more_gpus, scaling.fewer) == ("weak", 1, 4, "base")
    assert scaling.efficiency == pytest.approx(single_ns / quad_ns, abs=0.01)
    assert scaling.speedup == pytest.approx(4 * single_ns / quad_ns, abs=0.04)
    assert sum(a.base_ns for a in scaling.accounts) == scaling.ideal_ns
    assert sum(a.new_ns for a in scaling.accounts) == scaling.step_ns
    assert sum(a.delta_ns for a in scaling.accounts) == scaling.lost_ns
    most = max(scaling.accounts, key=lambda a: a.delta_ns)
    assert most.id == "communication.transfer"
    assert most.delta_ns == pytest.approx(scaling.lost_ns, rel=0.1)
    assert result.prediction is None

    back = compare(quad, single).scaling
    assert back
    assert back.fewer == "new"
    assert (back.efficiency, back.accounts) == (scaling.efficiency, scaling.accounts)


def test_the_kind_of_scaling_is_what_the_trainings_recorded() -> None:
    assert isinstance(SLOW.model, ConvNet)
    split = dataclasses.replace(SLOW, model=dataclasses.replace(SLOW.model, batch=SLOW.model.batch // 4))
    one, four = report(dataclasses.replace(SLOW, gpus=1)), report(split)

    unknown = compare(one, four)
    assert unknown.verdict == "cannot_compare"
    assert any("what a step holds cannot be told" in reason for reason in unknown.reasons)

    strong = compare(with_batch(one, 256), with_batch(four, 256)).scaling
    assert strong and one.ledger and four.ledger
    assert strong.kind == "strong"
    assert strong.ideal_ns == round(one.ledger.step_ns / 4)
    assert strong.speedup == pytest.approx(one.ledger.step_ns / four.ledger.step_ns)


def test_the_layers_of_a_workload_are_those_of_the_model() -> None:
    assert report(STEADY).workload == Workload(
        layers=report(GAPS).workload.layers,
        pipeline_batch_bytes=report(GAPS).workload.pipeline_batch_bytes,
        framework="TensorFlow",
        keras=True,
    )
    assert report(EAGER).workload.layers is None
    four = report(SLOW).workload.layers
    assert four == report(dataclasses.replace(SLOW, gpus=1)).workload.layers
