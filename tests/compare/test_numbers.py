"""What a step does more often than before."""

from __future__ import annotations

from msgspec.structs import replace

from demo.reports import demo_report
from tests.reports import with_rows
from tfperf_plugin.compare.numbers import more
from tfperf_plugin.report import model


def with_kernels(report: model.Report, ratio: float) -> model.Report:
    return with_rows(report, "types", count_per_step=lambda row: row.count_per_step * ratio)


def test_more_kernels_are_counted_and_a_few_more_are_not() -> None:
    report = demo_report("gpu_stagger")

    assert more(report, report) == ()
    assert more(report, with_kernels(report, 1.04)) == ()
    assert more(with_kernels(report, 1.5), report) == ()
    assert more(report, with_kernels(report, 1.5)) == ("A step has 129 kernels, not 86.",)


def test_ops_of_the_host_count() -> None:
    report = demo_report("gpu_stagger")
    numbers = report.key_numbers
    doubled = replace(report, key_numbers=replace(numbers, host_ops_per_step=690))

    assert numbers.host_ops_per_step == 345
    assert more(report, doubled) == ("A step has 690 ops on the host, not 345.",)


def test_compiling_in_steps_is_new_once() -> None:
    before, after = demo_report("healthy_single_gpu"), demo_report("function_retracing")

    (sentence,) = more(before, after)
    assert sentence.startswith(f"{after.findings[0].title}: ")
    assert more(after, after) == ()
