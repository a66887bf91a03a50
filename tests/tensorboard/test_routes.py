"""The routes, through TensorBoard's own application."""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import re
import shutil
import threading
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tensorboard.backend import application
from tensorboard.plugins import base_plugin
from werkzeug.test import Client, TestResponse

from demo import trials
from tests.builders import Host
from tests.logdirs import add_run
from tests.reports import Analysis, make_analysis, make_report
from tests.tensorboard.test_service import LONG_S, Gate
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.execution import analyze as report_build
from tfperf_plugin.execution.analyze import Progress, analyze_run
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.tensorboard import plugin as plugin_module
from tfperf_plugin.tensorboard.board import MAX_ROWS
from tfperf_plugin.tensorboard.jobs import ReportService
from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin

ROOT = "/data/plugin/diagnostics"


def make_client(
    logdir: Path | str, build: Any = None, path_prefix: str = "", logdir_spec: str = ""
) -> tuple[Client, DiagnosticsPlugin]:
    context = base_plugin.TBContext(logdir=str(logdir), flags=argparse.Namespace(logdir_spec=logdir_spec))
    plugin = DiagnosticsPlugin(context, ReportService(build or Analysis()))
    return Client(application.TensorBoardWSGI([plugin], path_prefix)), plugin


def get(client: Client, path: str, **arguments: str) -> TestResponse:
    return client.get(f"{ROOT}/{path}", query_string=arguments)


def assert_refused(response: TestResponse, code: int, kind: str, sentence: str) -> None:
    assert response.status_code == code
    assert response.content_type == "application/json"
    assert response.json is not None
    assert response.json["kind"] == kind
    assert sentence in response.json["error"]
    assert response.json.keys() == {"error", "kind"}


def test_runs_show_up_without_a_restart_newest_first(tmp_path: Path) -> None:
    client, _ = make_client(tmp_path / "later")
    assert get(client, "runs").json == {"runs": []}

    add_run(tmp_path / "later", "2026_01_01_00_00_00", "b", "a")
    add_run(tmp_path / "later", "train/2026_01_02_00_00_00")

    assert get(client, "runs").json == {
        "runs": [
            {"name": "train/2026_01_02_00_00_00", "hosts": ["host"]},
            {"name": "2026_01_01_00_00_00", "hosts": ["a", "b"]},
        ]
    }


def test_trials(tmp_path: Path) -> None:
    trials.write(tmp_path / "logs")
    client, plugin = make_client(tmp_path / "logs")

    body = get(client, "trials").json

    assert body is not None
    assert (len(body["trials"]), body["more_count"]) == (5, 0)
    assert body["trials"][0]["name"] == "tuned"
    assert str(tmp_path) not in json.dumps(body)
    plugin._scan()  # the tab is there without a profile
    assert plugin.is_active()
    client, _ = make_client("", logdir_spec=f"a:{tmp_path / 'logs' / 'trials'}")
    assert {trial["name"] for trial in (get(client, "trials").json or {})["trials"]} == {
        "a/private threads",
        "a/larger batch",
        "a/damaged",
    }
    assert get(make_client("")[0], "trials").json == {"trials": [], "more_count": 0}


def test_a_listed_run_is_asked_for_without_reading_the_log_directory_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, "run")
    client, _ = make_client(tmp_path)
    assert get(client, "runs").json == {"runs": [{"name": "run", "hosts": ["host"]}]}
    found = finding.find_runs
    monkeypatch.setattr(finding, "find_runs", None)
    assert get(client, "report", run="run").status_code == 200

    # Of what has changed since, nothing is missed.
    monkeypatch.setattr(finding, "find_runs", found)
    (tmp_path / "plugins" / "profile" / "run" / "second.xplane.pb").write_bytes(b"second")
    report = get(client, "report", run="run")
    assert report.json and report.json["headline"] == "profilesecond"
    shutil.rmtree(tmp_path / "plugins" / "profile" / "run")
    assert_refused(get(client, "report", run="run"), 404, "not_found", "No profiles below")


