"""Which files of a folder are traces, and which of them are ranks of one job."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.readers.kineto.traces import (
    BEGIN_NS,
    OF_2021,
    Dialect,
    Trace,
)
from tfperf_plugin.cli import main
from tfperf_plugin.errors import RunNotFound
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.finding import beside, find_runs, is_unchanged
from tfperf_plugin.readers.logdirs.places import resolve, runs_at

SECOND = 10**9


def training(dialect: Dialect = OF_2021, rank: int = -1, begin_ns: int = BEGIN_NS) -> bytes:
    """Four steps of 10 ms."""
    trace = Trace(dialect, rank, begin_ns)
    for step in range(4):
        at = 10_000 * step
        trace.mark(f"ProfilerStep#{step}", at, at + 9_990)
        trace.op("aten::mm", at + 100, at + 300)
        trace.launch(step, at + 150, at + 200)
        if not dialect.bare:
            trace.kernel("ampere_sgemm_128x64_tn", step, at + 500, at + 9_000)
    return trace.to_bytes()


def runs(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Name → (host, file) of each run."""
    return {run.name: [(host.host, host.path.name) for host in run.hosts] for run in find_runs(str(folder))}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder


# ------------------------------------------------------------------------- what is a run


def test_ranks_in_folders_of_their_own_are_a_run(tmp_path: Path) -> None:
    """As of ``tensorboard_trace_handler(f"log/rank{rank}")``, here of two captures."""
    files = {}
    for capture in range(2):
        for rank in range(2):
            begin_ns = BEGIN_NS + 5 * SECOND * capture + rank * 10**8
            files[f"log/rank{rank}/vm_{rank}.{begin_ns}.pt.trace.json"] = training(
                rank=rank, begin_ns=begin_ns
            )
    write(tmp_path, files)
    records = "log/rank1/plugins/diagnostics/vm.20231102T190000.000000+0000.training.json"
    write(tmp_path, {records: b"{}"})

    found = find_runs(str(tmp_path))

    assert [run.name for run in found] == ["log/2023_11_02_20_02_45", "log/2023_11_02_20_02_40"]
    places = [[host.path.relative_to(tmp_path).as_posix() for host in run.hosts] for run in found]
    assert places == [list(files)[2:], list(files)[:2]]
    assert [host.host for host in found[0].hosts] == ["rank-0", "rank-1"]
    assert [record.name for record in found[0].records] == [records]
    assert all(is_unchanged(run) for run in found)
    assert len(analyze_run(found[0]).report.hosts) == 2
    (of_rank, _) = runs_at(str(tmp_path / "log" / "rank0"))
    assert beside(of_rank) == (list(files)[3].removeprefix("log/"),)


@pytest.mark.parametrize(
    ("folders", "ranks", "apart_s"),
    [
        (["a_rank0", "b_rank1"], [0, 1], 0),
        (["rank0", "rank1"], [0, 0], 0),
        (["rank8", "rank16"], [-1, -1], 0),
        (["rank0", "rank1"], [0, 1], 11),
        (["ranked0", "rank1"], [0, 1], 0),
    ],
    ids=["two jobs", "two jobs of one rank", "ranks of adapters", "later", "another name"],
)
def test_folders_of_other_jobs_are_runs_of_their_own(
    folders: list[str], ranks: list[int], apart_s: int, tmp_path: Path
) -> None:
    stamps = (BEGIN_NS, BEGIN_NS + apart_s * SECOND)
    files = {
        f"{folder}/trace.json": training(rank=rank, begin_ns=stamp)
        for folder, rank, stamp in zip(folders, ranks, stamps, strict=True)
    }

    assert set(runs(write(tmp_path, files))) == {f"{folder}/trace" for folder in folders}


def test_what_a_trace_says_of_its_rank_counts_before_its_name(tmp_path: Path) -> None:
    files = {"profile_7.json": training(rank=1), "profile_3.json": training(rank=0)}

    (hosts,) = runs(write(tmp_path, files)).values()

    assert hosts == [("rank-0", "profile_3.json"), ("rank-1", "profile_7.json")]


@pytest.mark.parametrize(("later_s", "joined"), [(2, True), (60, False)])
def test_an_empty_file_beside_ranks_is_named_as_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], later_s: int, joined: bool
) -> None:
    written = 1_767_225_600_000
    files = {f"node_{4000 + rank}.{written}.pt.trace.json": training(rank=rank) for rank in range(2)}
    empty = f"node_4002.{written + 1000 * later_s}.pt.trace.json"
    write(tmp_path, {**files, empty: b""})

    assert main(["report", str(tmp_path), "--no-cache"]) == 0
    said = capsys.readouterr().out
    assert ("1 of 3 hosts is left out of this report" in said) == joined
    assert ("node_4002" in said) == joined


# ----------------------------------------------------------------------------- what users name


def test_a_file_is_a_run_of_just_that_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {f"rank{r}_trace.json.gz": training(rank=r) for r in range(2)})
    file = str(tmp_path / "rank1_trace.json.gz")

    (run,) = runs_at(file)

    assert [host.host for host in run.hosts] == ["rank-1"]
    assert main(["report", file, "--no-cache"]) == 0
    assert "10.0 ms" in capsys.readouterr().out


def test_a_folder_of_traces_is_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "job", {f"rank{r}_trace.json": training(rank=r) for r in range(2)})

    assert main(["report", str(tmp_path / "job"), "--no-cache", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["hosts"] == ["rank-0", "rank-1"]
    assert len(resolve(str(tmp_path)).hosts) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "There is no file .*odd.json"),
        (b'{"name": "x"}', "odd.json is not a profile: expected HOST.xplane.pb, a trace of PyTorch"),
        (
            b'[{"ph": "X", "name": "x"}]',
            r'Chrome trace, but none of PyTorch.* category \("cat"\): record with torch',
        ),
        (
            b'[{"ph": "X", "cat": "x"}]',
            "odd.json is a Chrome trace, but none of PyTorch's profiler: record with",
        ),
        (b'[{"ph": "B", "name": "x"}]', "odd.json is a Chrome trace, but none of PyTorch's profiler"),
        (b"", "odd.json is empty: the job ended before"),
        ("{}".encode("utf-16"), "odd.json is a text in UTF-16.*iconv -f UTF-16"),
    ],
)
def test_what_a_file_is_instead_is_said(tmp_path: Path, data: bytes | None, said: str) -> None:
    write(tmp_path, {"trace.json": training()} | ({} if data is None else {"odd.json": data}))

    with pytest.raises(RunNotFound, match=said):
        runs_at(str(tmp_path / "odd.json"))


def test_what_tensorflow_writes_for_a_viewer_leads_to_the_profile_beside_it(tmp_path: Path) -> None:
    text = b'{"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}}]}'
    write(tmp_path, {"node.trace.json.gz": text})

    for place in (tmp_path, tmp_path / "node.trace.json.gz"):
        with pytest.raises(RunNotFound, match=r"for a trace viewer: give the \.xplane\.pb beside it"):
            resolve(str(place))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("host.pt.trace.json", b"", "host.pt.trace.json is empty"),
        ("host.pt.trace.json", "{}".encode("utf-16"), "host.pt.trace.json is a text in UTF-16"),
        ("package.json", b"{}", "No profiles below"),  # has the name of any JSON
    ],
)
def test_a_folder_whose_only_profile_is_none_says_so(
    tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    write(tmp_path, {name: data})

    with pytest.raises(RunNotFound, match=said):
        resolve(str(tmp_path))
