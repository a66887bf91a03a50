"""What a finding promises against what it brings: the cause removed in the simulator, and the step measured.

Savings must not promise much more than comes true, and should not promise much less.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from demo.build import training
from demo.formats import XSPACE, Format
from demo.simulator import Training, simulate
from demo.simulator.models import ConvNet
from demo.simulator.training import MILLISECOND_NS, Launching
from tests.judging.rules.test_simulated_causes import LATE_HOST
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report

# Of the step: how much too much a saving may be, and how much too little.
TOO_MUCH, TOO_LITTLE = 0.02, 0.08

SLOW, EXPOSED, MANY = (training(f"allreduce_{n}") for n in ("slow", "exposed", "fragmented"))
WAIT, STAGGER, HOST = training("allreduce_wait"), training("gpu_stagger"), training("slow_host")
COPIES, MORE = training("d2d_copies"), training("replica_imbalance")
MODEL = MORE.model
assert isinstance(MODEL, ConvNet)
LATE = replace(STAGGER, launching=Launching(late_gpu=2, late_ns=3_000_000))

# Rule, training with the cause, training without it.
CASES: dict[str, tuple[str, Training, Training]] = {
    "slow link": (
        "allreduce-slow", SLOW, replace(SLOW, communication=replace(SLOW.communication, link_gbps=None)),
    ),
    "slow link, many calls": (
        "allreduce-slow",
        replace(SLOW, communication=replace(SLOW.communication, buckets=40)),
        replace(SLOW, communication=replace(SLOW.communication, buckets=40, link_gbps=None)),
    ),
    "nothing overlaps": (
        "allreduce-exposed",
        EXPOSED,
        replace(EXPOSED, communication=replace(EXPOSED.communication, overlap=True)),
    ),
    "many calls": (
        "allreduce-fragmented", MANY, replace(MANY, communication=replace(MANY.communication, buckets=4)),
    ),
    "uneven batches": ("allreduce-wait", WAIT, replace(WAIT, uneven_batches=0.0)),
    "slow host": ("slow-host", HOST, replace(HOST, slow_host=None)),
    "input of one host": (
        "step-outliers", LATE_HOST, replace(LATE_HOST, input=replace(LATE_HOST.input, map_ns=MILLISECOND_NS)),
    ),
    "one thread": (
        "gpu-stagger",
        STAGGER,
        replace(STAGGER, launching=replace(STAGGER.launching, shared_thread=False, private_threads=True)),
    ),
    "late thread": ("gpu-stagger", LATE, replace(LATE, launching=Launching())),
    "copies between GPUs": ("d2d-copies", COPIES, replace(COPIES, peer_copies=())),
    "work shared out evenly": (
        "replica-imbalance",
        MORE,
        replace(MORE, model=replace(MODEL, batch=round(MODEL.batch * 1.075)), extra_on_first_gpu=0.0),
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


def assert_keeps_its_promise(case: tuple[str, Training, Training], folder: Path) -> None:
    rule, with_cause, without = case
    before, after = report_on(with_cause, folder / "before"), report_on(without, folder / "after")

    assert before.findings[0].id == rule
    saving = before.findings[0].saving
    assert saving is not None
    gain_ns = mean_of_all_ns(before) - mean_of_all_ns(after)
    error = (saving.ns - gain_ns) / mean_of_all_ns(before)
    assert -TOO_LITTLE <= error <= TOO_MUCH, f"promised {saving.ns} ns of {gain_ns} ns"
    assert rule not in [f.id for f in after.findings if f.severity != "info"]


@pytest.mark.parametrize("case", CASES)
def test_the_promise_is_what_it_brings(case: str, tmp_path: Path) -> None:
    assert_keeps_its_promise(CASES[case], tmp_path)
