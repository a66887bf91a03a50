"""Scalars that a training wrote for TensorBoard beside its profile: which files hold them, and their times.

TensorBoard's own reader decodes them, in the form that needs no TensorFlow. It checks each byte in Python, so
the files of a run are read up to ``MOST_BYTES``, a long one at both of its ends.
Records that are too large for scalars, as graphs and images are, are stepped over and do not count.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from tfperf_plugin.readers.logdirs.files import is_remote, list_folder, opened, state_of
from tfperf_plugin.readers.logdirs.finding import KERAS_RUNS
from tfperf_plugin.records import Record

if TYPE_CHECKING:
    from etils import epath

    from tfperf_plugin.readers.logdirs.runs import Run

MOST_BYTES: Final = 2 << 20
MOST_FILES: Final = 8
"""Among more files, nothing tells which one the profiled training wrote."""
GROWING_S: Final = 600
"""A file that was written within this time belongs to a training that goes on."""
_MARK: Final = "events.out.tfevents."
_MOST_RECORD: Final = 64 << 10
_OVERHEAD: Final = 4
"""What a read counts besides its bytes: a record at most twice its size."""
_MOST_TRIES: Final = 4096
"""Places at which a record is looked for, where reading begins in the middle of a file."""
_FLOATS: Final = (1, 2)
"""DT_FLOAT and DT_DOUBLE."""
_LATEST_S: Final = 1 << 33
"""Later times, and NaN, are none of this world: their ns would not fit into 64 bits."""
_PROFILED: Final = re.compile(r"batch_\d{1,9}")
_HYPERPARAMETERS: Final = "_hparams_/session_start_info"
# Texts that hold hyperparameters as a JSON object, such as "args/text_summary" of Hugging Face's Trainer, and
# those of its more than a hundred that say what a step does.
_TEXTS: Final = re.compile(r"(args|config|hparams|hyperparameters)/text_summary")
_OF_STEPS: Final = re.compile(
    r"accumul|batch|checkpointing|compile|deepspeed|fp16|bf16|fsdp|lr$|learning_rate$|optim|pin_memory|precision"
    r"|prefetch|tf32|workers"
)
_MOST_HYPERPARAMETERS: Final = 64
_LONGEST_TEXT: Final = 100


class Scalars(Record, frozen=True):
    """The scalars of one event file, by tag: (step, seconds since the epoch) in the file's order."""

    folder: str  #: Name of the folder that holds it.
    begin_s: float  #: When its first and its last event were made.
    end_s: float
    by_tag: dict[str, tuple[tuple[int, float], ...]]
    profiled_s: float | None  #: When Keras' callback ended a profile, ``None`` if it made none.
    cut: bool  #: Whether a part in its middle was not read.
    #: (name, value) of hyperparameters, by name: what the plugin HParams shows, else what a text tells.
    hyperparameters: tuple[tuple[str, str], ...] = ()


def event_files(run: Run) -> tuple[epath.Path, ...]:
    """The event files beside a local run, none if there are more than ``MOST_FILES``.

    Keras writes them into folders beside or below that of the profile.
    """
    if is_remote(str(run.path)):
        return ()
    tops = [place.parent.parent for place in run.places] or [run.path]
    folders = {folder for top in tops for folder in (top, *(top / name for name in KERAS_RUNS))}
    found = [
        folder / name for folder in sorted(folders) for name in list_folder(folder).files if _MARK in name
    ]
    return tuple(found) if len(found) <= MOST_FILES else ()


