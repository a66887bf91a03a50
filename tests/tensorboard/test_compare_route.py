"""The route ``compare``: two reports at once, computed while one waits."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.compare.test_compare import run
from tests.logdirs import add_run
from tests.reports import make_analysis
from tests.tensorboard.test_routes import assert_refused, get, make_client
from tests.tensorboard.test_service import LONG_S, Gate
from tfperf_plugin.compare.build import compare
from tfperf_plugin.execution.analyze import Analysis
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.tensorboard import plugin as plugin_module

REPORTS = {"a": run([20.0] * 10, name="a"), "b": run([15.0] * 10, name="b")}


def build(run: Any, options: Any, progress: Any) -> Analysis:
    return make_analysis(REPORTS[run.name])


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for name in REPORTS:
        add_run(tmp_path, name)
    return tmp_path


def test_the_new_run_beside_the_base(logdir: Path) -> None:
    client, _ = make_client(logdir, build)

    response = get(client, "compare", base="a", new="b")

    assert (response.status_code, response.content_type) == (200, "application/json")
    assert response.json == to_json(compare(REPORTS["a"], REPORTS["b"]))
    assert response.json and response.json["verdict"] == "unproven"


def test_the_drift_between_launches_is_taken_as_typed(logdir: Path) -> None:
    client, _ = make_client(logdir, build)

    for typed, ratio, verdict in (
        ("30 %", 0.3, "same"), ("0.3", 0.3, "same"), ("3%", 0.03, "better"), ("", None, "unproven"),
    ):  # fmt: skip
        response = get(client, "compare", base="a", new="b", drift=typed)
        assert response.json == to_json(compare(REPORTS["a"], REPORTS["b"], ratio))
        assert response.json and response.json["verdict"] == verdict


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "sentence"),
    [
        ({}, 400, "bad_request", "compare?base=RUN&new=RUN"),
        ({"base": "a"}, 400, "bad_request", "compare?base=RUN&new=RUN"),
        ({"base": "a", "new": "a"}, 400, "bad_request", "cannot be compared with itself"),
        ({"base": "a", "new": "b", "drift": "3"}, 400, "bad_request", "is 3 a percentage? Write 3 %"),
        ({"base": "a", "new": "../b"}, 404, "not_found", "No run is called '../b'"),
    ],
)
def test_refusals(logdir: Path, arguments: dict[str, str], code: int, kind: str, sentence: str) -> None:
    client, _ = make_client(logdir, build)

    assert_refused(get(client, "compare", **arguments), code, kind, sentence)


def test_both_reports_are_computed_while_the_client_polls(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", 0)
    gate = Gate()

    def gated(run: Any, options: Any, progress: Any) -> Analysis:
        gate(run, options, progress)
        return make_analysis(REPORTS[run.name])

    client, _ = make_client(logdir, gated)
    first = get(client, "compare", base="a", new="b")
    deadline = time.monotonic() + LONG_S
    shares = 0.0
    while shares < 0.6 and time.monotonic() < deadline:
        second = get(client, "compare", base="a", new="b")
        assert second.json
        shares = second.json["share"]
    gate.opened.set()
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    third = get(client, "compare", base="a", new="b")

    assert (first.status_code, second.status_code) == (202, 202)
    assert second.json == {
        "state": "running",
        "stage": "ledger",
        "words": "Dividing each step among its causes",
        "share": pytest.approx(0.6),
    }
    assert (third.status_code, third.json) == (200, to_json(compare(REPORTS["a"], REPORTS["b"])))
    assert sorted(name for name, _ in gate.calls) == ["a", "b"]
