"""The route ``predict`` and ``tfperf report --without``, on a real analysis of a simulated run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from demo.build import build
from tests.logdirs import add_run
from tests.policy.test_http_api import EXAMPLES
from tests.reports import Analysis as Unanalysed
from tests.tensorboard.test_routes import assert_refused, get, make_client
from tfperf_plugin import cli
from tfperf_plugin.execution.analyze import Analysis, Progress, analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report import projection
from tfperf_plugin.report.options import Options
from tfperf_plugin.tensorboard import plugin as plugin_module

LONG_S = 60.0


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    build(folder, ["excessive_memcpy"])
    return folder


@pytest.fixture(scope="module")
def analysis(logdir: Path) -> Analysis:
    (run,) = find_runs(str(logdir))
    return analyze_run(run)


@pytest.fixture
def predicted(logdir: Path, analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    client, _ = make_client(logdir, lambda *_: analysis)
    return lambda **arguments: get(client, "predict", run=analysis.report.run, **arguments)


def test_a_step_without_findings(predicted: Callable[..., Any]) -> None:
    nothing = predicted().json
    every = predicted(without=",".join(nothing["can"])).json

    assert len(nothing["can"]) >= 2
    assert nothing["predicted_ns"] == nothing["step_ns"]
    assert (nothing["saved_ns"], nothing["limits"], nothing["without"]) == (0, [], [])
    assert every["without"] == every["can"] == nothing["can"]
    assert 0 < every["saved_ns"] == every["step_ns"] - every["predicted_ns"]


def test_the_example_has_the_keys_of_an_answer(predicted: Callable[..., Any]) -> None:
    (example,) = [value for value in EXAMPLES if "predicted_ns" in value]

    assert example.keys() == predicted(without="excessive-memcpy").json.keys()


def test_what_cannot_be_chosen_is_refused_with_what_can(predicted: Callable[..., Any]) -> None:
    assert_refused(
        predicted(without="excessive-memcpy,step-gaps"), 400, "bad_request", "'step-gaps' is no finding"
    )
    assert "can be chosen: excessive-memcpy" in predicted(without="x").json["error"]


class WithoutSteps(Unanalysed):
    def __call__(self, run: Run, options: Options, progress: Progress) -> Analysis:
        found = super().__call__(run, options, progress)
        return replace(found, report=replace(found.report, ledger=None))


def test_without_steps_nothing_is_predicted(tmp_path: Path) -> None:
    add_run(tmp_path, "run")
    client, _ = make_client(tmp_path, WithoutSteps())

    refused = get(client, "predict", run="run", without="input-bound")
    assert_refused(refused, 422, "not_judgeable", "no steps of a GPU")


def test_the_published_error_is_what_was_measured(
    predicted: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = tmp_path / "accuracy.json"
    numbers.write_text(json.dumps({"prediction": {"low_ratio": -0.1, "high_ratio": 0.05, "runs": 7}}))
    monkeypatch.setattr(projection, "ERRORS", numbers)
    projection.published_error.cache_clear()
    assert predicted().json["error"] == {"low_ratio": -0.1, "high_ratio": 0.05, "runs": 7, "page": "accuracy"}

    numbers.unlink()
    projection.published_error.cache_clear()
    assert predicted().json["error"] is None
    monkeypatch.undo()
    projection.published_error.cache_clear()


def test_the_command_line_says_the_same(
    logdir: Path, predicted: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = predicted(without="excessive-memcpy").json

    assert cli.main(["report", str(logdir), "--no-cache", "--without", "excessive-memcpy"]) == 0
    section = capsys.readouterr().out.partition("\nWhat if\n")[2]
    assert f"about {found['predicted_ns'] / 1e6:.1f} ms instead of {found['step_ns'] / 1e6:.1f} ms" in section
    assert cli.main(["report", str(logdir), "--no-cache", "--without", "nonsense"]) == 2
    assert "There is no rule 'nonsense'" in capsys.readouterr().err
