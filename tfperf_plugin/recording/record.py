"""The facts that a training records about itself: their types, their JSON, and their wording.

A record is one small JSON object; ``RecordFile`` describes its path. ``recording`` writes it during the
training, and ``read_records`` reads it beside the profile. Every field is optional, and the report shows all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timezone
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec.structs import asdict, astuple

from tfperf_plugin.readers.logdirs.runs import RecordFile
from tfperf_plugin.records import Record

SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 64 << 10
"""Larger files are no records."""
LEFT_OUT: Final = "…"
"""Replaces a value, or a part of it, that is not recorded."""

VARIABLES: Final = (
    "CUDA_VISIBLE_DEVICES",
    "NCCL_ALGO",
    "NCCL_BUFFSIZE",
    "NCCL_CROSS_NIC",
    "NCCL_DEBUG",
    "NCCL_IB_DISABLE",
    "NCCL_MAX_NCHANNELS",
    "NCCL_MIN_NCHANNELS",
    "NCCL_NET_GDR_LEVEL",
    "NCCL_NTHREADS",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",
    "NCCL_PROTO",
    "NCCL_SHM_DISABLE",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_GPU_ALLOCATOR",
    "TF_GPU_THREAD_COUNT",
    "TF_GPU_THREAD_MODE",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)
"""The only environment variables that a record may hold; all of them change performance."""

VERSIONS: Final = {
    "tensorflow": "TensorFlow",
    "keras": "Keras",
    "jax": "JAX",
    "jaxlib": "jaxlib",
    "torch": "PyTorch",
    "python": "Python",
    "cuda": "CUDA that TensorFlow was built for",
    "cudnn": "cuDNN that TensorFlow was built for",
    "driver": "NVIDIA driver",
}

ELEMENT_BYTES: Final = {
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
"""Types that can have a gradient → bytes of one element."""

_LINK_WORDS: Final = {
    "PIX": "one PCIe switch",
    "PXB": "several PCIe switches",
    "PHB": "PCIe through the CPU",
    "NODE": "PCIe through the CPU, within a NUMA node",
    "SYS": "PCIe and between CPU sockets",
}
_NVLINKS = re.compile(r"NV[1-9]\d?")
_VALUE = re.compile(rf"[\w.,;:^+= {LEFT_OUT}-]{{0,1000}}")
_VERSION = re.compile(r"[\w.+-]{1,40}")
_NAME = re.compile(r"\w{1,100}")
_MOST = 10**15
_MOST_FLOPS = 9 * 10**18

T = TypeVar("T")


class Link(Record, frozen=True):
    """How two GPUs are linked, with nvidia-smi's numbers and words (``NV12``, ``PIX``, ``SYS`` …)."""

    first: int
    second: int
    kind: str


class TrainingRecord(Record, frozen=True):
    """What one process of a training recorded. None: not recorded.

    ``parameters`` counts all weights, ``trainable`` those with a gradient by type of the gradient.
    ``batch_size``: examples in a step over all ``replicas``; ``flops_per_step``: floating-point operations of
    the model in a step over all replicas, forward and backward, without what is computed again;
    ``steps_per_execution``: training steps in one call; ``worker``: number of this process among ``workers``,
    from 0; ``strategy``: its class, "none" without one; ``environment``: those of ``VARIABLES`` that were
    set; ``links``: each pair of this host's GPUs once.
    """

    parameters: int | None = None
    trainable: Mapping[str, int] | None = None
    batch_size: int | None = None
    flops_per_step: int | None = None
    policy: str | None = None
    jit_compile: bool | None = None
    steps_per_execution: int | None = None
    strategy: str | None = None
    replicas: int | None = None
    workers: int | None = None
    worker: int | None = None
    environment: Mapping[str, str] | None = None
    versions: Mapping[str, str] | None = None
    links: tuple[Link, ...] | None = None

    @property
    def trainable_parameters(self) -> int | None:
        """The number of parameters that have a gradient."""
        return None if self.trainable is None else sum(self.trainable.values())

    @property
    def gradient_bytes(self) -> int | None:
        """Bytes of all gradients of a replica, assuming that none is sparse."""
        if self.trainable is None:
            return None
        return sum(ELEMENT_BYTES[kind] * number for kind, number in self.trainable.items())


class StoredRecord(Record, frozen=True):
    """A record as read from ``file``. ``problems``: sentences about what could not be used."""

    file: RecordFile
    content: TrainingRecord
    problems: tuple[str, ...]

    @property
    def recorded(self) -> str:
        """When the training began, in UTC: "2026-11-21 06:21:58 UTC"."""
        return f"{self.file.start.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


