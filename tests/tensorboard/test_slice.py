"""The route for a slice of a host, of both formats, and the command that writes the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from demo.build import build
from tests.logdirs import add_run
from tests.tensorboard.test_routes import assert_refused, get, make_client
from tfperf_plugin.cli import main
from tfperf_plugin.execution.limits import TimeUp
from tfperf_plugin.execution.slices import slice_run
from tfperf_plugin.report.slice import choose, chrome
from tfperf_plugin.tensorboard import plugin as plugin_module

LONG_S = 60
DEMO = "gpu_stagger/2026_01_01_00_00_00"


def pytorch(folder: Path, rank: int = 0, name: str = "", steps: int = 3) -> None:
    """A trace of one rank: steps of 1 ms with a launch and its kernel each, on the wall clock."""
    begin_us = 1_700_000_000_000_000.0
    events: list[dict[str, Any]] = []
    on_host = {"ph": "X", "pid": 7, "tid": 7}
    for step in range(steps):
        at, joined = begin_us + 1000 * step, {"correlation": step + 1}
        events += [
            {**on_host, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": at, "dur": 990},
            {**on_host, "cat": "cpu_op", "name": 'aten::"mm"<b>', "ts": at + 10, "dur": 100},
            {**on_host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 20, "dur": 10,
             "args": joined},
            {"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 5, "ts": at + 50.5, "dur": 800,
             "args": {"device": 0, "stream": 5, **joined}},
        ]  # fmt: skip
    head = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}
    folder.mkdir(exist_ok=True)
    (folder / (name or f"rank{rank}.pt.trace.json")).write_text(json.dumps(head))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", LONG_S)


@pytest.fixture
def ranks(tmp_path: Path) -> tuple[Client, str]:
    """The routes, and the name of a run of two ranks."""
    for rank in range(2):
        pytorch(tmp_path / "torch", rank)
    client, _ = make_client(tmp_path)
    listed = get(client, "runs").json
    assert listed
    ((run),) = listed["runs"]
    assert run["hosts"] == ["rank-0", "rank-1"]
    return client, run["name"]


def events(response: TestResponse) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.data
    found: list[dict[str, Any]] = json.loads(gzip.decompress(response.data))["traceEvents"]
    return found


def test_a_slice_of_a_trace_of_pytorch(ranks: tuple[Client, str]) -> None:
    client, run = ranks
    response = get(client, "slice", run=run, host="rank-1", begin_ms="1", end_ms="1.9")

    assert response.content_type == "application/gzip"
    assert "Content-Encoding" not in response.headers
    name = response.headers["Content-Disposition"]
    assert name.endswith('-rank-1-1.000-1.900ms.json.gz"')
    assert "X-Tfperf-Note" not in response.headers
    spans = {(e["name"], e["ts"], e["dur"]) for e in events(response) if e["ph"] == "X"}
    assert spans == {
        ("Step 1", 1000, 1000), ("ProfilerStep 1", 1000, 990), ('aten::"mm"<b>', 1010, 100),
        ("cudaLaunchKernel", 1020, 10), ("sgemm", 1050.5, 800),
    }  # fmt: skip
    assert [(e["ph"], e["ts"]) for e in events(response) if "id" in e] == [("s", 1020), ("f", 1050.5)]
    about = json.loads(gzip.decompress(response.data))["otherData"]
    assert (about["run"], about["host"], about["recorded_by"]) == (run, "rank-1", "PyTorch profiler")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"host": "rank-0", "begin_ms": "2", "end_ms": "1"}, "its start and its end in milliseconds"),
        ({"begin_ms": "1", "end_ms": "2"}, "has several hosts; name one of rank-0, rank-1."),
        ({"host": "<b>", "begin_ms": "1", "end_ms": "2"}, "has no host '<b>'; name one of rank-0, rank-1."),
        ({"host": "rank-0", "begin_ms": "7", "end_ms": "8"}, "choose a range between 0 and 2.99 ms."),
    ],
)
def test_what_cannot_be_sliced(ranks: tuple[Client, str], asked: dict[str, str], sentence: str) -> None:
    client, run = ranks

    assert_refused(get(client, "slice", run=run, **asked), 400, "bad_request", sentence)


def test_of_a_large_range_it_is_said_what_the_file_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytorch(tmp_path / "torch")
    client, plugin = make_client(tmp_path)
    for module in (choose, chrome):
        monkeypatch.setattr(module, "MOST_EVENTS", 4)
    monkeypatch.setattr(plugin._service._isolated, "slice", slice_run)
    listed = get(client, "runs").json
    assert listed

    response = get(client, "slice", run=listed["runs"][0]["name"], begin_ms="0", end_ms="3")

    assert response.headers["X-Tfperf-Note"].startswith("It ends at 1.000 ms: up to 3.000 ms")


def test_a_slice_of_an_xspace_and_the_command_write_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(tmp_path / "logs", ["healthy_single_gpu"])
    client, _ = make_client(tmp_path / "logs")
    (run,) = get(client, "runs").json["runs"]  # type: ignore[index]
    response = get(client, "slice", run=run["name"], begin_ms="100", end_ms="140")
    out = tmp_path / "slice.json.gz"
    asked = ["slice", str(tmp_path / "logs"), "--begin-ms", "100", "--end-ms", "140", "--out", str(out)]

    assert main(asked) == 0
    assert capsys.readouterr().out == f"{out} is written. Open it at ui.perfetto.dev.\n"
    assert out.read_bytes() == response.data
    assert {e["ph"] for e in events(response)} == {"M", "X", "s", "f"}
    assert main(asked) == 2
    assert "File exists. Name a new file." in capsys.readouterr().err
    assert out.read_bytes() == response.data


def test_progress_is_told_until_the_slice_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_module, "QUICK_S", 0)
    pytorch(tmp_path / "torch")
    client, plugin = make_client(tmp_path)
    (run,) = get(client, "runs").json["runs"]  # type: ignore[index]

    first = get(client, "slice", run=run["name"], begin_ms="1", end_ms="2")
    job = next(iter(plugin._service._slices.values()))
    job.exception(LONG_S)
    second = get(client, "slice", run=run["name"], begin_ms="1", end_ms="2")

    assert (first.status_code, first.json and first.json["state"]) == (202, "running")
    assert second.status_code == 200


@pytest.mark.parametrize(
    ("error", "sentence", "kind", "code"),
    [
        (MemoryError(), "Host worker0 needs more memory than there is.", "unreadable", 422),
        (TimeUp(300).of("run x"), "took more than 300 s of processor time", "cancelled", 409),
    ],
)
def test_what_takes_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str, kind: str, code: int
) -> None:
    add_run(tmp_path, DEMO, "worker0")
    client, plugin = make_client(tmp_path)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(plugin._service._isolated, "slice", fail)

    assert_refused(get(client, "slice", run=DEMO, begin_ms="1", end_ms="2"), code, kind, sentence)
