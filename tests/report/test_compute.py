"""How good the compute is, in words."""

from __future__ import annotations

from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.judging.engine.words import number_text
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.compute import ABOVE_BOUND, compute_blocks
from tfperf_plugin.report.render.text import to_text

MS = 1_000_000
PARTS = (
    model.ComputePart("matrix", 10 * MS, 5 * MS, 1 * MS),
    model.ComputePart("memory", 2 * MS, 3 * MS, 0),
    model.ComputePart("small", 0, 0, 0),
    model.ComputePart("other", 0, 0, 1 * MS),
)


def judged() -> model.Report:
    report = make_report()
    assert report.ledger is not None
    ledger = replace(
        report.ledger, compute_parts=PARTS, compute_floor_ns=12 * MS, compute_peak_ns=round(9.5 * MS)
    )
    numbers = replace(
        report.key_numbers,
        mfu_ratio=0.38,
        flops_per_s=118_600 * 10**9,
        mfu_basis=f"of 312 TFLOP/s in bf16 ({PEAKS_SOURCE})",
    )
    return replace(report, ledger=ledger, key_numbers=numbers)


def facts(report: model.Report) -> tuple[tuple[str, str, str], ...]:
    """What is said of compute, as (label, value, note)."""
    found = [block for block in compute_blocks(report) if isinstance(block, model.Facts)]
    return tuple(
        (one.label, "not known" if one.value is None else number_text(one.value, one.unit), one.note)
        for block in found
        for one in block.numbers
    )


def sentences(report: model.Report) -> list[str]:
    return [block.words for block in compute_blocks(report) if isinstance(block, model.Sentence)]


def above(count: int) -> model.Report:
    anomaly = Anomaly(ABOVE_BOUND, count, "info", "Ops ran faster than their bound and are not judged.")
    return replace(judged(), anomalies=(anomaly,))


def test_recomputing_adds_hfu() -> None:
    report = judged()
    rows = facts(replace(report, key_numbers=replace(report.key_numbers, hfu_ratio=0.5)))
    assert rows[1] == ("Hardware FLOPs utilization (HFU)", "50 %", "with recomputed operations")


def test_without_mfu_it_says_why_and_without_bounds_nothing() -> None:
    report = judged()
    why = replace(report.key_numbers, mfu_ratio=None, mfu_basis="No matrix product or convolution ran.")
    first, *_ = facts(replace(report, key_numbers=why))
    assert first == ("Model FLOPs utilization (MFU)", "not known", "No matrix product or convolution ran.")
    assert facts(make_report()) == ()
    assert "How good the compute is" not in to_text(make_report(), color=False)


def test_ops_above_their_bound_are_counted() -> None:
    assert sentences(judged()) == []
    assert sentences(above(1)) == ["1 op runs faster than the bound and is not judged."]
    assert sentences(above(2)) == ["2 ops run faster than the bound and are not judged."]