class _Agreed(Generic[T]):
    """The value of ``of`` that all records with a value share; None without a value or if values differ."""

    def __init__(self, of: Callable[[TrainingRecord], T | None]) -> None:
        self._of = of

    def __get__(self, facts: TrainingFacts, _: type) -> T | None:
        values = [value for value in map(self._of, facts.records) if value is not None]
        return values[0] if values and all(value == values[0] for value in values) else None


class TrainingFacts(Record, frozen=True):
    """What the hosts of a run recorded, with the fields of ``TrainingRecord``.

    A field is None if it was not recorded, or if hosts contradict each other. ``parameters``: the number of
    parameters with a gradient if that was recorded, else of all.
    """

    records: tuple[TrainingRecord, ...]

    parameters = _Agreed(lambda r: r.parameters if r.trainable is None else r.trainable_parameters)
    gradient_bytes = _Agreed(lambda r: r.gradient_bytes)
    batch_size = _Agreed(lambda r: r.batch_size)
    flops_per_step = _Agreed(lambda r: r.flops_per_step)
    policy = _Agreed(lambda r: r.policy)
    jit_compile = _Agreed(lambda r: r.jit_compile)
    steps_per_execution = _Agreed(lambda r: r.steps_per_execution)
    strategy = _Agreed(lambda r: r.strategy)
    replicas = _Agreed(lambda r: r.replicas)
    workers = _Agreed(lambda r: r.workers)
    links = _Agreed(lambda r: r.links)

    @property
    def private_threads(self) -> bool | None:
        """Whether each GPU has its own threads that launch its kernels (TF_GPU_THREAD_MODE)."""
        mode = self.variable("TF_GPU_THREAD_MODE")
        return None if mode is None or LEFT_OUT in mode else mode == "gpu_private"

    @property
    def thread_count(self) -> int | None:
        """The number of threads that launch kernels for one GPU, if it was set (TF_GPU_THREAD_COUNT)."""
        count = self.variable("TF_GPU_THREAD_COUNT")
        return int(count) if count and re.fullmatch("[0-9]{1,6}", count) else None

    def variable(self, name: str) -> str | None:
        """The environment variable ``name``, one of ``VARIABLES``; "" if it was not set."""
        said = _Agreed(lambda r: None if r.environment is None else r.environment.get(name, ""))
        return said.__get__(self, TrainingFacts)


def to_json(record: TrainingRecord) -> bytes:
    """``record`` as the content of its file."""
    content: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    for name, value in asdict(record).items():
        if value is not None:
            content[name] = dict(sorted(value.items())) if isinstance(value, Mapping) else value
    return json.dumps(content, ensure_ascii=False, indent=1, default=astuple).encode()


def read_records(files: Iterable[RecordFile]) -> tuple[StoredRecord, ...]:
    """Reads records. Never raises: ``problems`` of each record lists what could not be used."""
    return tuple(_read(file) for file in files)


def _read(file: RecordFile) -> StoredRecord:
    try:
        with file.path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except Exception as error:  # each remote file system raises errors of its own
        reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        return StoredRecord(file, TrainingRecord(), (f"The file cannot be read: {reason}.",))
    return StoredRecord(file, *from_json(data))


def from_json(data: bytes) -> tuple[TrainingRecord, tuple[str, ...]]:
    """The record in ``data``, and a sentence for each problem in it."""
    if len(data) > MAX_BYTES:
        return TrainingRecord(), (f"The file is larger than {MAX_BYTES >> 10} KiB.",)
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return TrainingRecord(), ("The file holds no JSON object.",)
    known: dict[str, Any] = {}
    problems = []
    if content.pop("schema_version", None) != SCHEMA_VERSION:
        problems.append("The file was written by another version of this tool.")
    for name, (parse, meaning) in _FIELDS.items():
        value = content.pop(name, None)
        if value is not None:
            known[name] = parse(value)
            if known[name] is None:
                problems.append(f"{name} is not {meaning}.")
    if content:
        problems.append("The file says more than this version of the tool understands.")
    return TrainingRecord(**known), tuple(problems)


def facts(record: StoredRecord) -> tuple[tuple[str, str], ...]:
    """All fields and problems of ``record`` as labels and values."""
    return tuple(_facts(record.content)) + tuple(("Not used", problem) for problem in record.problems)