@pytest.mark.parametrize("folder", ["", "train"])
def test_a_record_that_comes_later_is_seen(tmp_path: Path, folder: str) -> None:
    run = "/".join(filter(None, (folder, "2026_01_01_00_00_00")))
    add_run(tmp_path, run)
    client, plugin = make_client(tmp_path)
    assert get(client, "report", run=run).status_code == 200
    assert plugin._with_names([run])[0].records == ()

    place = tmp_path / "plugins" / "diagnostics"
    place.mkdir(parents=True, exist_ok=True)
    record = place / f"host.20251231T120000.000000+0000{RECORD_SUFFIX}"
    record.write_text("{}")
    assert [str(found.path) for found in plugin._with_names([run])[0].records] == [str(record)]
    record.unlink()
    assert plugin._with_names([run])[0].records == ()


@pytest.mark.parametrize(("method", "encoding"), [("GET", "gzip"), ("GET", "identity"), ("HEAD", "gzip")])
def test_the_bytes_of_a_report_are_sent_whole(tmp_path: Path, encoding: str, method: str) -> None:
    add_run(tmp_path, "run")
    client, _ = make_client(tmp_path)

    response = client.open(
        f"{ROOT}/report", method=method, query_string={"run": "run"}, headers={"Accept-Encoding": encoding}
    )

    assert response.content_type == "application/json"
    assert response.headers.get("Content-Encoding") == (None if encoding == "identity" else "gzip")
    if method == "HEAD":
        assert response.data == b""
    else:
        sent = gzip.decompress(response.data) if encoding == "gzip" else response.data
        assert json.loads(sent)["run"] == "run"


def test_several_log_directories(tmp_path: Path) -> None:
    add_run(tmp_path / "one", "2026_01_02_00_00_00")
    add_run(tmp_path / "two", "2026_01_01_00_00_00")
    spec = f"first:{tmp_path}/one,{tmp_path}/two"
    client, _ = make_client(spec, logdir_spec=spec)

    listed = get(client, "runs").json

    assert listed == {
        "runs": [
            {"name": "first/2026_01_02_00_00_00", "hosts": ["host"]},
            {"name": "2026_01_01_00_00_00", "hosts": ["host"]},
        ]
    }
    assert get(client, "report", run="first/2026_01_02_00_00_00").status_code in (200, 202)


def test_without_a_log_directory_there_are_no_runs() -> None:
    client, plugin = make_client("")

    assert get(client, "runs").json == {"runs": []}
    assert not plugin.is_active()


def test_a_report_is_computed_while_the_client_polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", 0)
    add_run(tmp_path, "train/run")
    gate = Gate()
    client, _ = make_client(tmp_path, gate)

    first = get(client, "report", run="train/run")
    assert gate.reached.wait(LONG_S)
    during = get(client, "report", run="train/run"), get(client, "timeline", run="train/run", step="1")
    gate.opened.set()
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    finished = get(client, "report", run="train/run")

    assert first.status_code == 202
    assert first.json is not None and first.json["state"] == "running"
    running, words = {"state": "running", "stage": "ledger"}, "Dividing each step among its causes"
    assert [(each.status_code, each.json) for each in during] == [
        (202, running | {"words": words, "share": 0.6, "hosts_done_count": 1, "hosts_count": 2})
    ] * 2
    assert finished.status_code == 200
    assert finished.json == to_json(replace(make_report("train/run"), headline="profile"))
    assert len(gate.calls) == 1


RANGE: Final = {"begin_ms": "1", "end_ms": "2"}
REFUSED: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("report", {}, "names no run: report?run=RUN"),
    ("report", {"run": "a", "parameters": "-5"}, "must be"),
    ("report", {"run": "a", "bandwidth": "x"}, "must be"),
    ("report", {"run": "a", "threshold": "gpu-stagger:spread-of-first-kernels:2"}, "Write 2 %"),
    *(
        ("report", {"run": name}, "No run is called")
        for name in ("nothing", "..", "../a", "train", "/etc/passwd", "%2e%2e", "\0", "<b>x</b>")
    ),
    ("export", {"run": "a", "format": "pdf"}, "markdown, json, html"),
    ("export", {"run": "other", "format": "html"}, "No run is called 'other'"),
    ("export", {"format": "html"}, "names no run: export"),
    ("timeline", {"run": "a"}, "names no step"),
    ("timeline", {"step": "1"}, "names no run: timeline?run=RUN"),
    ("slice", RANGE, "names no run"),
    ("slice", {"run": "x", **RANGE}, "No run is called"),
    ("predict", {}, "names no run"),
    ("compare", {}, "compare?base=RUN&new=RUN"),
    ("compare", {"base": "a"}, "compare?base=RUN&new=RUN"),
    ("compare", {"base": "a", "new": "a"}, "cannot be compared with itself"),
    ("compare", {"base": ["a", "a"], "new": "train/b"}, "name each run once"),
    ("compare", {"base": "a", "new": "train/b", "drift": "3"}, "is 3 a percentage? Write 3 %"),
    ("compare", {"base": "a", "new": "../b"}, "No run is called '../b'"),
    ("compare", {"base": [f"a{i}" for i in range(32)], "new": "a"}, "At most 32 launches"),
    ("board", {"base": "../x"}, "No run is called '../x'"),
    ("board", {"run": [f"run{i}" for i in range(MAX_ROWS + 1)]}, "more than 50 runs"),
    *(
        ("page", {"rule": name}, "There is no rule of this name")
        for name in ("", "nothing", "../plugin", "\0", "<b>x</b>", "a" * 9999)
    ),
    ("cancel", {"run": "a"}, "lacks the header X-Tfperf"),
]
"""Route, its arguments, and why they are refused: as not found, or as a bad request."""


