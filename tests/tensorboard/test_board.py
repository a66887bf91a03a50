"""The route ``board``: a row per run that is asked for, and analyses that begin a few at a time."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from tests.compare.test_compare import finding, run
from tests.logdirs import add_run
from tests.reports import make_analysis, make_report
from tests.tensorboard.test_routes import get, make_client
from tests.tensorboard.test_service import LONG_S
from tfperf_plugin.compare.board import Board, outline, texts
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.analyze import Analysis
from tfperf_plugin.report.model import Account, Report, Workload
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.serialize import json_schema
from tfperf_plugin.tensorboard import board as board_module
from tfperf_plugin.tensorboard.board import MAX_ROWS

REPORTS = {
    "base": run([20.0] * 10, name="base"),
    "better": with_words(
        replace(run([15.0] * 10, name="better"), findings=(finding("a", 2_000_000), finding("b", 1_000_000)))
    ),
    "other": replace(run([15.0] * 10, name="other"), workload=Workload(parameters=10)),
}
REPORTS["base"] = replace(REPORTS["base"], workload=replace(REPORTS["base"].workload, parameters=1000))


class Builder:
    """Builds reports while it is open, and notes which runs were begun, and how many at once."""

    def __init__(self, reports: dict[str, Report] = REPORTS) -> None:
        self.reports = reports
        self.begun: list[str] = []
        self.at_once = self.most = 0
        self.opened = threading.Event()
        self.opened.set()
        self._lock = threading.Condition()

    def wait_for(self, *names: str) -> None:
        """Until these runs, and no others, were begun, in this order."""
        with self._lock:
            self._lock.wait_for(lambda: len(self.begun) >= len(names), LONG_S)
            assert self.begun == list(names)

    def __call__(self, of: Any, options: Any, progress: Any) -> Analysis:
        with self._lock:
            self.begun.append(of.name)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            self._lock.notify_all()
        progress("ledger", 0.6)
        self.opened.wait(LONG_S)
        with self._lock:
            self.at_once -= 1
        if of.name == "broken":
            raise UnreadableInput("The file is cut short.")
        return make_analysis(self.reports.get(of.name) or make_report(of.name))


def rows(client: Any, *names: str, base: str = "") -> Any:
    """The rows once they are complete, by the name of their run."""
    for _ in range(1000):
        answer: Any = get(client, "board", run=names, **({"base": base} if base else {})).json  # type: ignore[arg-type]
        jsonschema.validate(answer, json_schema(Board))
        if answer["done"]:
            return {row["run"]: row for row in answer["rows"]}
    raise AssertionError("the board is never done")


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for name in REPORTS:
        add_run(tmp_path, name)
    return tmp_path


def test_what_can_be_won_is_a_share_where_steps_differ() -> None:
    row = outline(replace(REPORTS["better"], ledger=None))
    steady = replace(row, recoverable_ns=12_000_000, step_ns=20_000_000, p95_ns=None)

    assert "12.0 ms" in texts(steady)
    assert "60 % a step" in texts(replace(steady, p95_ns=60_000_000))


def test_one_recorded_gpu_of_several_shows_its_communication() -> None:
    report = REPORTS["better"]
    assert report.ledger
    sent = Account("communication.transfer", 3_000_000, 0.2)
    row = outline(replace(report, ledger=replace(report.ledger, accounts=(*report.ledger.accounts, sent))))

    assert (outline(report).exposed_ns, row.exposed_ns) == (None, 3_000_000)


def test_rows_beside_a_baseline(logdir: Path) -> None:
    client, _ = make_client(logdir, Builder())

    found = rows(client, "other", "base", "better", base="base")

    assert list(found) == ["other", "base", "better"]
    outline = found["better"]["outline"]
    assert outline["p50_ns"] == outline["step_ns"] == 15_000_000
    assert outline["finding"] == {"id": "a", "title": "a", "severity": "warning", "others": 1}
    assert outline["recoverable_ns"] == 3_000_000
    assert outline["exposed_ns"] is None
    assert found["base"]["against"]["verdict"] == "base"
    assert found["better"]["against"]["verdict"] == "unproven"
    assert found["better"]["against"]["change"] == pytest.approx(-0.25)
    assert found["other"]["against"]["verdict"] == "cannot_compare"
    assert found["other"]["against"]["why"] == "other model"


def test_a_request_begins_no_more_than_a_few_analyses(tmp_path: Path) -> None:
    names = [f"run{i}" for i in range(12)]
    for name in names:
        add_run(tmp_path, name)
    builder = Builder()
    builder.opened.clear()
    client, _ = make_client(tmp_path, builder)

    for _ in range(3):
        answer = get(client, "board", run=names).json  # type: ignore[arg-type]
    assert answer is not None and not answer["done"]
    assert all(row["outline"] is None for row in answer["rows"])
    assert [row["share"] for row in answer["rows"][1:]] == [None] * 11
    builder.wait_for(names[0])
    # What somebody opens now waits for nothing.
    get(client, "report", run=names[7])
    builder.wait_for(names[0], names[7])

    builder.opened.set()
    assert all(row["outline"] for row in rows(client, *names).values())
    assert builder.most == 2
    assert sorted(builder.begun) == sorted(names)


def test_rows_out_of_view_cost_nothing(tmp_path: Path) -> None:
    for i in range(MAX_ROWS + 5):
        add_run(tmp_path, f"2026_01_01_00_00_{i:02}")
    builder = Builder()
    client, _ = make_client(tmp_path, builder)

    rows(client, "2026_01_01_00_00_07")

    assert builder.begun == ["2026_01_01_00_00_07"]
    newest = get(client, "board").json
    assert newest is not None and len(newest["rows"]) == MAX_ROWS
    assert newest["rows"][0]["run"] == f"2026_01_01_00_00_{MAX_ROWS + 4:02}"
    assert newest["rows"][0]["recorded"] == f"2026-01-01 00:00:{MAX_ROWS + 4:02}"


def test_a_kept_row_is_not_read_again(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _ = make_client(logdir, Builder())
    before = rows(client, *REPORTS, base="base")

    monkeypatch.setattr(board_module, "from_bytes", None)

    assert rows(client, *REPORTS, base="base") == before


def test_a_run_that_cannot_be_read_says_why_and_is_not_tried_again(tmp_path: Path) -> None:
    add_run(tmp_path, "broken")
    add_run(tmp_path, "good")
    builder = Builder()
    client, _ = make_client(tmp_path, builder)

    found = rows(client, "broken", "good")
    assert (found["broken"]["error"], found["broken"]["outline"]) == ("The file is cut short.", None)
    assert found["good"]["outline"]
    # Only who looks at it has it read again.
    assert get(client, "report", run="broken").status_code == 422
    begun = builder.begun.count("broken")
    assert rows(client, "broken") == {"broken": found["broken"]}
    assert builder.begun.count("broken") == begun


def test_a_baseline_that_cannot_be_read_leaves_the_rows(tmp_path: Path) -> None:
    add_run(tmp_path, "broken")
    add_run(tmp_path, "good")
    client, _ = make_client(tmp_path, Builder())

    assert rows(client, "good", base="broken")["good"]["against"] is None


def test_a_run_that_has_gone_has_no_row(logdir: Path) -> None:
    client, _ = make_client(logdir, Builder())

    assert list(rows(client, "base", "../base")) == ["base"]
