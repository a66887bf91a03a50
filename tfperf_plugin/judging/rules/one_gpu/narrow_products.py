"""Layers with fewer channels or units than a tile of a matrix kernel has rows."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import SLOW_TIMES, TILE_ROWS, Slow, narrow_side
from tfperf_plugin.analysis.artifacts.compute.tiles import tile_of
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import JudgedOps, judged
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing, say

SHARE = Threshold("time above the floor as a share of the step", 0.05, "ratio", "as for a warning")
TILE = Threshold(
    "channels or units of a layer", TILE_ROWS, "count",
    "rows of the smallest tile of usual kernels, such as sgemm_32x32", fixed=True, side="<")  # fmt: skip
TIMES = Threshold(
    "time over that of a good library", SLOW_TIMES, "times", "as for slow products", fixed=True, side=">"
)
MOST = Threshold(
    "share of the step for a warning", 0.20, "ratio", "as for a critical saving: a wider layer saves none"
)

NONE = "Products of layers with fewer than {least} channels or units were not seen to be slow."
LITTLE = "Products of layers with fewer than {least} channels or units take {share:percent} of the step above their floor."
NARROW = (
    "Layers with {sides} channels or units are too narrow for this GPU: products of {n:size|sizes} take {spent:ms} of the "
    "step, at {reached:percent} of the peak. A kernel computes {rows} of them at a time, however few there are: "
    "{padding:percent} of what it computes is padding. 16 bit does not change that; a layer with {least} channels takes "
    "little longer."
)


def judge(ledger: Ledger, bounds: Bounds, slow: Slow) -> Verdict:
    """Sums products whose layers are too narrow for a tile and that take long for their work."""
    known = judged(bounds)
    if not isinstance(known, tuple):
        return known
    ops = JudgedOps.of(slow, "narrow-products").longest_first
    spent, needed, reached = ops.spent_ns, ops.needed_ns, ops.share_of_peak
    share = (spent - needed) / max(1, ledger.step_ns)
    if share < SHARE.value:
        return Passed(say(LITTLE if ops.ops else NONE, least=TILE_ROWS, share=share))
    sides = listing([str(side) for side in sorted({narrow_side(op) for op in ops.ops})])
    empty = sum((1 - narrow_side(op) / _rows(op)) * op.compute_ns for op in ops.ops)
    padding = empty / max(1, sum(op.compute_ns for op in ops.ops))
    told = {"sides": sides, "n": len(ops.ops), "spent": spent, "reached": reached, "padding": padding}
    return Found(
        summary=say(NARROW, rows=_rows(ops.ops[0]), least=TILE_ROWS, **told),
        evidence=(
            Evidence("time above what good libraries need", share, "ratio", SHARE.value, "of the step"),
            Evidence("products of narrow layers", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them, if they filled the GPU", needed, "ns", None, "operations or bytes"),
            Evidence("channels or units", sides, "text", None, "sizes of tensors, or the recorded program"),
            Evidence(
                "padding", padding, "ratio", None, "of tiles in kernels' names, else of 32 rows, by time"
            ),
            Evidence(
                "rate, as a share of the peak", reached, "ratio", None, "rows that exist; data sheet, dense"
            ),
            *ops.products(),
        ),
        where=ops.places("product of a narrow layer"),
        severity="warning" if share >= MOST.value else "info",
        impact_ratio=share,
        confidence="medium",
    )


def _rows(op: OpBound) -> int:
    """Rows of the tile along the narrow side: cuBLAS lays either side along it, so at least the shorter one."""
    tile = tile_of(op.kernel)
    return max(min(tile), TILE_ROWS) if tile else TILE_ROWS


RULE = declared(judge, thresholds=(SHARE, MOST, TILE, TIMES), needs=("shapes",))
