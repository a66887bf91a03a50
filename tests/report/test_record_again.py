"""What to run to record a program again."""

from __future__ import annotations

from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.report.render.commands import at, next_of

NSYS = "nsys profile --trace=cuda,nvtx PROGRAM"
SECONDS = "tfperf record --after-seconds 30 -- python PROGRAM"


def test_only_python_is_tried_by_tfperf() -> None:
    (finding,) = make_report().findings
    report = make_report()

    assert next_of(replace(report, record=SECONDS), finding, at(None)).endswith("-- python PROGRAM")
    assert next_of(replace(report, record=NSYS), finding, at(None)) == NSYS
