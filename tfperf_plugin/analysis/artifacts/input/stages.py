"""The kind of work that a tf.data iterator does, and the code that the user wrote for it."""

from __future__ import annotations

import re
from typing import Final

READING: Final = (
    "TFRecord", "TextLine", "FixedLengthRecord", "SSTable", "RecordIO", "ArrayRecord", "Csv",
    "ExperimentalCsv", "LMDB", "SqlDataset", "IODataset", "LoadDataset", "SnapshotDatasetReader", "Snapshot",
)  # fmt: skip
READ_ON_DEMAND: Final = "reading on demand"
READ_AHEAD: Final = "reading ahead"
PREPROCESSING: Final = "preprocessing"
PYTHON: Final = "Python"
BATCHING: Final = "batching"
TRANSFER: Final = "transfer"
PASSING_ON: Final = "passing on"

_PYTHON = ("Generator", "FromGenerator")
_AHEAD = ("Interleave", "ParallelInterleave", "LegacyParallelInterleave")
_BATCHING = ("Batch", "PaddedBatch", "ParallelBatch", "RaggedBatch", "DenseToRaggedBatch", "Rebatch")
_PASSING = (
    "Prefetch", "Root", "Repeat", "ForeverRepeat", "FiniteRepeat", "Take", "FiniteTake", "Skip", "FiniteSkip",
    "Shuffle", "ShuffleAndRepeat", "Model", "MaxIntraOpParallelism", "PrivateThreadPool", "Options",
    "AssertCardinality", "AssertNext", "Shard", "TensorSlice", "Tensor", "Range", "FlatMap", "Zip",
    "Concatenate", "Cache", "MemoryCache", "MemoryCacheImpl", "MemoryReader", "MemoryWriter",
    "DirectedInterleave", "Finalize", "Unbatch", "Window", "Iterator",
)  # fmt: skip
# "ParallelMapV2" is a ParallelMap, "MapDataset:3" a Map.
_VERSION = re.compile(r"V\d+$")
_OP = re.compile(r"([A-Z]\w{0,60}?)Dataset(?:V\d+)?:\d+")
_METHODS: Final = {
    "Map": "map", "ParallelMap": "map", "Filter": "filter", "Batch": "batch", "ParallelBatch": "batch",
    "PaddedBatch": "padded_batch", "Interleave": "interleave", "ParallelInterleave": "interleave",
    "FlatMap": "flat_map", "Prefetch": "prefetch", "Shuffle": "shuffle", "ShuffleAndRepeat": "shuffle",
    "Repeat": "repeat", "ForeverRepeat": "repeat", "FiniteRepeat": "repeat", "Cache": "cache",
    "MemoryCache": "cache", "MemoryCacheImpl": "cache", "MemoryReader": "cache", "MemoryWriter": "cache",
    "FileReader": "cache", "FileWriter": "cache", "Take": "take", "FiniteTake": "take", "Skip": "skip",
    "FiniteSkip": "skip", "Shard": "shard", "Unbatch": "unbatch", "Window": "window", "Scan": "scan",
    "GroupByWindow": "group_by_window", "TakeWhile": "take_while", "Snapshot": "snapshot",
    "Concatenate": "concatenate",
}  # fmt: skip
_SOURCES: Final = {
    "TFRecord": "tf.data.TFRecordDataset(...)", "TextLine": "tf.data.TextLineDataset(...)",
    "FixedLengthRecord": "tf.data.FixedLengthRecordDataset(...)",
    "Csv": "tf.data.experimental.CsvDataset(...)",
    "Generator": "tf.data.Dataset.from_generator(...)",
    "FromGenerator": "tf.data.Dataset.from_generator(...)",
    "TensorSlice": "tf.data.Dataset.from_tensor_slices(...)", "Tensor": "tf.data.Dataset.from_tensors(...)",
    "Range": "tf.data.Dataset.range(...)", "Zip": "tf.data.Dataset.zip(...)",
}  # fmt: skip


