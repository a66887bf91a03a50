"""Launches with fewer blocks than the GPU has multiprocessors, or with a last wave that fills few of them."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import (
    LOST_RATIO,
    Slow,
    blocks_count,
    grid_lost,
    lost_ratio,
    smallest,
)
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import JudgedOps, name
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import LEAST, too_little

SHARE = Threshold(
    "compute time that launches leave unused", 0.05, "ratio", "ours: in 77 profiles of training only 1.4 % of the time is in such launches",
)  # fmt: skip
LOST = Threshold(
    "multiprocessors' time that a launch leaves unused", LOST_RATIO, "ratio",
    "ours: less is within what products of any size vary by", fixed=True,
)  # fmt: skip

NO_UNITS = "The number of the GPU's multiprocessors was not recorded."
RECORD_ON_GPU = "Record on the GPU itself."
NOTHING = "No kernel ran in a judged step."
NO_GRIDS = "The grids of kernels were not recorded."
RECORD_GRIDS = "Record with device_tracer_level=1, the default."
LITTLE = "Launches that leave much of the GPU unused take {spent:percent} of the compute; {lost:percent} of the compute is lost by that."
SMALL = (
    "{n:op takes|ops take} {spent:ms} of the step, {share:percent} of its compute, in launches that leave {lost:percent} of "
    "the GPU unused meanwhile, {few} of them with fewer blocks than it has multiprocessors ({units}). The longest is "
    "{name}: {grid}. A larger batch would fill the GPU in about the same time."
)
GRID = "{n:blocks} for {units} multiprocessors"
LAST_WAVE = "{n:blocks} for {units} multiprocessors, whose last wave leaves {lost:percent} unused"


def judge(ledger: Ledger, bounds: Bounds, slow: Slow, devices: Devices) -> Verdict:
    """Sums what runs in launches that leave much of the GPU unused."""
    gpu = smallest(devices)
    if not gpu or not gpu.multiprocessors_count:
        return Missing(NO_UNITS, RECORD_ON_GPU)
    if not bounds.ops:
        return NotApplicable(NOTHING)
    if not any(blocks_count(op.details) for op in bounds.ops.values()):
        return Missing(NO_GRIDS, RECORD_GRIDS)
    ops, units = JudgedOps.of(slow, "small-grids").longest_first, gpu.multiprocessors_count
    spent, lost = ops.spent_ns, ops.per_step(lambda op: grid_lost(op, gpu) * op.compute_ns)
    compute = max(1, bounds.per_step(bounds.total_ns))
    share, of_step = lost / compute, lost / max(1, ledger.step_ns)
    if share < SHARE.value or too_little(lost, ledger.step_ns):
        return Passed(say(LITTLE, spent=spent / compute, lost=share))
    few = sum(1 for op in ops.ops if blocks_count(op.details) < units)
    told = {
        "spent": spent,
        "share": spent / compute,
        "lost": lost / max(1, spent),
        "few": few,
        "units": units,
    }
    return Found(
        summary=say(SMALL, n=len(ops.ops), name=name(ops.ops[0]), grid=_grid(ops.ops[0], gpu, units), **told),
        evidence=(
            Evidence(
                "compute time that launches leave unused", share, "ratio", SHARE.value, "account Compute"
            ),
            Evidence("time of these launches", spent, "ns", None, "per step and GPU"),
            Evidence(
                "unused of it",
                lost,
                "ns",
                None,
                "free multiprocessors × time, at most the time above the floor",
            ),
            Evidence("unused time as a share of the step", of_step, "ratio", LEAST.value, "step budget"),
            Evidence("multiprocessors of the GPU", units, "count", None, "device properties"),
            *ops.evidence(lambda op: op.compute_ns, lambda op: f"{_grid(op, gpu, units)}; {op.kernel[:60]}"),
        ),
        where=ops.places("launch that leaves multiprocessors unused"),
        severity="info",
        impact_ratio=of_step,
        confidence="medium",
    )


def _grid(op: OpBound, gpu: DeviceInfo, units: int) -> str:
    blocks = blocks_count(op.details)
    lost = lost_ratio(op.kernel, op.details, gpu)
    return say(GRID if blocks < units else LAST_WAVE, n=blocks, units=units, lost=lost)


RULE = declared(judge, thresholds=(SHARE, LOST), explained_by=("batch-too-small",))
