"""Phases, ops and memory as rows and sentences, for text and Markdown."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.engine.words import gigabytes, gpu, ms, percent
from tfperf_plugin.report.model import Memory, Op, Report
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


def memory_peak(memory: Memory) -> str:
    """The peak memory of the fullest GPU as the begin of a sentence."""
    fullest = memory.devices[0]
    several = len({device.host for device in memory.devices}) > 1
    name = f"{gpu(fullest.device)} of {fullest.host}" if several else gpu(fullest.device)
    peak, capacity = gigabytes(fullest.peak_bytes), gigabytes(fullest.capacity_bytes)
    used = percent(fullest.peak_bytes / fullest.capacity_bytes)
    text = f"{name} uses {peak} of {capacity} ({used}) at the peak"
    return text + (f", the most of {memory.devices_total} GPUs" if memory.devices_total > 1 else "")


def memory_line(report: Report) -> str:
    """The peak memory of the fullest GPU and what holds most then; "" if no allocator was recorded."""
    if report.memory is None:
        return ""
    text, alive = memory_peak(report.memory), report.memory.devices[0].alive
    if alive:
        holder = alive[0].op or "an unnamed op"
        text += (
            f"; of what was allocated during the recording, {holder} holds most at that moment "
            f"({gigabytes(alive[0].size_bytes)})"
        )
    return f"{text}."
