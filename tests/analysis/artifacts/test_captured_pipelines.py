"""What is said of pipelines that TensorFlow really ran on this machine, each with an effect of its own."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Iterator, Report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not installed"),
]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    out = tmp_path_factory.mktemp("captures")
    command = [sys.executable, "-m", "tests.analysis.artifacts.capture_pipelines", str(out)]
    subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY)
    found = {Path(run.name).parts[0]: build_report(run) for run in find_runs(str(out))}
    assert all(report.errors == () for report in found.values())
    return found


def bottleneck(report: Report) -> Iterator:
    assert report.input is not None
    (found,) = (i for i in report.input.iterators if i.is_bottleneck)
    return found


@pytest.mark.parametrize(
    ("name", "stage", "written", "does"),
    [
        ("sequential_map", "preprocessing", ".map(...).batch(8)", "handles one element after the other"),
        (
            "parallel_map",
            "preprocessing",
            ".map(..., num_parallel_calls=4).batch(8)",
            "prepares the examples",
        ),
        ("slow_reads", "reading on demand", "tf.data.TFRecordDataset(...)", "reads one file at a time"),
        ("dropped_records", "reading on demand", "tf.data.TFRecordDataset(...)", "reads one file at a time"),
        ("generator", "Python", "tf.data.Dataset.from_generator(...)", "runs Python"),
        ("py_function", "Python", ".map(py_function, num_parallel_calls=2).batch(8)", "runs Python"),
    ],
)
def test_what_steps_wait_for_is_named(
    reports: dict[str, Report], name: str, stage: str, written: str, does: str
) -> None:
    report = reports[name]
    (first, *_) = report.findings
    worst = bottleneck(report)

    assert first.id == "input-bound"
    assert (worst.stage, worst.written) == (stage, written)
    assert worst.on_critical_path
    assert written in first.summary
    assert f"it {does}" in first.summary


def test_parallel_calls_are_counted(reports: dict[str, Report]) -> None:
    worst = bottleneck(reports["parallel_map"])

    assert worst.parallelism == 4
    assert 2 <= worst.at_once <= 4


def test_a_filter_tells_what_it_drops(reports: dict[str, Report]) -> None:
    report = reports["dropped_records"]
    assert report.input is not None
    (kept,) = (i.filtered_ratio for i in report.input.iterators if i.kind == "Filter")

    assert kept == pytest.approx(0.9, abs=0.03)
    assert "drops" in report.findings[0].summary


def test_a_pipeline_that_is_fast_enough_has_no_bottleneck(reports: dict[str, Report]) -> None:
    report = reports["cached"]
    assert report.input is not None

    assert report.input.bottleneck is None or report.input.pipelines[0].wait_ratio < 0.05
    assert "input-bound" not in [f.id for f in report.findings if f.severity in ("critical", "warning")]


def test_the_tree_is_that_of_the_program(reports: dict[str, Report]) -> None:
    report = reports["slow_reads"]
    assert report.input is not None

    rows = report.input.iterators
    tree = [(i.depth, i.kind) for i in rows if i.kind != "TensorSlice"]  # asked for once a file
    assert tree == [
        (0, "Root"), (1, "Prefetch"), (2, "MapAndBatch"), (3, "ForeverRepeat"), (4, "FlatMap"),
        (5, "TFRecord"),
    ]  # fmt: skip
    assert all(i.parent is None or rows[i.parent].depth == i.depth - 1 for i in rows)
