"""What findings promise against what they bring: the cause removed in the simulator, and the step measured.

Savings must not promise much more than comes true, and should not promise much less. ``demo.accuracy.pairs``
has each scenario as it is; here are other devices, strengths and recordings of the same causes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from demo.build import training
from demo.formats import XSPACE, Format
from demo.simulator import Training, simulate
from demo.simulator.devices import A100, H100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import (
    MICROSECOND_NS,
    MILLISECOND_NS,
    Communication,
    Detour,
    Launching,
    LossScaling,
)
from tests.judging.rules.test_simulated_causes import LATE_HOST
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report

# Of the step: how much too much a saving may be, and how much too little.
TOO_MUCH, TOO_LITTLE = 0.02, 0.08


def changed(scenario: str, **changes: Any) -> Training:
    return replace(training(scenario), **changes)


def communicating(job: Training, **changes: Any) -> Training:
    return replace(job, communication=replace(job.communication, **changes))


SLOW = communicating(training("allreduce_slow"), buckets=40)
MORE, MODEL = training("replica_imbalance"), training("replica_imbalance").model
assert isinstance(MODEL, ConvNet)
LATE = changed("gpu_stagger", launching=Launching(late_gpu=2, late_ns=3_000_000))
SMALL_OPS = tuple(Detour(f"model/cell_{n}/Where", 20_000, 400_000, n / 12) for n in range(12))
MANY_OPS = changed(
    "host_op_in_step", model=ConvNet(batch=96, table_parameters=2_900_000_000), detours=SMALL_OPS
)
LOSS_LATE = changed("host_op_in_step", readback_lag=0, generation="old")
READING = training("host_sync_in_step").readings[0]
FEW = changed(
    "host_sync_in_step",
    device=A100,
    generation="trace",
    readings=(replace(READING, count=12, host_ns=90_000),),
)
SCALING = changed(
    "dynamic_loss_scaling",
    device=H100,
    generation="keras3",
    model=Transformer(batch=96, length=128, hidden=512, layers=16),
    loss_scaling=LossScaling(switch_ns=10_000),
)
CONTENTION = training("host_thread_contention")
BUSIER = replace(CONTENTION, input=replace(CONTENTION.input, map_ns=49 * MILLISECOND_NS))
OWN_THREADS = Launching(private_threads=True)
SLOW_PYTHON = changed("eager_execution", launching=Launching(python_ns=150 * MICROSECOND_NS))
LARGE_BATCH = changed("eager_execution", model=ConvNet(batch=128), readback_lag=0)
EVERY_THIRD = changed("function_retracing", retrace_every=3, steps=16)
OF_KERAS = changed("function_retracing", generation="keras3", readback_lag=0)
OLD = changed("xla_recompilation", recompile_every=1, generation="old")
ON_FOUR = changed("xla_recompilation", gpus=4, recompile_every=2, communication=Communication(launcher="xla"))
RARE = training("step_outliers").between_steps
SILENT = changed("step_outliers", between_steps=tuple(replace(w, op="", every=4) for w in RARE))

# Rule, training with the cause, training without it.
CASES: dict[str, tuple[str, Training, Training]] = {
    "slow link, many calls": ("allreduce-slow", SLOW, communicating(SLOW, link_gbps=None)),
    "nothing overlaps": (
        "allreduce-exposed",
        training("allreduce_exposed"),
        communicating(training("allreduce_exposed"), overlap=True),
    ),
    "many calls": (
        "allreduce-fragmented",
        training("allreduce_fragmented"),
        communicating(training("allreduce_fragmented"), buckets=4),
    ),
    "uneven batches": (
        "allreduce-wait", training("allreduce_wait"), changed("allreduce_wait", uneven_batches=0.0),
    ),
    "slow host": ("slow-host", training("slow_host"), changed("slow_host", slow_host=None)),
    "input of one host": (
        "step-outliers", LATE_HOST, replace(LATE_HOST, input=replace(LATE_HOST.input, map_ns=MILLISECOND_NS)),
    ),
    "late thread": ("gpu-stagger", LATE, replace(LATE, launching=Launching())),
    "copies between GPUs": ("d2d-copies", training("d2d_copies"), changed("d2d_copies", peer_copies=())),
    "work shared out evenly": (
        "replica-imbalance",
        MORE,
        replace(MORE, model=replace(MODEL, batch=round(MODEL.batch * 1.075)), extra_on_first_gpu=0.0),
    ),
    "one long op, loss read in every step": ("host-op-in-step", LOSS_LATE, replace(LOSS_LATE, detours=())),
    "many short ops": ("host-op-in-step", MANY_OPS, replace(MANY_OPS, detours=())),
    "twelve waits": ("host-sync-in-step", FEW, replace(FEW, readings=())),
    "loss scaling of Keras 3": ("dynamic-loss-scaling", SCALING, replace(SCALING, loss_scaling=None)),
    "contention": ("host-thread-contention", CONTENTION, replace(CONTENTION, launching=OWN_THREADS)),
    "more contention": ("host-thread-contention", BUSIER, replace(BUSIER, launching=OWN_THREADS)),
    "eager, slower Python": ("eager-execution", SLOW_PYTHON, changed("eager_execution", eager=False)),
    "eager, larger batch": ("eager-execution", LARGE_BATCH, replace(LARGE_BATCH, eager=False)),
    "traced in every third step": (
        "function-retracing", EVERY_THIRD, replace(EVERY_THIRD, retrace_every=0),
    ),
    "traced, Keras, the loss read in each step": (
        "function-retracing", OF_KERAS, replace(OF_KERAS, retrace_every=0),
    ),
    "compiled in each step, old TensorFlow": ("xla-recompilation", OLD, replace(OLD, recompile_every=0)),
    "compiled on four GPUs": ("xla-recompilation", ON_FOUR, replace(ON_FOUR, recompile_every=0)),
    "checkpoint, silent": ("step-outliers", SILENT, replace(SILENT, between_steps=())),
    "images after each step": (
        "step-gaps",
        training("case_heavy_post_processing"),
        changed("case_heavy_post_processing", between_steps=()),
    ),
}  # fmt: skip


def report_on(job: Training, folder: Path, written: Format = XSPACE) -> Report:
    for host, data in simulate(job, written.encode).files.items():
        path = folder / written.place.format(host=host)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (run,) = find_runs(str(folder))
    return build_report(run)


def mean_of_all_ns(report: Report) -> float:
    """The mean step, rare long ones included."""
    return fmean(
        (item.end_ms - item.begin_ms) * 1e6
        for item in report.steps.items
        if item.judged or "far longer" in item.note
    )


@pytest.mark.parametrize("case", CASES)
def test_the_promise_is_what_it_brings(case: str, tmp_path: Path) -> None:
    rule, with_cause, without = CASES[case]
    before, after = report_on(with_cause, tmp_path / "before"), report_on(without, tmp_path / "after")

    assert before.findings[0].id == rule
    saving = before.findings[0].saving
    assert saving is not None
    gain_ns = mean_of_all_ns(before) - mean_of_all_ns(after)
    error = (saving.ns - gain_ns) / mean_of_all_ns(before)
    assert -TOO_LITTLE <= error <= TOO_MUCH, f"promised {saving.ns} ns of {gain_ns} ns"
    assert rule not in [f.id for f in after.findings if f.severity != "info"]
