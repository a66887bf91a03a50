"""What a step does more often than before."""

from __future__ import annotations

from msgspec.structs import replace

from demo.reports import demo_report
from tfperf_plugin.compare.counts import more
from tfperf_plugin.report import model


def with_kernels(report: model.Report, ratio: float) -> model.Report:
    assert report.ops is not None
    types = tuple(replace(row, count_per_step=row.count_per_step * ratio) for row in report.ops.types)
    return replace(report, ops=replace(report.ops, types=types))


def test_more_kernels_are_counted_and_a_few_more_are_not() -> None:
    report = demo_report("gpu_stagger")

    assert more(report, report) == ()
    assert more(report, with_kernels(report, 1.04)) == ()
    assert more(with_kernels(report, 1.5), report) == ()
    assert more(report, with_kernels(report, 1.5)) == ("A step has 129 kernels, not 86.",)


def test_ops_of_the_host_count_if_all_are_listed() -> None:
    report = demo_report("gpu_stagger")
    table = report.host_ops
    assert table is not None
    rows = tuple(replace(row, calls_per_step=2 * row.calls_per_step) for row in table.rows)

    assert more(report, replace(report, host_ops=replace(table, rows=rows))) == (
        "A step has 690 ops on the host, not 345.",
    )
    assert more(report, replace(report, host_ops=replace(table, rows=rows, cap=1))) == ()


def test_compiling_in_steps_is_new_once() -> None:
    before, after = demo_report("healthy_single_gpu"), demo_report("function_retracing")

    (sentence,) = more(before, after)
    assert sentence.startswith(f"{after.findings[0].title}: ")
    assert more(after, after) == ()