def _facts(record: TrainingRecord) -> Iterable[tuple[str, str]]:
    if record.parameters is not None:
        yield "Parameters", f"{record.parameters:,}"
    if record.trainable is not None and record.gradient_bytes is not None:
        types = ", ".join(f"{number:,} in {kind}" for kind, number in record.trainable.items() if number)
        yield "Trainable parameters", types or "none"
        yield "Gradients of a step, if none is sparse", _size(record.gradient_bytes)
    if record.batch_size is not None:
        each, rest = divmod(record.batch_size, record.replicas or 1)
        split = f", {each:,} a replica" if record.replicas and record.replicas > 1 and not rest else ""
        yield "Batch size", f"{record.batch_size:,}{split}"
    if record.flops_per_step is not None:
        yield "Floating-point operations of a step", f"{record.flops_per_step / 1e12:,.6g} TFLOP"
    if record.policy is not None:
        yield "Keras precision policy", record.policy
    if record.jit_compile is not None:
        yield "Compiled as a whole by XLA (jit_compile)", "yes" if record.jit_compile else "no"
    if record.steps_per_execution is not None:
        yield "Training steps in one call (steps_per_execution)", f"{record.steps_per_execution:,}"
    if record.strategy is not None:
        yield "Distribution strategy", record.strategy
    if record.replicas is not None:
        yield "Replicas trained in step", f"{record.replicas:,}"
    if record.workers is not None:
        yield "Workers", f"{record.workers:,}"
    if record.worker is not None:
        yield "This worker's number, from 0", f"{record.worker:,}"
    for name, version in (record.versions or {}).items():
        yield VERSIONS[name], version
    if record.environment is not None:
        for name, value in record.environment.items():
            yield name, value or "set, but empty"
        if not record.environment:
            yield "Environment variables", "none that changes performance is set"
    links = record.links or ()
    for kind in dict.fromkeys(link.kind for link in links):
        words = f"{kind[2:]} NVLinks" if _NVLINKS.fullmatch(kind) else _LINK_WORDS[kind]
        pairs = ", ".join(f"{link.first}–{link.second}" for link in links if link.kind == kind)
        yield f"GPUs linked by {kind} ({words})", pairs


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 10**6 else f"{size_bytes:,} bytes"


def is_link(kind: str) -> bool:
    """Whether ``kind`` is a link between two GPUs, in nvidia-smi's words."""
    return kind in _LINK_WORDS or _NVLINKS.fullmatch(kind) is not None


def _integer(least: int) -> Callable[[object], int | None]:
    def parse(value: object) -> int | None:
        return value if type(value) is int and least <= value <= _MOST else None

    return parse


def _flops(value: object) -> int | None:
    """Users compute it in floating point, too."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value) if 1 <= value <= _MOST_FLOPS else None


def _string(pattern: re.Pattern[str]) -> Callable[[object], str | None]:
    def parse(value: object) -> str | None:
        return value if isinstance(value, str) and pattern.fullmatch(value) else None

    return parse


def _each(
    names: Iterable[str], parse: Callable[[object], T | None]
) -> Callable[[object], dict[str, T] | None]:
    """A parser of objects whose keys are among ``names`` and whose values ``parse`` accepts."""
    known = frozenset(names)

    def parse_all(value: object) -> dict[str, T] | None:
        if not isinstance(value, dict) or not known.issuperset(value):
            return None
        parsed = {name: item for name in sorted(value) if (item := parse(value[name])) is not None}
        return parsed if len(parsed) == len(value) else None

    return parse_all


def _boolean(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _links(value: object) -> tuple[Link, ...] | None:
    try:
        links = tuple(Link(*row) for row in msgspec.convert(value, list[tuple[int, int, str]]))
    except (msgspec.ValidationError, UnicodeEncodeError):  # a text may be half of a character
        return None
    known = all(0 <= x.first < x.second <= _MOST and is_link(x.kind) for x in links)
    return links if known and len({(x.first, x.second) for x in links}) == len(links) else None


_COUNT = (_integer(1), "a whole number from 1 on")
_FIELDS: Final[Mapping[str, tuple[Callable[[object], object], str]]] = {
    "parameters": (_integer(0), "a whole number"),
    "trainable": (_each(ELEMENT_BYTES, _integer(0)), "a number of parameters for each type"),
    "batch_size": _COUNT,
    "flops_per_step": (_flops, "a number of operations"),
    "policy": (_string(_NAME), "a name"),
    "jit_compile": (_boolean, "true or false"),
    "steps_per_execution": _COUNT,
    "strategy": (_string(_NAME), "a name"),
    "replicas": _COUNT,
    "workers": _COUNT,
    "worker": (_integer(0), "a whole number"),
    "environment": (_each(VARIABLES, _string(_VALUE)), "a value for each variable"),
    "versions": (_each(VERSIONS, _string(_VERSION)), "a version for each program"),
    "links": (_links, "pairs of GPUs, each with its link"),
}