@pytest.mark.parametrize(("route", "arguments", "sentence"), REFUSED)
def test_what_is_asked_for_wrongly(
    tmp_path: Path, route: str, arguments: dict[str, Any], sentence: str
) -> None:
    add_run(tmp_path, "a")
    add_run(tmp_path, "train/b")
    client, _ = make_client(tmp_path)
    method = "POST" if route == "cancel" else "GET"

    refused = client.open(f"{ROOT}/{route}", method=method, query_string=arguments)

    known = not sentence.startswith(("No run", "There is no"))
    assert_refused(refused, *((400, "bad_request") if known else (404, "not_found")), sentence)


@pytest.mark.parametrize(
    ("error", "code", "kind", "sentence"),
    [
        (UnreadableInput("The file is cut short."), 422, "unreadable", "The file is cut short."),
        (NotJudgeable("It holds no events."), 422, "not_judgeable", "It holds no events."),
        (KeyError("inner"), 500, "internal", "tfperf failed on this profile"),
    ],
)
def test_what_goes_wrong_is_said_and_tried_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    code: int,
    kind: str,
    sentence: str,
) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    add_run(tmp_path, "bad")
    add_run(tmp_path, "good")

    begun: list[str] = []

    def build(run: Run, options: Options, progress: Progress) -> report_build.Analysis:
        begun.append(run.name)
        if run.name == "bad":
            raise error
        return make_analysis(make_report(run.name))

    client, _ = make_client(tmp_path, build)

    for _ in range(2):
        refused = get(client, "report", run="bad")
        assert_refused(refused, code, kind, sentence)
        assert "inner" not in refused.text
    assert get(client, "report", run="good").status_code == 200
    assert begun == ["bad", "bad", "good"]
    assert ("Traceback" in caplog.text) == (code == 500)


def test_a_file_that_is_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    add_run(tmp_path, "run", "host")
    context = base_plugin.TBContext(logdir=str(tmp_path))
    client = Client(application.TensorBoardWSGI([DiagnosticsPlugin(context)]))

    response = get(client, "report", run="run")

    assert response.status_code == 422
    assert response.json is not None
    assert response.json["kind"] in ("unreadable", "not_judgeable")
    assert "\n" not in response.json["error"] and "Traceback" not in response.json["error"]


def test_glossary(tmp_path: Path) -> None:
    client, _ = make_client(tmp_path)

    response = get(client, "glossary")

    assert response.status_code == 200
    assert response.json is not None
    meanings = [*response.json["terms"], *response.json["heads"].values()]
    sentences = [term["meaning"] for term in response.json["terms"]]
    sentences += [meaning for heads in response.json["heads"].values() for meaning in heads.values()]
    assert len(meanings) > 20 and all(re.fullmatch(r"[A-Z].*\.", sentence) for sentence in sentences)
    defined = [term["pattern"] for term in response.json["terms"]]
    assert [w for w in ACCOUNT_WORDS.values() if not any(re.fullmatch(d, w) for d in defined)] == []
    for term in response.json["terms"]:
        # The tab joins them, one group each.
        assert re.compile(term["pattern"]).groups == 0, term["pattern"]


