"""The Python interface: what its page shows is what happens, and importing it costs next to nothing."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import tfperf_plugin
from demo.build import RUN, build
from tests.conftest import REPOSITORY
from tests.logdirs import add_run

PAGE = REPOSITORY / "tfperf_plugin" / "docs" / "python_api.md"
SCENARIO = "input_bound"


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logdir")
    build(path, [SCENARIO, "healthy_single_gpu"])
    return path


def test_the_page_shows_what_happens(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(logdir.parent)
    logdir.rename(logdir.parent / "logs")
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    (logdir.parent / "logs").rename(logdir)

    assert failed == 0
    assert tried > 10


def test_everything_that_is_offered_is_there_and_described() -> None:
    text = PAGE.read_text(encoding="utf-8")

    for name in tfperf_plugin.__all__:
        assert getattr(tfperf_plugin, name) is not None
        assert name in dir(tfperf_plugin)
        assert f"`{name}" in text or name == "__version__", f"{name} is not described"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tfperf_plugin.nothing


def test_importing_loads_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import tfperf_plugin; new = set(sys.modules) - before;"
        "print([name for name in new if name.split('.')[0] not in sys.stdlib_module_names])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "['tfperf_plugin']\n"


def test_runs_are_listed_newest_first_and_found_by_name(logdir: Path) -> None:
    assert tfperf_plugin.list_runs(logdir) == (f"healthy_single_gpu/{RUN}", f"{SCENARIO}/{RUN}")
    report = tfperf_plugin.analyze(logdir, f"{SCENARIO}/{RUN}")

    assert [finding.id for finding in report.findings] == ["input-bound"]
    assert tfperf_plugin.analyze(str(logdir)).run == f"healthy_single_gpu/{RUN}"


def test_progress_is_told_until_the_report_is_cached(logdir: Path) -> None:
    told: list[tuple[str, float]] = []

    def progress(stage: str, share: float) -> None:
        told.append((stage, share))

    first = tfperf_plugin.analyze(logdir, progress=progress)
    stages = [stage for stage, _ in told]
    assert stages[0] == "read"
    assert stages[-1] == "report"
    assert all(0 <= share <= 1 for _, share in told)

    told.clear()
    assert tfperf_plugin.analyze(logdir, progress=progress) == first
    assert told == []
    tfperf_plugin.analyze(logdir, progress=progress, cache=False)
    assert [stage for stage, _ in told] == stages


def test_what_is_stated_is_used(logdir: Path) -> None:
    trial = "severity:info=100%"
    report = tfperf_plugin.analyze(logdir, f"{SCENARIO}/{RUN}", thresholds=[trial])
    assert "input-bound" not in [finding.id for finding in report.findings]
    assert [tried.rule for tried in report.tried] == ["severity"]

    for wrong in ({"parameters": "many"}, {"bandwidth": -1.0}, {"steps_per_epoch": 0}, {"thresholds": ["x"]}):
        with pytest.raises(tfperf_plugin.BadOptionError):
            tfperf_plugin.analyze(logdir, **wrong)


def test_errors_are_those_of_the_page(tmp_path: Path) -> None:
    with pytest.raises(tfperf_plugin.RunNotFound):
        tfperf_plugin.list_runs(tmp_path / "nowhere")
    assert tfperf_plugin.list_runs(tmp_path) == ()
    add_run(tmp_path, "run")
    with pytest.raises(tfperf_plugin.UnreadableInput):
        tfperf_plugin.analyze(tmp_path)


def test_every_format_is_written(logdir: Path) -> None:
    report = tfperf_plugin.analyze(logdir)

    assert f"  {report.advice}\n" in tfperf_plugin.export(report)
    assert tfperf_plugin.export(report, "markdown").startswith("# Nothing to fix above 5 % of a step")
    assert tfperf_plugin.export(report, "json").startswith("{")
    assert tfperf_plugin.export(report, "html").startswith("<!doctype html>")
    with pytest.raises(tfperf_plugin.BadOptionError, match="text, markdown, json, html"):
        tfperf_plugin.export(report, "pdf")  # type: ignore[arg-type]
