"""What is looked at in parts is the same as what is looked at as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.build import build
from tfperf_plugin.analysis import launches
from tfperf_plugin.analysis.artifacts.communication import step_starts
from tfperf_plugin.analysis.finding_steps import assign
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report


def report(folder: Path) -> Report:
    (run,) = find_runs(str(folder))
    return replace(build_report(run), timing=())


@pytest.mark.parametrize("scenario", ["gpus_run_serially", "kernel_launch_bound"])
def test_reports_do_not_depend_on_how_many_events_are_looked_at_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenario: str
) -> None:
    build(tmp_path, [scenario])
    whole = report(tmp_path)

    for module in (launches, assign, step_starts):
        monkeypatch.setattr(module, "AT_ONCE_COUNT", 7)
    assert report(tmp_path) == whole
