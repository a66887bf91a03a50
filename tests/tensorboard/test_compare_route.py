"""The route ``compare``: two reports at once, computed while one waits."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.compare.test_compare import around, run
from tests.logdirs import add_run
from tests.reports import make_analysis
from tests.tensorboard.test_routes import get, make_client
from tests.tensorboard.test_service import LONG_S, Gate
from tfperf_plugin.compare.build import compare
from tfperf_plugin.execution.analyze import Analysis
from tfperf_plugin.proof.effect import rounds
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


@pytest.mark.parametrize(
    ("typed", "ratio", "verdict"),
    [("30 %", 0.3, "same"), ("0.3", 0.3, "same"), ("3%", 0.03, "better"), ("", None, "unproven")],
)
def test_the_new_run_beside_the_base_with_the_drift_as_typed(
    logdir: Path, typed: str, ratio: float | None, verdict: str
) -> None:
    client, _ = make_client(logdir, build)

    response = get(client, "compare", base="a", new="b", drift=typed)

    assert (response.status_code, response.content_type) == (200, "application/json")
    assert response.json == to_json(compare(REPORTS["a"], REPORTS["b"], ratio))
    assert response.json and response.json["verdict"] == verdict


def test_several_launches_a_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    order = rounds(6, random.Random(1))
    names = {f"2026_01_01_00_{n:02}_00": 20.0 if side == "A" else 15.0 for n, side in enumerate(order)}
    for name in names:
        add_run(tmp_path / "logs", name)

    def build_any(of: Any, options: Any, progress: Any) -> Analysis:
        return make_analysis(run(around(names[of.name], 0.01, int(of.name[14:16])), name=of.name))

    client, _ = make_client(tmp_path / "logs", build_any)
    sides = [[name for name, ms in names.items() if ms == of] for of in (20.0, 15.0)]

    response = get(client, "compare", base=sides[0], new=sides[1])  # type: ignore[arg-type]

    assert response.json
    assert response.json["verdict"] == "better"
    items = response.json["launches"]["items"]
    assert [item["run"] for item in items] == list(names)
    assert items[0]["recorded"] == "2026-01-01 00:00:00"


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
