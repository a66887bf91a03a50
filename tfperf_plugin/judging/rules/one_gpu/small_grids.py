"""Launches with fewer blocks than the GPU has multiprocessors, or with a last wave that fills few of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_own, plain_kernel
from tfperf_plugin.analysis.artifacts.compute.ops import read_details
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.sequences import SHORT_NS
from tfperf_plugin.analysis.artifacts.compute.slow import (
    LOST_RATIO,
    Slow,
    blocks_count,
    grid_lost,
    lost_ratio,
    smallest,
    threads_lost,
)
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable, Place, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import SHOWN_COUNT, name
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, severity_of, too_little
from tfperf_plugin.judging.engine.words import say, short_name
from tfperf_plugin.records import Record

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
    "{n:kernel takes|kernels take} {spent:ms} of the step, {share:percent} of its compute, in launches that leave {lost:percent} of "
    "the GPU unused meanwhile, {few} of them with fewer blocks than it has multiprocessors ({units}). The longest is "
    "{name}: {grid}."
)
LARGER_BATCH = "A larger batch would fill the GPU in about the same time."
CAUSE = "{name} takes {longest:ms} of the step in {grid}."
SPREAD = "With as many threads as the GPU holds, they would take {best:ms} at best."
GRID = "{n:blocks} for {units} multiprocessors"
OWN_GRID = "{n:blocks} of {threads:threads} for {units} multiprocessors"
LAST_WAVE = "{n:blocks} for {units} multiprocessors, whose last wave leaves {lost:percent} unused"
BASIS = "time of the program's own kernels × threads that the GPU could hold beside theirs, if all can share the work"


class _Small(Record, frozen=True):
    """The launches of an op, or of a kernel whose op's work is not known, that leave much of the GPU unused."""

    name: str
    kernel: str
    details: str
    spent_ns: int
    lost_ns: float
    longest: tuple[int, Place]
    own: bool = False  #: Whether the program launches a kernel of its own.

    def grid(self, gpu: DeviceInfo, units: int) -> str:
        """How its blocks fill the GPU."""
        blocks, size = blocks_count(self.details), read_details(self.details).block
        return say(
            LAST_WAVE if blocks >= units else OWN_GRID if self.own and size else GRID,
            n=blocks,
            threads=math.prod(map(int, size.split(","))) if size else 0,
            units=units,
            lost=lost_ratio(self.kernel, self.details, gpu),
        )


def judge(
    ledger: Ledger, bounds: Bounds, slow: Slow, devices: Devices, kernels: Kernels, program: Program
) -> Verdict:
    """Sums what runs in launches that leave much of the GPU unused."""
    gpu = smallest(devices)
    if not gpu or not gpu.multiprocessors_count:
        return Missing(NO_UNITS, RECORD_ON_GPU)
    if not bounds.ops:
        return NotApplicable(NOTHING)
    if not any(blocks_count(op.details) for op in bounds.ops.values()):
        return Missing(NO_GRIDS, RECORD_GRIDS)
    small = [*_of_ops(slow, gpu), *_of_kernels(kernels, bounds, gpu, program.has_own_kernels)]
    owned = [one for one in small if one.own]
    claims = severity_of(bounds.per_step(sum(one.lost_ns for one in owned)), ledger.step_ns) is not None
    small = sorted(owned if claims else small, key=lambda one: -one.spent_ns)
    spent = bounds.per_step(sum(one.spent_ns for one in small))
    lost = bounds.per_step(sum(one.lost_ns for one in small))
    compute, units = max(1, bounds.per_step(bounds.total_ns)), gpu.multiprocessors_count
    share, of_step = lost / compute, lost / max(1, ledger.step_ns)
    if share < SHARE.value or too_little(lost, ledger.step_ns):
        return Passed(say(LITTLE, spent=spent / compute, lost=share))
    told = {
        "n": len(small),
        "spent": spent,
        "share": spent / compute,
        "lost": lost / max(1, spent),
        "few": sum(1 for one in small if blocks_count(one.details) < units),
        "units": units,
        "name": small[0].name,
        "longest": bounds.per_step(small[0].spent_ns),
        "grid": small[0].grid(gpu, units),
        "best": spent - lost,
    }
    return Found(
        summary=say(SMALL, SPREAD if claims else LARGER_BATCH, **told),
        cause=say(CAUSE if claims else "", **told),
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
                "free multiprocessors, or threads, × time, at most the time above the floor",
            ),
            Evidence("unused time as a share of the step", of_step, "ratio", LEAST.value, "step budget"),
            Evidence("multiprocessors of the GPU", units, "count", None, "device properties"),
            *(
                Evidence(
                    one.name,
                    bounds.per_step(one.spent_ns),
                    "ns",
                    None,
                    f"{one.grid(gpu, units)}; {one.kernel[:60]}",
                )
                for one in small[:SHOWN_COUNT]
            ),
        ),
        where=Places.of(one.longest for one in small).all("launch that leaves multiprocessors unused"),
        claims={"compute": lost} if claims else {},
        kernels=tuple(dict.fromkeys(one.kernel for one in small)),
        basis=BASIS if claims else "",
        advice="kernels of the program" if claims else "",
        severity=None if claims else "info",
        impact_ratio=of_step,
        confidence="low" if claims else "medium",
    )


def _of_ops(slow: Slow, gpu: DeviceInfo) -> Iterator[_Small]:
    for op in slow.ops("small-grids"):
        lost_ns = grid_lost(op, gpu) * op.compute_ns
        yield _Small(name(op), op.kernel, op.details, op.compute_ns, lost_ns, (op.longest_ns, op.longest))


def _of_kernels(kernels: Kernels, bounds: Bounds, gpu: DeviceInfo, own: bool) -> Iterator[_Small]:
    """Kernels of ops whose work is not known, in the time in which no other kernel runs.

    Whether memory limits them is not known, so only launches with fewer blocks than multiprocessors count.
    """
    judged = {name for (_, name), op in bounds.ops.items() if not op.not_judged}
    for row in kernels.rows:
        if plain_op(row.op) in judged:
            continue
        spent = {
            details: times.total_ns * row.alone_ns // max(1, row.times.total_ns)
            for (details, _), times in row.launches.items()
            if times.mean_ns > SHORT_NS
            and blocks_count(details) < (gpu.multiprocessors_count or 0)
            and lost_ratio(row.name, details, gpu) >= LOST_RATIO
        }
        its_own = own and is_own(row.name)
        lost = threads_lost if its_own else lost_ratio
        if spent:
            yield _Small(
                short_name(plain_kernel(row.name)),
                row.name,
                max(spent, key=lambda details: spent[details]),
                sum(spent.values()),
                sum(lost(row.name, details, gpu) * ns for details, ns in spent.items()),
                row.longest,
                its_own,
            )


RULE = declared(judge, thresholds=(SHARE, LOST), explained_by=("batch-too-small",), keeps_launches=True)
