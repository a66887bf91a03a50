"""Causes on several GPUs and hosts that have no demo run of their own: which finding comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.build import training
from demo.simulator import Training, simulate
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import (
    MILLISECOND_NS,
    Communication,
    InputPipeline,
    SlowHost,
    UnevenOp,
)
from demo.simulator.variants import WithEmbedding
from tests.builders import decoded, inputs_of_run
from tests.judging.rules.test_healthy_jobs import BASE
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding


def analyse(job: Training) -> Inputs:
    return inputs_of_run(decoded(simulate(job).files))


def findings(inputs: Inputs) -> tuple[Finding, ...]:
    return tuple(f for f in run_rules(RULES, inputs).findings if f.severity != "info")


SMALL = ConvNet(batch=192, blocks_per_stage=1)
STAGGER = training("gpu_stagger")
LATE_INPUT = InputPipeline(
    read_ns=MILLISECOND_NS // 5,
    map_ns=20 * MILLISECOND_NS,
    map_parallelism=1,
    prefetch_to_device=False,
    own_iterators=True,
    late_gpu=2,
    late_factor=3.0,
)
LATE_HOST = replace(
    BASE,
    model=ConvNet(batch=64),
    steps=12,
    gpus=4,
    hosts=4,
    input=InputPipeline(map_ns=16 * MILLISECOND_NS),
    slow_host=SlowHost(2, cpu_factor=4.0),
    communication=Communication(network_gbps=100),
)
JOBS: dict[str, tuple[str, Training]] = {
    "rotating order": ("gpu-stagger", replace(STAGGER, launching=replace(STAGGER.launching, rotating=True))),
    "input late for one GPU": (
        "input-bound", replace(BASE, model=ConvNet(batch=512), gpus=4, input=LATE_INPUT),
    ),
    "stages that hand over by copies": (
        "gpus-run-serially", replace(BASE, model=ConvNet(batch=256), gpus=3, pipeline_stages=True),
    ),
    "few micro-batches, sent by the library": (
        "pipeline-bubble",
        replace(
            BASE, model=Transformer(batch=64, layers=7), gpus=2, pipeline_stages=True, micro_batches=2,
            handed_over="nccl",
        ),
    ),
    "a host with a slow processor": (
        "slow-host",
        replace(BASE, model=SMALL, gpus=2, hosts=4, slow_host=SlowHost(1, cpu_factor=30.0)),
    ),
}  # fmt: skip


def test_gpus_that_wait_for_the_transfer_between_groups_wait_for_nobody() -> None:
    """A hierarchical exchange over a slow network: the broadcast waits for data, not for a late GPU."""
    slow = replace(BASE.communication, reduction="hierarchical", network_gbps=4.0)
    job = replace(BASE, model=ConvNet(batch=256), gpus=2, hosts=4, communication=slow)
    inputs = analyse(job)
    assert inputs.ledger is not None
    average = inputs.ledger.average()

    assert "allreduce-wait" not in [f.id for f in findings(inputs)]
    assert average["communication.wait"] < 0.02 * inputs.ledger.step_ns
    assert average["communication.transfer"] > 0.2 * inputs.ledger.step_ns


def test_more_work_on_one_gpu_of_a_host_does_not_make_the_host_slow() -> None:
    job = replace(BASE, model=ConvNet(batch=256), gpus=2, hosts=4, extra_on_first_gpu=0.5)
    found = [f.id for f in findings(analyse(job))]

    assert "replica-imbalance" in found
    assert "slow-host" not in found


@pytest.mark.parametrize("name", JOBS)
def test_the_cause_comes_first(name: str) -> None:
    rule, job = JOBS[name]

    assert [f.id for f in findings(analyse(job))][:1] == [rule]


def _wait(job: Training) -> Finding:
    return next(f for f in findings(analyse(job)) if f.id == "allreduce-wait")


def test_an_op_that_takes_longer_on_the_gpu_that_comes_last_is_named() -> None:
    """Which GPU that is changes from step to step, and all other ops take the same time on all."""
    table = WithEmbedding(Transformer(), 65_536, 64, 0.8, exchanged=True)
    op = UnevenOp("UnsortedSegmentSum", 20 * MILLISECOND_NS)
    found = _wait(replace(BASE, model=table, gpus=4, uneven_op=op))

    assert "embedding_lookup/UnsortedSegmentSum takes longer on the one that comes last" in found.cause
    assert found.action.endswith("takes longer on some GPUs")
    assert found.where[0].label.endswith("embedding_lookup/UnsortedSegmentSum")


def test_no_op_is_named_where_all_take_longer() -> None:
    """A near-miss: batches of sequences of different length."""
    table = WithEmbedding(Transformer(), 65_536, 64, 0.8, exchanged=True)
    found = _wait(replace(BASE, model=table, gpus=4, uneven_batches=0.5))

    assert found.cause.endswith("different GPUs come last.")


def test_late_input_of_one_gpu_is_no_stagger() -> None:
    found = findings(analyse(JOBS["input late for one GPU"][1]))

    assert "gpu-stagger" not in [f.id for f in found]
    assert "GPU 2" in found[0].summary


def test_hosts_that_wait_for_the_input_of_another_are_part_of_the_finding() -> None:
    found = findings(analyse(LATE_HOST))

    assert found[0].id == "step-outliers"  # in two steps of ten
    assert "On worker2 it is Input wait, 10.3 ms in each of them; other hosts wait" in found[0].summary
    assert found[0].action.startswith("Keep more batches ready")
    assert [f.id for f in found][1:] == ["slow-host"]  # its slow processor, in the other steps
    assert "allreduce-wait" not in [f.id for f in found]
