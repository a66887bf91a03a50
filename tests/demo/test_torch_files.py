"""Files in the formats of PyTorch look as its profiler and Nsight Systems write them."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from demo.build import main, training
from demo.formats import OTHERS, RUN
from demo.simulator import Training, kineto, nsight, simulate
from demo.simulator.training import Communication

TWO_RANKS = replace(training("allreduce_exposed"), gpus=1, hosts=2)


@cache
def traces(job: Training) -> dict[str, dict[str, Any]]:
    files = simulate(job, kineto.encode).files
    return {host: json.loads(gzip.decompress(data)) for host, data in files.items()}


def events(job: Training, category: str, host: str = "worker0") -> list[dict[str, Any]]:
    """The events of a category, by time."""
    found = [event for event in traces(job)[host]["traceEvents"] if event.get("cat") == category]
    return sorted(found, key=lambda event: (event["ts"], -event.get("dur", 0)))


@pytest.fixture
def export(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "export.sqlite"
    path.write_bytes(simulate(training("allreduce_wait"), nsight.encode).files["worker0"])
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


@pytest.mark.parametrize("encode", [kineto.encode, nsight.encode])
def test_the_same_training_gives_the_same_bytes(encode: Any) -> None:
    job = replace(training("kernel_launch_bound"), steps=3)

    assert simulate(job, encode).files == simulate(job, encode).files


def test_a_processor_has_ops_of_its_own_and_no_gpu() -> None:
    job = training("gpu_not_used")
    names = {op["name"] for op in events(job, "cpu_op")}

    assert {"aten::mkldnn_convolution", "aten::native_batch_norm"} < names
    assert not [name for name in names if "cudnn" in name]
    assert traces(job)["worker0"]["deviceProperties"] == []


def test_work_of_the_gpu_has_a_call_on_a_thread() -> None:
    job = training("h2d_copy_bound")
    calls = {call["args"]["correlation"]: call for call in events(job, "cuda_runtime")}
    kernels, copies = events(job, "kernel"), events(job, "gpu_memcpy")

    assert len(kernels) > 800
    assert {calls[k["args"]["correlation"]]["name"] for k in kernels} == {"cudaLaunchKernel"}
    assert {calls[c["args"]["correlation"]]["name"] for c in copies} == {"cudaMemcpyAsync"}
    assert {copy["name"] for copy in copies} == {
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoH (Device -> Pinned)",
    }
    assert all(c["args"]["bytes"] > 0 for c in copies)
    for kernel in kernels[:100]:
        args = kernel["args"]
        assert (args["device"], args["stream"]) == (kernel["pid"], kernel["tid"])
        assert len(args["grid"]) == len(args["block"]) == 3
        assert args["est. achieved occupancy %"] <= args["warps per SM"] * 32 / 2_048 * 100 + 1


def test_a_step_follows_the_other() -> None:
    marks = [e for e in events(training("input_bound"), "user_annotation") if "ProfilerStep" in e["name"]]

    assert [mark["name"] for mark in marks] == [f"ProfilerStep#{number}" for number in range(2, 12)]
    for mark, following in pairwise(marks):
        assert mark["ts"] + mark["dur"] == pytest.approx(following["ts"], abs=0.002)


def test_forward_and_backward_pass_have_threads_of_their_own() -> None:
    job = training("kernel_launch_bound")
    trace = traces(job)["worker0"]
    threads = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    ops = [(threads[event["tid"]].split("(")[1][:-1], event) for event in events(job, "cpu_op")]

    assert {thread for thread, op in ops if "Sequence number" in op["args"]} == {"pt_main_thread"}
    assert {thread for thread, op in ops if op["name"].startswith("autograd::")} == {"pt_autograd_0"}
    assert {thread for thread, op in ops if op["name"] == "aten::_fused_adam_"} == {"pt_main_thread"}


def test_calls_of_a_thread_do_not_overlap() -> None:
    by_thread: dict[int, list[dict[str, Any]]] = {}
    for call in events(training("h2d_copy_bound"), "cuda_runtime"):
        by_thread.setdefault(call["tid"], []).append(call)

    for calls in by_thread.values():
        for call, following in pairwise(calls):
            assert following["ts"] >= call["ts"] + call["dur"] - 0.002


def test_products_and_convolutions_have_the_sizes_of_their_inputs() -> None:
    ops = events(training("attention_unfused"), "cpu_op")
    products = [op for op in ops if op["name"] in ("aten::mm", "aten::bmm")]

    assert products
    for product in products:
        left, right = product["args"]["Input Dims"]
        assert left[-1] == right[-2]
        assert product["args"]["Input type"] == ["c10::BFloat16"] * 2
    forward = next(
        e for e in events(training("mixed_precision_off"), "cpu_op") if e["name"].endswith("convolution")
    )
    images, weights = forward["args"]["Input Dims"][:2]
    assert images[1] == weights[1]
    assert forward["args"]["Concrete Inputs"][2:4] == ["[1, 1]", "[1, 1]"]


def test_each_rank_is_a_file_and_says_what_it_exchanges() -> None:
    for number, (host, trace) in enumerate(traces(TWO_RANKS).items()):
        assert trace["distributedInfo"] == {"backend": "nccl", "rank": number, "world_size": 2}
        calls = [e["args"] for e in events(TWO_RANKS, "kernel", host) if "nccl" in e["name"]]
        assert {(c["Collective name"], c["Group size"], c["dtype"]) for c in calls} == {
            ("allreduce", 2, "Float")
        }
        assert all(call["In msg nelems"] == call["Out msg nelems"] > 0 for call in calls)


def test_gathering_gets_more_out_than_it_puts_in() -> None:
    shared = Communication(reduction="reduce_scatter_all_gather", gradient_dtype="bf16")
    job = replace(TWO_RANKS, steps=4, communication=shared)
    calls = {e["args"]["Collective name"]: e["args"] for e in events(job, "kernel") if "nccl" in e["name"]}

    assert set(calls) == {"_reduce_scatter_base", "_allgather_base"}
    for name, factor in (("_reduce_scatter_base", 0.5), ("_allgather_base", 2)):
        assert calls[name]["Out msg nelems"] == factor * calls[name]["In msg nelems"]


def test_allocations_say_how_much_is_in_use() -> None:
    rows = [row["args"] for row in events(training("memory_pressure"), "cpu_instant_event")]

    assert {row["Device Id"] for row in rows} == {0}
    for row, following in pairwise(rows):
        assert following["Total Allocated"] - row["Total Allocated"] == following["Bytes"]


@pytest.mark.parametrize("name", ["input_bound", "slow_gathers", "dynamic_loss_scaling", "xla_recompilation"])
def test_nothing_is_named_as_only_tensorflow_names_it(name: str) -> None:
    text = json.dumps(traces(training(name)))

    assert not re.search(r"tensorflow|Eigen|GPU_DT_|Iterator::|GetNext|Executor|EagerLocal|_fusion", text)


def test_the_export_joins_work_with_calls_by_process_and_correlation(export: sqlite3.Connection) -> None:
    kernels, joined, threads = export.execute(
        "select count(*), count(r.start), count(distinct r.globalTid) from CUPTI_ACTIVITY_KIND_KERNEL k "
        "left join CUPTI_ACTIVITY_KIND_RUNTIME r on r.correlationId = k.correlationId "
        "and (r.globalTid >> 24) = (k.globalPid >> 24)"
    ).fetchone()

    assert kernels == joined > 1_000
    assert threads >= 8  # Python's, autograd's and the collective library's of four GPUs
    (early,) = export.execute(
        "select count(*) from CUPTI_ACTIVITY_KIND_KERNEL k join CUPTI_ACTIVITY_KIND_RUNTIME r "
        "using (correlationId) where k.start < r.start"
    ).fetchone()
    assert early == 0


def test_ranges_of_the_export_are_steps_and_ops(export: sqlite3.Connection) -> None:
    steps = export.execute(
        "select value from NVTX_EVENTS join StringIds on id = textId order by start"
    ).fetchall()
    ops = [text for (text,) in export.execute("select text from NVTX_EVENTS where text is not null")]

    assert [step for (step,) in steps] == [f"step {number}" for number in range(2, 12)]
    assert any(re.fullmatch(r"aten::mm, seq = \d+, op_id = \d+", text) for text in ops)
    assert any(re.fullmatch(r"Optimizer\.step#Adam\.step, op_id = \d+", text) for text in ops)


def test_the_export_knows_its_gpus_and_has_no_empty_table(export: sqlite3.Connection) -> None:
    rows = export.execute("select id, computeMajor, clockRate from TARGET_INFO_GPU order by id").fetchall()
    tables = [name for (name,) in export.execute("select name from sqlite_master where type = 'table'")]

    assert rows == [(gpu, 8, 1_410_000_000) for gpu in range(4)]
    assert all(export.execute(f"select count(*) from {table}").fetchone()[0] for table in tables)


def test_copies_of_the_export_say_where_they_come_from_and_go(tmp_path: Path) -> None:
    path = tmp_path / "export.sqlite"
    path.write_bytes(simulate(training("d2d_copies"), nsight.encode).files["worker0"])
    connection = sqlite3.connect(path)
    query = "select distinct copyKind, srcKind, dstKind, dstDeviceId is null from CUPTI_ACTIVITY_KIND_MEMCPY"
    rows = connection.execute(query).fetchall()
    connection.close()

    assert sorted(rows) == [(1, 1, 2, 1), (2, 2, 1, 1), (10, 2, 2, 0)]


def test_demo_runs_in_other_formats_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    assert main([str(tmp_path), "--only", "pytorch_two_ranks", "nsight_kernel_launch_bound"]) == 0
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))

    assert files == [
        f"nsight_kernel_launch_bound/{RUN}.sqlite",
        "pytorch_two_ranks/worker0_4000.1767225600000.pt.trace.json.gz",
        "pytorch_two_ranks/worker1_4000.1767225600000.pt.trace.json.gz",
    ]
    assert all((tmp_path / path).stat().st_size < 600_000 for path in files)
    assert set(OTHERS) >= {"pytorch_two_ranks", "nsight_kernel_launch_bound"}
