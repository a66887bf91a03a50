"""Phases and ops as rows and sentences, for text and Markdown."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.report.model import Op, Report
from tfperf_plugin.report.render.compute import describe_bound
from tfperf_plugin.report.render.several import Rows

TOP_OPS: Final = 5
_PHASE_WORDS: Final = {
    "forward": "forward pass",
    "loss": "loss",
    "backward": "backward pass",
    "optimizer": "optimizer",
    "other": "not told by names",
}


def phases_line(report: Report) -> str:
    """Compute time by phase in one line; "" if the phases are unknown."""
    if report.phases is None or not report.phases.items:
        return ""
    parts = [f"{_PHASE_WORDS[p.id]} {ms(p.ns)} ({percent(p.ratio)})" for p in report.phases.items if p.ns]
    return f"Compute by phase: {', '.join(parts)}"


def op_rows(report: Report) -> Rows:
    """The ops with the most kernel time: (name, time per step, share, kind and bound)."""
    if report.ops is None:
        return ()
    named = [op for op in report.ops.rows if op.name]
    return tuple((op.name, ms(op.ns), _describe_op(op)) for op in named[:TOP_OPS])


def _describe_op(op: Op) -> str:
    phase = "" if op.phase == "other" else _PHASE_WORDS[op.phase]
    bound = describe_bound(op)
    # Together they would not fit a line.
    what = ", ".join(filter(None, (f"{percent(op.ratio)} of kernel time", phase, "" if bound else op.type)))
    return "; ".join(filter(None, (what, bound)))