def states_of(files: tuple[epath.Path, ...]) -> list[tuple[str, int, int]]:
    """What changes when the files do: name, size and modification time. Of a growing file just the latter, in
    whole ``GROWING_S``: otherwise no report of a training that goes on would ever be the same again."""
    found = []
    for path in files:
        with contextlib.suppress(OSError):
            size, written_ns, _ = state_of(path)
            growing = time.time() - written_ns / 1e9 < GROWING_S
            kept = (0, written_ns // 10**9 // GROWING_S) if growing else (size, written_ns)
            found.append((str(path), *kept))
    return found


def read_scalars(files: tuple[epath.Path, ...]) -> tuple[Scalars, ...]:
    """The scalars of each file that has events. Never raises because of what it holds."""
    found = (_read(path, MOST_BYTES // len(files)) for path in files)
    return tuple(scalars for scalars in found if scalars)


def _read(path: epath.Path, most: int) -> Scalars | None:
    by_tag: dict[str, list[tuple[int, float]]] = defaultdict(list)
    times: list[float] = []
    profiled_s, cut = None, False
    hyperparameters: tuple[tuple[str, str], ...] = ()
    of_text: tuple[tuple[str, str], ...] = ()
    try:
        with opened(path) as file:
            size = state_of(path)[0]
            events = [*_events(path, file, 0, most // 2, 0)]
            if (read := file.tell()) < size:
                begin = max(read, size - most // 4)
                cut = begin > read
                events += _events(path, file, begin, most // 2, _MOST_TRIES)
    except OSError:
        return None
    for event in events:
        if not 0 < event.wall_time < _LATEST_S:
            continue
        times.append(event.wall_time)
        for value in event.summary.value:
            if _is_scalar(value):
                by_tag[value.tag].append((event.step, event.wall_time))
            elif _PROFILED.fullmatch(value.tag):
                profiled_s = event.wall_time
            elif value.tag == _HYPERPARAMETERS:
                hyperparameters = tuple(_hyperparameters(value.metadata.plugin_data.content))
            elif _TEXTS.fullmatch(value.tag):
                of_text = tuple(_of_text(value.tensor.string_val))
    if not times:
        return None
    points = {tag: tuple(found) for tag, found in by_tag.items()}
    return Scalars(path.parent.name, times[0], times[-1], points, profiled_s, cut, hyperparameters or of_text)


def _hyperparameters(content: bytes) -> Iterator[tuple[str, str]]:
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    given: Any = {}
    with contextlib.suppress(Exception):  # what protobuf raises for damaged bytes
        given = HParamsPluginData.FromString(content).session_start_info.hparams
    for name in sorted(given)[:_MOST_HYPERPARAMETERS]:
        kind = given[name].WhichOneof("kind")
        if kind in ("string_value", "number_value", "bool_value"):
            value = getattr(given[name], kind)
            text = f"{value:g}" if kind == "number_value" else str(value)
            yield name[:_LONGEST_TEXT], text[:_LONGEST_TEXT]


def _of_text(texts: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    found: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(texts[0]) if texts else None
    named = found if isinstance(found, dict) else {}
    plain = {name: value for name, value in named.items() if isinstance(value, str | int | float | bool)}
    for name in sorted(filter(_OF_STEPS.search, plain))[:_MOST_HYPERPARAMETERS]:
        if plain[name] != "":
            yield name[:_LONGEST_TEXT], str(plain[name])[:_LONGEST_TEXT]


def _is_scalar(value: Any) -> bool:
    """Whether a value of a summary is one number, in the old or the new form."""
    if value.HasField("tensor"):
        return value.tensor.dtype in _FLOATS and not value.tensor.tensor_shape.dim
    return bool(value.HasField("simple_value"))


def _events(path: epath.Path, file: IO[bytes], begin: int, most: int, tries: int) -> Iterator[Any]:
    """The events from ``begin`` on, or from the first of ``tries`` further bytes where one begins, until
    ``most`` bytes are read, or the file ends or is damaged."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.tensorflow_stub import errors
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New

    file.seek(begin)
    part = _Part(file, most, state_of(path)[0])
    while True:
        reader = PyRecordReader_New(os.fsencode(path))
        reader.file_handle = part
        try:
            while True:
                reader.GetNext()
                tries = 0
                with contextlib.suppress(Exception):  # what protobuf raises for damaged bytes
                    yield Event.FromString(reader.record())
        except errors.OutOfRangeError:
            return
        except errors.DataLossError:
            if not part.skipped:
                if not tries:
                    return
                tries, begin = tries - 1, begin + 1
                file.seek(begin)


class _Part:
    """What TensorBoard's reader sees of a file: at most ``left`` bytes, and no large record."""

    def __init__(self, file: IO[bytes], left: int, size: int) -> None:
        self._file, self._left, self._size = file, left, size
        self.skipped = False

    def read(self, count: int) -> bytes:
        """The next bytes. Of a large record none: the next read is behind it and its checksum."""
        self.skipped = _MOST_RECORD < count <= self._size
        if self.skipped:
            self._file.seek(count + 4, os.SEEK_CUR)
        self._left -= _OVERHEAD + (0 if self.skipped else count)
        return b"" if self.skipped or self._left <= 0 else self._file.read(min(count, _MOST_RECORD))
