"""Which files of a folder are traces, and which of them are ranks of one job."""

from __future__ import annotations

import codecs
import gzip
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.readers.kineto.traces import (
    BEGIN_NS,
    CPU_ONLY,
    METADATA_LAST,
    OF_2021,
    WITH_GPUS,
    Dialect,
    Trace,
)
from tfperf_plugin.cli import main
from tfperf_plugin.errors import RunNotFound
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.content import HEAD_BYTES
from tfperf_plugin.readers.kineto.files import head_of
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


# -------------------------------------------------------------------------------- what is a trace


@pytest.mark.parametrize("dialect", [*WITH_GPUS.values(), CPU_ONLY], ids=[*WITH_GPUS, "CPU only"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_trace_is_known_by_its_first_bytes(dialect: Dialect, packed: bool) -> None:
    data = training(dialect)
    assert head_of((gzip.compress(data) if packed else data)[:HEAD_BYTES])


@pytest.mark.parametrize(
    "text",
    [
        '{"displayTimeUnit":"ns","metadata":{"highres-ticks":true}, "traceEvents":[{"ph":"M","pid":1}]}',
        '{"schema": "1.1.1-chakra.0.0.4", "pid": 3, "nodes": [{"id": 1, "name": "aten::mm"}]}',
        '{"schemaVersion": 2, "mediaType": "application/vnd.docker", "config": {"size": 1}, "layers": []}',
        '[[1, 2, 3], [[4, 5]]]',
        '{"resourceSpans": [{"trace_id": "5B8EFFF798038103D269B633813FC60C"}]}',
        '{"version": 1, "hosts": ["vm"]}',
        '"traceEvents"',
        '{"cells": [], "metadata": {}}',
        "",
        "{",
        "\x1f\x8b",
        "\x1f\x8b\x08\x00damaged",
        "deviceProperties",
    ],
)  # fmt: skip
def test_other_json_is_no_trace(text: str, tmp_path: Path) -> None:
    assert head_of(text.encode("latin-1")) is None
    assert head_of(gzip.compress(text.encode("latin-1"))) is None
    assert runs(write(tmp_path, {"a.json": text.encode("latin-1"), "b.trace.json.gz": text.encode()})) == {}


def test_many_gpus_and_ranks_before_the_events_hide_nothing() -> None:
    properties = [{"id": number, "name": "NVIDIA H100", "totalGlobalMem": 80 << 30} for number in range(16)]
    ranks = {"rank": 700, "world_size": 2048, "pg_config": [{"ranks": list(range(2048))}] * 3}
    trace = Trace(OF_2021, deviceProperties=properties, distributedInfo=ranks)
    trace.op("aten::mm", 0, 1)
    data = gzip.compress(trace.to_bytes())

    head = head_of(data[:HEAD_BYTES])

    assert head is not None
    assert (head.rank, head.begin_us) == (700, BEGIN_NS // 1000)


# ------------------------------------------------------------------------- what is a run


def test_ranks_that_were_profiled_together_are_a_run(tmp_path: Path) -> None:
    """As PyTorch's handler writes them: HOST_PID.TIME.pt.trace.json."""
    stamps = [BEGIN_NS + SECOND * rank for rank in range(3)]
    files = {
        f"vm_{9 - r}.{stamp}.pt.trace.json.gz": training(rank=r, begin_ns=stamp)
        for r, stamp in enumerate(stamps)
    }

    found = runs(write(tmp_path, files))

    assert found == {"2023_11_02_20_02_40": [(f"rank-{r}", name) for r, name in enumerate(files)]}
    (run,) = find_runs(str(tmp_path))
    assert run.begin_ns == BEGIN_NS // 1000 * 1000
    report = analyze_run(run).report
    assert report.hosts == ("rank-0", "rank-1", "rank-2")
    # The last of four steps ends with its mark, 10 us before the next one would begin.
    assert report.ledger and report.ledger.step_ns == 10_000_000 - 10_000 // 4


@pytest.mark.parametrize("ranks", [1, 2])
def test_what_the_training_wrote_down_belongs_to_its_traces(tmp_path: Path, ranks: int) -> None:
    stamps = [BEGIN_NS + SECOND * rank for rank in range(ranks)]
    traces = {
        f"vm.a_{9 - r}.{stamp}.pt.trace.json": training(rank=r, begin_ns=stamp)
        for r, stamp in enumerate(stamps)
    }
    write(tmp_path, traces | {"plugins/diagnostics/vm.a.20231102T190000.000000+0000.training.json": b"{}"})
    (run,) = find_runs(str(tmp_path))

    assert [record.host for record in run.records] == ["vm.a"]


def test_a_rank_that_is_seen_twice_is_another_capture(tmp_path: Path) -> None:
    files = {}
    for capture in range(3):
        for rank in range(2):
            begin_ns = BEGIN_NS + 5 * SECOND * capture + rank * 10**8
            files[f"vm_{rank}.{begin_ns}.pt.trace.json"] = training(rank=rank, begin_ns=begin_ns)

    found = runs(write(tmp_path, files))

    names = list(files)
    assert list(found.values()) == [[("rank-0", names[at]), ("rank-1", names[at + 1])] for at in (4, 2, 0)]


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


def test_two_jobs_in_one_folder_are_two_runs(tmp_path: Path) -> None:
    files = {f"first/rank{r}_trace.json": training(rank=r) for r in range(2)}
    files |= {f"a{r}.pt.trace.json": training(rank=r) for r in range(2)}
    files |= {f"b{r}.pt.trace.json": training(rank=r, begin_ns=BEGIN_NS + 60 * SECOND) for r in range(3)}

    found = runs(write(tmp_path, files))

    assert sorted([file for _, file in hosts] for hosts in found.values()) == [
        ["a0.pt.trace.json", "a1.pt.trace.json"],
        ["b0.pt.trace.json", "b1.pt.trace.json", "b2.pt.trace.json"],
        ["rank0_trace.json", "rank1_trace.json"],
    ]


@pytest.mark.parametrize(
    "names",
    [
        ["rank0_trace.json", "rank1_trace.json"],
        ["profile_0.json", "profile_1.json"],
        ["worker0.pt.trace.json.gz", "worker1.pt.trace.json.gz"],
        ["trace.rank-0.json", "trace.rank-1.json"],
    ],
    ids=["rankN_trace", "Accelerate", "worker", "rank-N"],
)
def test_the_rank_may_be_in_the_name_alone(names: list[str], tmp_path: Path) -> None:
    (hosts,) = runs(write(tmp_path, {name: training() for name in names})).values()

    assert hosts == [(f"rank-{rank}", name) for rank, name in enumerate(names)]


def test_what_a_trace_says_of_its_rank_counts_before_its_name(tmp_path: Path) -> None:
    files = {"profile_7.json": training(rank=1), "profile_3.json": training(rank=0)}

    (hosts,) = runs(write(tmp_path, files)).values()

    assert hosts == [("rank-0", "profile_3.json"), ("rank-1", "profile_7.json")]


def test_traces_without_a_rank_are_runs_of_their_own(tmp_path: Path) -> None:
    stamp = BEGIN_NS + 70 * SECOND
    files = {
        "owlv2.json.gz": training(),
        "vm_77.1698955360294.pt.trace.json": training(),
        "fit-0-pl.1698955360294809123.pt.trace.json": training(begin_ns=stamp),
    }

    found = runs(write(tmp_path / "logs", files))

    assert {name: hosts[0][0] for name, hosts in found.items()} == {
        "owlv2": "owlv2", "2023_11_02_20_02_40": "vm_77", "2023_11_02_20_03_50": "fit-0-pl",
    }  # fmt: skip


def test_captures_of_one_second_have_names_of_their_own(tmp_path: Path) -> None:
    """As a loop leaves them that profiles each pass by itself."""
    stamps = [BEGIN_NS + number * SECOND // 4 for number in range(3)]
    files = {f"vm_1.{stamp}.pt.trace.json": training(begin_ns=stamp) for stamp in stamps}

    found = runs(write(tmp_path, files))

    assert sorted(found) == ["2023_11_02_20_02_40", "2023_11_02_20_02_40_2", "2023_11_02_20_02_40_3"]


def test_a_folder_is_a_part_of_the_name(tmp_path: Path) -> None:
    found = runs(
        write(tmp_path, {"iteration_3/rank0_trace.json": training(rank=0), "x/y/z.json": training()})
    )

    assert set(found) == {"iteration_3/rank0", "x/y/z"}


def test_times_since_another_moment_group_as_well(tmp_path: Path) -> None:
    """The base of the times stands at the end of the file; the first bytes do not hold it."""
    files = {f"r{rank}.json": training(METADATA_LAST) for rank in range(2)}
    files = {
        name: data.replace(
            b'"traceEvents":', b'"distributedInfo": {"rank": %s},"traceEvents":' % name[1:2].encode()
        )
        for name, data in files.items()
    }

    (hosts,) = runs(write(tmp_path, files)).values()

    assert [host for host, _ in hosts] == ["rank-0", "rank-1"]


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


def test_a_thousand_traces_are_listed_at_once(tmp_path: Path) -> None:
    """All of one rank, and close together."""
    data = training(rank=0)
    write(tmp_path, {f"{number}.json": data for number in range(1000)})

    assert len(runs(tmp_path)) == 1000


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


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_a_mark_of_bytes_before_the_text_is_no_part_of_it(tmp_path: Path, name: str) -> None:
    plain = write(tmp_path / "plain", {name: training(rank=1)})
    marked = write(tmp_path / "marked", {name: codecs.BOM_UTF8 + training(rank=1)})

    found, wanted = (analyze_run(resolve(str(folder))).report for folder in (marked, plain))

    assert found.devices
    assert replace(found, timing=(), words=()) == replace(wanted, timing=(), words=())


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
