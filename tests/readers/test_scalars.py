"""Scalars of event files: found beside a run, and read as far as their bytes allow."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.summary.writer.record_writer import RecordWriter

from demo.scalars import write_scalars
from tests.logdirs import add_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.scalars import MOST_BYTES, MOST_FILES, Scalars, event_files, read_scalars

NAME = "events.out.tfevents.1.host"


def read_one(path: Path) -> Scalars:
    (found,) = read_scalars((path,))
    return found


def written(path: Path, values: Iterable[Summary.Value]) -> Path:
    with path.open("wb") as file:
        for step, value in enumerate(values):
            event = Event(wall_time=1e9 + step, step=step, summary=Summary(value=[value]))
            RecordWriter(file).write(event.SerializeToString())
    return path


@pytest.mark.parametrize(
    ("run", "folders"),
    [
        ("train/2026_11_20_12_34_56", [".", "train", "validation"]),
        ("2026_11_20_12_34_56", [".", "train", "validation"]),
        ("job/2026_11_20_12_34_56", ["job", "job/train", "job/validation"]),
    ],
)
def test_event_files_lie_where_keras_and_others_put_them(
    tmp_path: Path, run: str, folders: list[str]
) -> None:
    add_run(tmp_path, run)
    files = {write_scalars(tmp_path / folder, 1, []) for folder in folders}
    write_scalars(tmp_path / "another", 1, [])

    assert set(event_files(find_runs(str(tmp_path))[0])) == files


def hyperparameters(content: bytes) -> Summary.Value:
    plugin = SummaryMetadata.PluginData(plugin_name="hparams", content=content)
    return Summary.Value(tag="_hparams_/session_start_info", metadata=SummaryMetadata(plugin_data=plugin))


def test_hyperparameters_are_read_as_their_plugin_shows_them(tmp_path: Path) -> None:
    given: dict[str, str | float | bool] = {
        "lr": 1e-3,
        "batch_size": 256,
        "optimizer": "adam",
        "augment": True,
    }
    path = write_scalars(tmp_path, 1, [("loss", 1, 2)], given)

    found = dict(read_one(path).hyperparameters)
    assert found == {"lr": "0.001", "batch_size": "256", "optimizer": "adam", "augment": "True"}


def test_of_many_and_long_hyperparameters_a_part_is_read(tmp_path: Path) -> None:
    given = {f"{'x' * 300}{number:03}": "y" * 300 for number in range(80)}
    found = read_one(write_scalars(tmp_path, 1, [], given)).hyperparameters

    assert len(found) == 64
    assert {len(text) for pair in found for text in pair} == {100}


def text(content: bytes, tag: str = "args/text_summary") -> Summary.Value:
    """As PyTorch's SummaryWriter writes a text."""
    plugin = SummaryMetadata.PluginData(plugin_name="text")
    tensor = TensorProto(
        dtype=7, string_val=[content], tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
    )
    return Summary.Value(tag=tag, tensor=tensor, metadata=SummaryMetadata(plugin_data=plugin))


def test_arguments_in_a_text_are_read_as_far_as_they_say_what_a_step_does(tmp_path: Path) -> None:
    told = {
        "per_device_train_batch_size": 8, "gradient_accumulation_steps": 4, "bf16": True,
        "optim": "adamw_torch", "learning_rate": 5e-05, "output_dir": "/home/me",
        "deepspeed": None, "tf32": "", "fsdp": [],
    }  # fmt: skip
    value = text(json.dumps(told, indent=2).encode())

    found = dict(read_one(written(tmp_path / NAME, [value])).hyperparameters)

    assert found == {
        "per_device_train_batch_size": "8", "gradient_accumulation_steps": "4", "bf16": "True",
        "optim": "adamw_torch", "learning_rate": "5e-05",
    }  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        text(b"{"), text(b"[1]"), text(b"\xff\xfe"), text(b"[" * 60_000), text(b'{"batch": {"a": 1}}'),
        text(b'{"batch": 1}', "prompt/text_summary"), Summary.Value(tag="args/text_summary"),
    ],
)  # fmt: skip
def test_texts_that_hold_none_are_left_out(tmp_path: Path, value: Summary.Value) -> None:
    assert read_one(written(tmp_path / NAME, [value])).hyperparameters == ()


def test_what_tensorboard_writes_is_read(tmp_path: Path) -> None:
    writer = EventFileWriter(str(tmp_path))
    for step in (3, 5):
        value = Summary.Value(tag="loss", simple_value=0.5)
        writer.add_event(Event(wall_time=1e9 + step, step=step, summary=Summary(value=[value])))
    writer.close()

    (path,) = tmp_path.iterdir()
    assert read_one(path).by_tag == {"loss": ((3, 1e9 + 3), (5, 1e9 + 5))}


def test_only_single_numbers_are_scalars(tmp_path: Path) -> None:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=2)])
    values = [
        Summary.Value(tag="new", tensor=TensorProto(dtype=1, float_val=[1])),
        Summary.Value(tag="old", simple_value=1),
        Summary.Value(tag="vector", tensor=TensorProto(dtype=1, tensor_shape=shape, float_val=[1, 2])),
        Summary.Value(tag="text", tensor=TensorProto(dtype=7, string_val=[b"x"])),
        Summary.Value(tag="image", image=Summary.Image()),
        Summary.Value(tag="nothing"),
    ]

    assert read_one(written(tmp_path / NAME, values)).by_tag.keys() == {"new", "old"}


def test_a_long_file_is_read_at_both_ends(tmp_path: Path) -> None:
    count = 6_000
    path = write_scalars(tmp_path, 1e9, (("loss", n, 1e9 + n) for n in range(count)))
    found = read_scalars((path,) * MOST_FILES)[0]  # which share the bytes that may be read

    steps = [step for step, _ in found.by_tag["loss"]]
    assert found.cut and steps[:3] == [0, 1, 2] and steps[-1] == count - 1
    assert count // 4 < len(steps) < count and steps == sorted(set(steps))


def test_large_records_are_stepped_over_and_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / NAME
    graph = Event(wall_time=1e9, graph_def=bytes(200_000)).SerializeToString()
    head = struct.pack("<Q", len(graph))
    checks = [struct.pack("<I", masked_crc32c(data)) for data in (head, graph)]
    large = head + checks[0] + graph + checks[1]
    path.write_bytes(large * (2 * MOST_BYTES // len(large)))
    with path.open("ab") as file:
        value = Summary.Value(tag="loss", simple_value=1)
        RecordWriter(file).write(
            Event(wall_time=1e9, step=7, summary=Summary(value=[value])).SerializeToString()
        )

    found = read_one(path)

    assert found.by_tag == {"loss": ((7, 1e9),)} and not found.cut


def test_a_file_that_ends_in_the_middle_of_a_record_is_read_up_to_it(tmp_path: Path) -> None:
    path = write_scalars(tmp_path, 1e9, [("loss", n, 1e9 + n) for n in range(5)])
    path.write_bytes(path.read_bytes()[:-3])

    assert [step for step, _ in read_one(path).by_tag["loss"]] == [0, 1, 2, 3]


@pytest.mark.skipif(os.name != "posix", reason="no pipes")
def test_what_is_no_event_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "longest").write_bytes(struct.pack("<QI", (1 << 64) - 1, masked_crc32c(b"\xff" * 8)))
    os.mkfifo(tmp_path / "pipe")

    assert read_scalars((*sorted(tmp_path.iterdir()), tmp_path / "gone")) == ()
