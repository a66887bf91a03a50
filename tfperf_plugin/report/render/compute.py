"""How fast the GPUs compute, as rows and sentences, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE
from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.report.model import KeyNumbers, Ledger, Op, Report
from tfperf_plugin.report.panels.compute import ABOVE_BOUND
from tfperf_plugin.report.render.several import Rows

_KIND_WORDS: Final = {
    "matrix": "matrix products",
    "memory": "memory-bound kernels",
    "small": "small kernels",
    "other": "other kernels",
}
TITLE: Final = "How good the compute is"


def compute_rows(report: Report) -> Rows:
    """MFU with its basis, and what compute needs: (name, value, words); none if no kernel was judged."""
    parts = report.ledger.compute_parts if report.ledger else ()
    if not parts and report.key_numbers.mfu_ratio is None:
        return ()
    split = _split(report.ledger) if report.ledger and parts else ()
    return (*_utilization(report.key_numbers), *split)


def _utilization(numbers: KeyNumbers) -> Iterator[tuple[str, str, str]]:
    basis = numbers.mfu_basis.replace(f" ({PEAKS_SOURCE})", "")
    if numbers.mfu_ratio is None:
        yield "Model FLOPs utilization (MFU)", "not known", basis
        return
    rate = f"{_quantity((numbers.flops_per_s or 0) / 1e12)} " if numbers.flops_per_s else ""
    yield "Model FLOPs utilization (MFU)", percent(numbers.mfu_ratio), rate + basis
    if numbers.hfu_ratio is not None:
        yield "Hardware FLOPs utilization (HFU)", percent(numbers.hfu_ratio), "with recomputed operations"


def _split(ledger: Ledger) -> Iterator[tuple[str, str, str]]:
    floor, peak = ledger.compute_floor_ns or 0, ledger.compute_peak_ns or 0
    yield "needed", ms(floor), f"at rates that good libraries reach; {ms(peak)} at the data sheet's"
    yield "could be won", ms(sum(part.recoverable_ns for part in ledger.compute_parts)), ""
    if unknown := sum(part.not_judged_ns for part in ledger.compute_parts):
        yield "not judged", ms(unknown), ""
    for part in ledger.compute_parts:
        times = (part.floor_ns, "needed"), (part.recoverable_ns, "to win"), (part.not_judged_ns, "not judged")
        if any(ns for ns, _ in times):
            words = ", ".join(f"{ms(ns)} {word}" for ns, word in times if ns)
            yield _KIND_WORDS[part.kind], ms(sum(ns for ns, _ in times)), words


def above_line(report: Report) -> str:
    """How many ops ran faster than their bound; "" if none did."""
    above = next((row.count for row in report.anomalies if row.name == ABOVE_BOUND), 0)
    verb, are = ("runs", "is") if above == 1 else ("run", "are")
    return f"{count(above, 'op')} {verb} faster than the bound and {are} not judged." if above else ""


def describe_bound(op: Op) -> str:
    """Rate, share of the bound and time to win: "412 TFLOP/s, 31 % of its bound (compute), 2.1 ms to win".

    "" where nobody knows.
    """
    if op.not_judged == ABOVE:
        return "faster than its bound, so not judged"
    if op.floor_ns is None or op.peak_ns is None or not op.judged_ns:
        return ""
    rates = {
        "compute": f"{_quantity((op.flops or 0) / op.judged_ns / 1e3)} TFLOP/s, ",
        "memory": f"{_quantity((op.bytes or 0) / op.judged_ns)} GB/s, ",
    }
    # A bound below a nanosecond has no share.
    share = f"{percent(op.peak_ns / op.judged_ns)} of its bound ({op.bound_by})"
    bound = share if op.peak_ns else f"bound by {op.bound_by}"
    win = f", {ms(op.judged_ns - op.floor_ns)} to win" if op.judged_ns > op.floor_ns else ""
    return f"{rates.get(op.bound_by, '')}{bound}{win}"


def _quantity(value: float) -> str:
    """Three digits: "1,307", "19.9", "0.62"."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
