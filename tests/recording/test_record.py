"""The record of a training: read back as written, whatever else the file may hold."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from etils import epath
from hypothesis import given
from hypothesis import strategies as st

from tfperf_plugin.readers.logdirs.runs import RecordFile
from tfperf_plugin.recording.record import (
    MAX_BYTES,
    Link,
    StoredRecord,
    TrainingFacts,
    TrainingRecord,
    facts,
    from_json,
    read_records,
    to_json,
)

FULL = TrainingRecord(
    parameters=25_610_269,
    trainable={"bfloat16": 100, "float32": 25_557_032},
    batch_size=256,
    flops_per_step=3_150_000_000_000,
    policy="mixed_float16",
    jit_compile=False,
    steps_per_execution=4,
    steps_per_epoch=296,
    strategy="MirroredStrategy",
    replicas=4,
    workers=2,
    worker=1,
    environment={"NCCL_DEBUG": "", "TF_GPU_THREAD_COUNT": "4", "TF_GPU_THREAD_MODE": "gpu_private"},
    versions={"cuda": "12.5.1", "tensorflow": "2.21.0"},
    links=(Link(0, 1, "NV12"), Link(0, 2, "SYS"), Link(1, 2, "NV12")),
)


def stored(content: TrainingRecord, *problems: str) -> StoredRecord:
    start = datetime(2026, 11, 21, 1, 30, 5, 6, tzinfo=timezone(timedelta(hours=2)))
    return StoredRecord(RecordFile("host", epath.Path("x"), "x", start), content, problems)


def file_of(tmp_path: Path, content: bytes) -> RecordFile:
    path = epath.Path(tmp_path / "record")
    path.write_bytes(content)
    return RecordFile("host", path, "record", datetime(2026, 11, 21, tzinfo=timezone.utc))


def parse(**content: Any) -> tuple[TrainingRecord, tuple[str, ...]]:
    return from_json(json.dumps({"schema_version": 1, **content}).encode())


@pytest.mark.parametrize("record", [FULL, TrainingRecord()])
def test_it_is_read_back_as_written(tmp_path: Path, record: TrainingRecord) -> None:
    file = file_of(tmp_path, to_json(record))

    assert read_records([file]) == (StoredRecord(file, record, ()),)


def test_everything_in_it_is_shown_in_plain_words() -> None:
    assert facts(stored(FULL)) == (
        ("Parameters", "25,610,269"),
        ("Trainable parameters", "100 in bfloat16, 25,557,032 in float32"),
        ("Gradients of a step, if none is sparse", "102.2 MB"),
        ("Batch size", "256, 64 a replica"),
        ("Floating-point operations of a step", "3.15 TFLOP"),
        ("Keras precision policy", "mixed_float16"),
        ("Compiled as a whole by XLA (jit_compile)", "no"),
        ("Training steps in one call (steps_per_execution)", "4"),
        ("Training steps of an epoch", "296"),
        ("Distribution strategy", "MirroredStrategy"),
        ("Replicas trained in step", "4"),
        ("Workers", "2"),
        ("This worker's number, from 0", "1"),
        ("CUDA that TensorFlow was built for", "12.5.1"),
        ("TensorFlow", "2.21.0"),
        ("NCCL_DEBUG", "set, but empty"),
        ("TF_GPU_THREAD_COUNT", "4"),
        ("TF_GPU_THREAD_MODE", "gpu_private"),
        ("GPUs linked by NV12 (12 NVLinks)", "0–1, 1–2"),
        ("GPUs linked by SYS (PCIe and between CPU sockets)", "0–2"),
    )
    assert stored(FULL).recorded == "2026-11-20 23:30:05 UTC"


def test_what_was_not_recorded_is_not_shown() -> None:
    assert facts(stored(TrainingRecord())) == ()
    assert facts(stored(TrainingRecord(environment={}))) == (
        ("Environment variables", "none that changes performance is set"),
    )
    assert facts(stored(TrainingRecord(batch_size=10, replicas=3))) == (
        ("Batch size", "10"),
        ("Replicas trained in step", "3"),
    )


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("parameters", -1, "parameters is not a whole number."),
        ("parameters", 1e6, "parameters is not a whole number."),
        ("parameters", 10**16, "parameters is not a whole number."),
        ("trainable", {"int8": 5}, "trainable is not a number of parameters for each type."),
        ("trainable", {"float32": "5"}, "trainable is not a number of parameters for each type."),
        ("batch_size", 0, "batch_size is not a whole number from 1 on."),
        ("batch_size", True, "batch_size is not a whole number from 1 on."),
        ("flops_per_step", 0, "flops_per_step is not a number of operations."),
        ("flops_per_step", True, "flops_per_step is not a number of operations."),
        ("flops_per_step", "1e12", "flops_per_step is not a number of operations."),
        ("flops_per_step", float("nan"), "flops_per_step is not a number of operations."),
        ("flops_per_step", float("inf"), "flops_per_step is not a number of operations."),
        ("flops_per_step", 10**19, "flops_per_step is not a number of operations."),
        ("policy", "<b>mixed</b>", "policy is not a name."),
        ("policy", "x" * 101, "policy is not a name."),
        ("jit_compile", 1, "jit_compile is not true or false."),
        ("strategy", ["MirroredStrategy"], "strategy is not a name."),
        ("environment", {"PATH": "x"}, "environment is not a value for each variable."),
        ("environment", {"NCCL_DEBUG": "a/b"}, "environment is not a value for each variable."),
        ("versions", {"tensorflow": "2.21 <"}, "versions is not a version for each program."),
        ("links", [[0, 1]], "links is not pairs of GPUs, each with its link."),
        ("links", [[1, 0, "NV1"]], "links is not pairs of GPUs, each with its link."),
        ("links", [[0, 1, "NV0"]], "links is not pairs of GPUs, each with its link."),
        ("links", [[0, 1, "PIX"], [0, 1, "SYS"]], "links is not pairs of GPUs, each with its link."),
    ],
)  # fmt: skip
def test_a_value_that_makes_no_sense_costs_only_itself(name: str, value: object, problem: str) -> None:
    record, problems = parse(**{"replicas": 2, name: value})

    assert record == TrainingRecord(replicas=2)
    assert problems == (problem,)
    assert facts(stored(record, *problems))[-1] == ("Not used", problem)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "The file holds no JSON object."),
        (b"[1]", "The file holds no JSON object."),
        (b"\xff\x00", "The file holds no JSON object."),
        (b"[" * 60_000, "The file holds no JSON object."),
        (b'{"parameters": ' + b"9" * 10_000 + b"}", "The file holds no JSON object."),
        (b" " * MAX_BYTES + b"{}", "The file is larger than 64 KiB."),
        (b"{}", "The file was written by another version of tfperf."),
        (b'{"schema_version": 1, "x": 1}', "The file says more than this version of tfperf understands."),
    ],
    ids=["empty", "list", "bytes", "deep", "long", "large", "foreign", "more"],
)
def test_a_file_that_is_no_record_is_said_so(tmp_path: Path, content: bytes, problem: str) -> None:
    file = file_of(tmp_path, content)

    assert read_records([file]) == (StoredRecord(file, TrainingRecord(), (problem,)),)


def test_a_file_that_vanished_is_said_so(tmp_path: Path) -> None:
    file = file_of(tmp_path, b"")
    file.path.unlink()

    (record,) = read_records([file])

    assert record.problems == ("The file cannot be read: No such file or directory.",)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_NAMES = st.sampled_from(sorted(json.loads(to_json(FULL))))


@given(st.binary(max_size=200) | st.dictionaries(_NAMES, _JSON).map(lambda value: json.dumps(value).encode()))
def test_any_content_gives_a_report(content: bytes) -> None:
    record, problems = from_json(content)

    assert from_json(to_json(record)) == (record, ())
    assert all(label and value for label, value in facts(stored(record, *problems)))


@given(st.dictionaries(_NAMES, _JSON, max_size=2))
def test_what_is_wrong_takes_nothing_right_with_it(changes: dict[str, Any]) -> None:
    changed, _ = from_json(json.dumps({**json.loads(to_json(FULL)), **changes}).encode())

    for name in set(json.loads(to_json(FULL))) - changes.keys() - {"schema_version"}:
        assert getattr(changed, name) == getattr(FULL, name)


def test_hosts_that_agree_speak_for_the_run() -> None:
    known = TrainingFacts((FULL, TrainingRecord(), FULL))

    assert known.parameters == 25_557_132
    assert known.gradient_bytes == 4 * 25_557_032 + 2 * 100
    assert (known.batch_size, known.replicas, known.workers) == (256, 4, 2)
    assert (known.policy, known.strategy) == ("mixed_float16", "MirroredStrategy")
    assert (known.jit_compile, known.steps_per_execution) == (False, 4)
    assert known.links == FULL.links


def test_hosts_that_contradict_each_other_say_nothing() -> None:
    known = TrainingFacts((FULL, TrainingRecord(batch_size=128, environment={})))

    assert known.batch_size is None
    assert known.private_threads is None
    assert known.replicas == 4


@pytest.mark.parametrize(
    ("environment", "private", "count"),
    [
        (None, None, None),
        ({}, False, None),
        ({"TF_GPU_THREAD_MODE": "gpu_private"}, True, None),
        ({"TF_GPU_THREAD_MODE": "gpu_private", "TF_GPU_THREAD_COUNT": "4"}, True, 4),
        ({"TF_GPU_THREAD_MODE": "gpu_shared", "TF_GPU_THREAD_COUNT": "x"}, False, None),
        ({"TF_GPU_THREAD_MODE": "…"}, None, None),
    ],
)
def test_private_threads_are_known_where_the_environment_is(
    environment: dict[str, str] | None, private: bool | None, count: int | None
) -> None:
    known = TrainingFacts((TrainingRecord(environment=environment),))

    assert (known.private_threads, known.thread_count) == (private, count)


def test_without_trainable_parameters_all_parameters_count() -> None:
    assert TrainingFacts((TrainingRecord(parameters=7),)).parameters == 7
    assert TrainingFacts(()).parameters is None