def plain_kind(kind: str) -> str:
    """The kind without its version: ``ParallelMapV2`` is a ``ParallelMap``."""
    return _VERSION.sub("", kind)


def stage_of(kind: str, downstream: tuple[str, ...] = ()) -> str:
    """The kind of work that an iterator does.

    Args:
        kind: the last part of its name.
        downstream: kinds of the iterators that it feeds, nearest first. A source is read on demand unless an
            interleave opens several files, or a prefetch lies between it and the next working stage.
    """
    kind = plain_kind(kind)
    if kind in _PYTHON:
        return PYTHON
    if kind in READING:
        return READ_AHEAD if _is_read_ahead(downstream) else READ_ON_DEMAND
    if kind in _AHEAD:
        return READ_AHEAD
    if kind in _BATCHING:
        return BATCHING
    return PASSING_ON if kind in _PASSING else PREPROCESSING


def _is_read_ahead(downstream: tuple[str, ...]) -> bool:
    for kind in map(plain_kind, downstream):
        if kind in ("Prefetch", "ParallelInterleave", "LegacyParallelInterleave"):
            return True
        if stage_of(kind) not in (PASSING_ON, READ_AHEAD):
            return False
    return False


def is_prefetch(kind: str) -> bool:
    """Whether the iterator only keeps elements ready."""
    return plain_kind(kind) == "Prefetch"


def is_cache(kind: str) -> bool:
    """Whether the iterator keeps elements for the next epoch."""
    return "Cache" in kind or plain_kind(kind) in ("MemoryReader", "MemoryWriter", "Snapshot")


def ops_of(kind: str, dataset: str) -> tuple[str, ...]:
    """The dataset ops of the user's program behind an iterator, upstream first.

    TensorFlow may fuse several ops or run a sequential one in parallel; ``dataset`` (the iterator's stat
    ``name``) tells the original ops. If it is not recorded, the iterator's own kind replaces it.
    """
    found = tuple(_OP.findall(dataset))
    if found:
        return found
    kind = plain_kind(kind)
    return ("ParallelMap", "Batch") if kind == "MapAndBatch" else (kind,)


def written(
    kind: str,
    dataset: str,
    parallelism: int | None = None,
    autotune: bool | None = None,
    batch_size: int | None = None,
    buffer_limit: int | None = None,
    python: bool = False,
) -> str:
    """The transformation as the user's program writes it: ``.map(..., num_parallel_calls=8)``.

    Roots, and iterators that TensorFlow adds, are not in the program: they keep the name of their kind.
    """
    if kind == "Root" or dataset.startswith("inject/"):
        return kind
    text = ""
    for op in ops_of(kind, dataset):
        if op in _SOURCES:
            return _SOURCES[op]
        if op not in _METHODS:
            return kind
        arguments = ["py_function" if python and op.endswith("Map") else "..."]
        if "Batch" in op:
            arguments = [str(batch_size) if batch_size else "..."]
        if op == "Prefetch":
            arguments = ["tf.data.AUTOTUNE" if autotune else str(buffer_limit or "...")]
        if op in ("Repeat", "ForeverRepeat", "FiniteRepeat", "Unbatch") or _METHODS[op] == "cache":
            arguments = []
        if op.startswith("Parallel"):
            degree = "tf.data.AUTOTUNE" if autotune else str(parallelism or "...")
            arguments.append(f"num_parallel_calls={degree}")
        text += f".{_METHODS[op]}({', '.join(arguments)})"
    return text


def has_parallel_calls(kind: str, parallelism: int | None) -> bool:
    """Whether several calls of the stage's function may run at the same time."""
    kind = plain_kind(kind)
    if kind in ("MapAndBatch",) or kind.startswith("Parallel") or kind == "LegacyParallelInterleave":
        return parallelism is None or parallelism > 1
    return False
