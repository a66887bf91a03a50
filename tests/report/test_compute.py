"""How good the compute is, in words."""

from __future__ import annotations

from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE, UNKNOWN
from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.compute import ABOVE_BOUND
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.tables import above_line, compute_rows, describe_bound, op_rows
from tfperf_plugin.report.render.text import to_markdown, to_text

MS = 1_000_000
PARTS = (
    model.ComputePart("matrix", 10 * MS, 5 * MS, 1 * MS),
    model.ComputePart("memory", 2 * MS, 3 * MS, 0),
    model.ComputePart("small", 0, 0, 0),
    model.ComputePart("other", 0, 0, 1 * MS),
)
OP = model.Op(
    "dense/MatMul", "MatMul", "forward", 1, 1, 10 * MS, 0.5, 10 * MS, 10 * MS, 10 * MS,
    flops=4_120 * 10**9, bytes=3 * 10**9, floor_ns=8 * MS, peak_ns=6 * MS,
    judged_ns=10 * MS, bound_by="compute", format="bf16",
)  # fmt: skip


def judged(*ops: model.Op) -> model.Report:
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
    return replace(
        report,
        ledger=ledger,
        key_numbers=numbers,
        ops=model.OpTable((), ops or (OP,), len(ops or (OP,)), 200),
    )


def above(count: int) -> model.Report:
    anomaly = Anomaly(ABOVE_BOUND, count, "info", "Ops ran faster than their bound and are not judged.")
    return replace(judged(), anomalies=(anomaly,))


def test_mfu_and_the_split_of_compute() -> None:
    assert compute_rows(judged()) == (
        ("Model FLOPs utilization (MFU)", "38 %", "119 of 312 TFLOP/s in bf16"),
        ("needed", "12.0 ms", "at rates that good libraries reach; 9.5 ms at the data sheet's"),
        ("could be won", "8.0 ms", ""),
        ("not judged", "2.0 ms", ""),
        ("matrix products", "16.0 ms", "10.0 ms needed, 5.0 ms to win, 1.0 ms not judged"),
        ("memory-bound kernels", "5.0 ms", "2.0 ms needed, 3.0 ms to win"),
        ("other kernels", "1.0 ms", "1.0 ms not judged"),
    )


def test_recomputing_adds_hfu() -> None:
    report = judged()
    rows = compute_rows(replace(report, key_numbers=replace(report.key_numbers, hfu_ratio=0.5)))
    assert rows[1] == ("Hardware FLOPs utilization (HFU)", "50 %", "with recomputed operations")


def test_without_mfu_it_says_why_and_without_bounds_nothing() -> None:
    report = judged()
    why = replace(report.key_numbers, mfu_ratio=None, mfu_basis="No matrix product or convolution ran.")
    first, *_ = compute_rows(replace(report, key_numbers=why))
    assert first == ("Model FLOPs utilization (MFU)", "not known", "No matrix product or convolution ran.")
    assert compute_rows(make_report()) == ()
    assert "How good the compute is" not in to_text(make_report(), color=False)


def test_ops_say_rate_bound_and_time_to_win() -> None:
    assert describe_bound(OP) == "412 TFLOP/s, 60 % of its bound (compute), 2.0 ms to win"
    assert (
        describe_bound(replace(OP, bound_by="memory"))
        == "300 GB/s, 60 % of its bound (memory), 2.0 ms to win"
    )
    assert describe_bound(replace(OP, bound_by="latency")) == "60 % of its bound (latency), 2.0 ms to win"
    assert describe_bound(replace(OP, floor_ns=OP.ns)) == "412 TFLOP/s, 60 % of its bound (compute)"
    # A bound below a nanosecond has no share: no "0 %".
    assert describe_bound(replace(OP, bound_by="latency", peak_ns=0)) == "bound by latency, 2.0 ms to win"
    unknown = replace(OP, floor_ns=None, peak_ns=None, bound_by="not judged", not_judged=UNKNOWN)
    assert describe_bound(unknown) == ""
    assert describe_bound(replace(unknown, not_judged=ABOVE)) == "faster than its bound, so not judged"


def test_kernels_without_an_op_stand_between_the_ops_by_their_time() -> None:
    report = judged(OP, replace(OP, name="dense/BiasAdd", ns=2 * MS))
    alone = model.Kernel(
        "fused_moe", "", "", kernel_class="matrix", precision="16 bit", tensor_cores=True, eligible=True,
        registers=None, shared_bytes=None, grid="1,1,1", block="1,1,1", occupancy_ratio=None,
        count_per_step=1, ns=3 * MS, ratio=0.15, mean_ns=3 * MS, min_ns=3 * MS, max_ns=3 * MS,
    )  # fmt: skip
    other_grid, of_op = replace(alone, grid="2,1,1"), replace(alone, op=OP.name, ns=9 * MS)
    rows = op_rows(replace(report, kernels=model.KernelTable((alone, other_grid, of_op), 3, 200)))

    assert [row[:2] for row in rows] == [
        ("dense/MatMul", "10.0 ms"), ("fused_moe", "6.0 ms"), ("dense/BiasAdd", "2.0 ms")
    ]  # fmt: skip
    assert rows[1][2] == "30 % of kernel time, a kernel without an op"


def test_ops_above_their_bound_are_counted() -> None:
    assert above_line(judged()) == ""
    assert above_line(above(1)) == "1 op runs faster than the bound and is not judged."
    assert above_line(above(2)) == "2 ops run faster than the bound and are not judged."


def test_all_outputs_say_it() -> None:
    report = above(1)
    for written in (to_text(report, color=False), to_markdown(report), to_html(report)):
        assert "How good the compute is" in written
        assert "119 of 312 TFLOP/s in bf16" in written
        assert "412 TFLOP/s, 60 % of its bound (compute)" in written.replace("\\", "")
        assert "1 op runs faster than the bound and is not judged." in written