def test_rules(tmp_path: Path) -> None:
    client, _ = make_client(tmp_path)

    response = get(client, "rules")

    assert response.status_code == 200
    assert response.json is not None
    by_id = {rule["id"]: rule for rule in response.json["rules"]}
    assert by_id["input-bound"].keys() == {"id", "title", "group", "why", "guide", "thresholds"}
    assert by_id["input-bound"]["thresholds"][0] == {
        "id": "share-of-the-wait-in-which-the-stage-to-blame-works",
        "name": "share of the wait in which the stage to blame works",
        "value": 0.8,
        "unit": "ratio",
        "source": "a cause is named from 80 % of what it explains on",
        "fixed": True,
    }
    assert [s["value"] for s in response.json["severities"]] == [0.2, 0.05, 0.01]
    assert by_id["input-bound"]["guide"]["url"].startswith("https://")


@pytest.mark.parametrize(
    ("form", "mime_type", "begins"),
    [
        ("markdown", "text/markdown; charset=utf-8", "# The GPUs wait for data"),
        ("json", "application/json", "{"),
        ("html", "text/html; charset=utf-8", "<!doctype html>"),
        ("agent", "text/plain; charset=utf-8", "tfperf-agent 1 | "),
    ],
)
def test_export(tmp_path: Path, form: str, mime_type: str, begins: str) -> None:
    (add_run(tmp_path, "train/<b>", "host") / "host.xplane.pb").write_bytes(b"the content")
    client, _ = make_client(tmp_path)

    response = get(client, "export", run="train/<b>", format=form)

    assert response.status_code == 200
    assert response.content_type == mime_type
    ending = {"markdown": "md", "agent": "txt"}.get(form, form)
    disposition = f'attachment; filename="diagnostics-train-b.{ending}"'
    assert response.headers["Content-Disposition"] == disposition
    assert response.text.startswith(begins)
    assert ("input-bound" if form == "agent" else "The GPUs wait for data") in response.text


def test_options_reach_the_analysis_and_have_a_report_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    add_run(tmp_path, "run", "host")
    analysis = Analysis()
    client, _ = make_client(tmp_path, analysis)
    thresholds = ["gpu-stagger:spread-of-first-kernels:3 %", "severity:info=0.5%"]

    for query in (
        {},
        {"threshold": thresholds},
        {"threshold": thresholds[::-1]},
        {},
        {"parameters": "25.6e6"},
        {"bandwidth": "230"},
    ):
        assert client.get(f"{ROOT}/report", query_string={"run": "run", **query}).status_code == 200

    tried = (("gpu-stagger", "spread-of-first-kernels", 0.03), ("severity", "info", 0.005))
    asked = [options for _, options in analysis.calls]
    assert [options.tried for options in asked] == [(), tried, (), ()]
    assert asked[2:] == [Options(25_600_000), Options(bandwidth_gbps=230.0)]


def test_pages(tmp_path: Path) -> None:
    client, _ = make_client(tmp_path)

    listed, page = get(client, "page"), get(client, "page", rule="input-bound")

    for response in (listed, page):
        assert response.status_code == 200
        assert response.content_type == "text/html; charset=utf-8"
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert 'href="page?rule=input-bound"' in listed.text
    assert "<h1>Input-bound</h1>" in page.text


@pytest.mark.parametrize(
    ("route", "method", "allowed"),
    [
        ("runs", "POST", "GET, HEAD"),
        ("page", "POST", "GET, HEAD"),
        ("static/index.js", "POST", "GET, HEAD"),
        ("cancel", "GET", "POST"),
    ],
)
def test_other_methods_are_refused(tmp_path: Path, route: str, method: str, allowed: str) -> None:
    client, _ = make_client(tmp_path)

    response = client.open(f"{ROOT}/{route}", method=method)

    sentence = f"{method} is not allowed here; use {allowed.partition(',')[0]}."
    assert_refused(response, 405, "bad_request", sentence)
    assert response.headers["Allow"] == allowed


@pytest.mark.parametrize("path_prefix", ["", "/tb", "/static", "/a/static/b"])
def test_below_a_path_prefix(tmp_path: Path, path_prefix: str) -> None:
    client, _ = make_client(tmp_path, path_prefix=path_prefix)

    module = client.get(f"{path_prefix}{ROOT}/static/index.js")
    assert (module.status_code, module.content_type) == (200, "text/javascript; charset=utf-8")
    assert client.get(f"{path_prefix}{ROOT}/runs").json == {"runs": []}


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../plugin.py",
        "../../setup.py",
        "%2e%2e/plugin.py",
        "..%2fplugin.py",
        "%2e%2e%2fplugin.py",
        "..%5cplugin.py",
        "....//plugin.py",
        "./../plugin.py",
        "static/../../plugin.py",
        "/etc/passwd",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "index.js%00.png",
        "index.js/",
        "./index.js",
        "INDEX.JS",
        "C:%5cwindows",
        "nothing.js",
        "",
    ],
)
def test_nothing_outside_the_static_folder_is_served(tmp_path: Path, path: str) -> None:
    client, _ = make_client(tmp_path)

    response = client.get(f"{ROOT}/static/{path}")

    assert response.status_code == 404
    assert b"import" not in response.data and b"root:" not in response.data


def test_the_tab_is_active_once_a_background_scan_found_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    class Recorded:
        """A thread that runs when the test says so."""

        def __init__(self, target: Any, **_: Any) -> None:
            started.append(target)

        def start(self) -> None:
            pass

    monkeypatch.setattr(threading, "Thread", Recorded)
    _, plugin = make_client(tmp_path)

    assert not plugin.is_active()
    assert not plugin.is_active()
    assert len(started) == 1
    started[0]()
    assert not plugin.is_active()
    assert len(started) == 1

    monkeypatch.setattr(plugin_module, "RESCAN_S", 0)
    plugin._scan()
    add_run(tmp_path, "run")
    assert not plugin.is_active()
    started[1]()
    assert plugin.is_active()
    assert len(started) == 2


@pytest.mark.parametrize(
    "error", [UnreadableInput("It cannot be read."), RuntimeError("It cannot be read.")], ids=repr
)
def test_a_scan_that_fails_leaves_the_tab_inactive_until_one_finds_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    caplog.set_level(logging.INFO)
    add_run(tmp_path, "run")
    _, plugin = make_client(tmp_path)

    def refuse(logdir: str) -> bool:
        raise error

    with monkeypatch.context() as refused:
        refused.setattr(finding, "has_runs", refuse)
        refused.setattr(threading.Thread, "start", threading.Thread.run)
        refused.setattr(plugin_module, "RESCAN_S", 0)
        plugin.look_for_runs()
    assert not plugin._active
    assert "cannot be read" in caplog.text

    monkeypatch.setattr(threading.Thread, "start", threading.Thread.run)
    plugin.look_for_runs()
    assert plugin._active


def test_the_timeline_of_a_real_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    host = Host().trained(4, 10, lambda host, at: host.kernel(at, at + 8))
    (add_run(tmp_path, "run", "worker") / "worker.xplane.pb").write_bytes(host.to_bytes())
    client, _ = make_client(tmp_path, analyze_run)
    (run,) = get(client, "runs").json["runs"]  # type: ignore[index]
    steps = get(client, "report", run=run["name"]).json["steps"]["columns"]  # type: ignore[index]

    answer = get(client, "timeline", run=run["name"], step=steps[1]["id"], end_ms="5").json

    assert answer is not None
    assert (answer["begin_ns"], answer["end_ns"]) == (0, 5_000_000)
    assert answer["rows"][0]["origin_ms"] == steps[1]["begin_ms"]
    assert_refused(get(client, "timeline", run=run["name"], step="99"), 400, "bad_request", "no step '99'")


def test_an_analysis_is_stopped_for_all_who_wait_and_begins_anew_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", 0)
    add_run(tmp_path, "train/run")
    gate = Gate()
    client, _ = make_client(tmp_path, gate)
    assert get(client, "report", run="train/run").status_code == 202
    assert gate.reached.wait(LONG_S)

    stopped = client.post(f"{ROOT}/cancel?run=train/run", headers={"X-Tfperf": "1"})
    told = [get(client, "report", run="train/run") for _ in range(2)]
    timeline = get(client, "timeline", run="train/run", step="1")
    again = get(client, "report", run="train/run", again="1")
    gate.opened.set()
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)
    finished = get(client, "report", run="train/run")

    assert stopped.json == {"cancelled_count": 1}
    for answer in (*told, timeline):
        assert_refused(answer, 409, "cancelled", "The analysis of run train/run was stopped.")
    assert again.status_code == 202
    assert finished.status_code == 200
