"""The facts that a training records about itself: their types, their JSON, and their wording.

A record is one small JSON object; ``RecordFile`` describes its path. ``recording`` writes it during the
training, and ``read_records`` reads it beside the profile. Every field is optional, and the report shows all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timezone
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from msgspec import Meta, ValidationError, convert
from msgspec.structs import asdict, astuple

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.logdirs.files import read_small
from tfperf_plugin.readers.logdirs.runs import RecordFile
from tfperf_plugin.records import Record

SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 64 << 10
"""Larger files are no records."""
OTHER_VERSION: Final = "The file was written by another version of tfperf."
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
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_GPU_ALLOCATOR",
    "TF_GPU_THREAD_COUNT",
    "TF_GPU_THREAD_MODE",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
)
"""The only environment variables that a record may hold; all of them change performance."""
FLAGS: Final = frozenset({"TF_XLA_FLAGS", "XLA_FLAGS"})
"""Variables of which each word is a setting."""

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
_LINK = re.compile(rf"{'|'.join(_LINK_WORDS)}|NV[1-9]\d?")
_MOST_FLOPS = 9 * 10**18
_Number = Annotated[int, Meta(ge=0, le=10**15)]

T = TypeVar("T")


class Link(Record, frozen=True, array_like=True):
    """How two GPUs are linked, with nvidia-smi's numbers and words (``NV12``, ``PIX``, ``SYS`` …)."""

    first: _Number
    second: _Number
    kind: str


class TrainingRecord(Record, frozen=True):
    """What one process of a training recorded. None: not recorded."""

    #: The number of all weights.
    parameters: int | None = None
    #: Weights that have a gradient, by the type of the gradient.
    trainable: Mapping[str, int] | None = None
    #: Examples in a step over all ``replicas``.
    batch_size: int | None = None
    #: Floating-point operations of the model in a step over all replicas, forward and backward, without what
    #: is computed again.
    flops_per_step: int | None = None
    policy: str | None = None
    jit_compile: bool | None = None
    #: Training steps in one call.
    steps_per_execution: int | None = None
    #: Training steps in an epoch.
    steps_per_epoch: int | None = None
    #: Class of the strategy, "none" without one.
    strategy: str | None = None
    replicas: int | None = None
    workers: int | None = None
    #: The number of this process among ``workers``, from 0.
    worker: int | None = None
    #: Those of ``VARIABLES`` that were set.
    environment: Mapping[str, str] | None = None
    versions: Mapping[str, str] | None = None
    #: Each pair of this host's GPUs once.
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
    """A record as read from ``file``."""

    file: RecordFile
    content: TrainingRecord
    #: Sentences about what could not be used.
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
    steps_per_epoch = _Agreed(lambda r: r.steps_per_epoch)
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
        return StoredRecord(file, *from_json(read_small(file, MAX_BYTES)))
    except UnreadableInput as error:
        return StoredRecord(file, TrainingRecord(), (str(error),))


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
        problems.append(OTHER_VERSION)
    for name, (kind, meaning) in _FIELDS.items():
        if (value := content.pop(name, None)) is not None:
            try:
                known[name] = _parsed(name, convert(value, kind))
            except (ValidationError, UnicodeEncodeError):  # a text may be half of a character
                problems.append(f"{name} is not {meaning}.")
    if content:
        problems.append("The file says more than this version of tfperf understands.")
    return TrainingRecord(**known), tuple(problems)


def _parsed(name: str, value: Any) -> Any:
    """A value of the right type. Raises ValidationError if it makes no sense."""
    if name == "flops_per_step":
        if not 1 <= value <= _MOST_FLOPS:
            raise ValidationError
        return int(value)
    if name == "links":
        pairs = {(link.first, link.second) for link in value if link.first < link.second}
        if len(pairs) < len(value) or not all(is_link(link.kind) for link in value):
            raise ValidationError
    return value


def _text(pattern: str) -> Any:
    return Annotated[str, Meta(pattern=rf"^{pattern}\Z")]


def _each(names: Iterable[str], kind: Any) -> Any:
    return dict[Literal[tuple(names)], kind]  # type: ignore[misc]


_COUNT = (Annotated[int, Meta(ge=1, le=10**15)], "a whole number from 1 on")
_NAME = (_text(r"\w{1,100}"), "a name")
_VALUE = _text(rf"[\w.,;:^+= {LEFT_OUT}-]{{0,1000}}")
_FIELDS: Final[Mapping[str, tuple[Any, str]]] = {
    "parameters": (_Number, "a whole number"),
    "trainable": (_each(ELEMENT_BYTES, _Number), "a number of parameters for each type"),
    "batch_size": _COUNT,
    "flops_per_step": (int | float, "a number of operations"),  # users compute it in floating point, too
    "policy": _NAME,
    "jit_compile": (bool, "true or false"),
    "steps_per_execution": _COUNT,
    "steps_per_epoch": _COUNT,
    "strategy": _NAME,
    "replicas": _COUNT,
    "workers": _COUNT,
    "worker": (_Number, "a whole number"),
    "environment": (_each(VARIABLES, _VALUE), "a value for each variable"),
    "versions": (_each(VERSIONS, _text(r"[\w.+-]{1,40}")), "a version for each program"),
    "links": (tuple[Link, ...], "pairs of GPUs, each with its link"),
}
"""Field → the type of its values in a file, and what that means."""


def is_link(kind: str) -> bool:
    """Whether ``kind`` is a link between two GPUs, in nvidia-smi's words."""
    return _LINK.fullmatch(kind) is not None


_LABELS: Final = {
    "parameters": "Parameters",
    "trainable": "Trainable parameters",
    "gradient_bytes": "Gradients of a step, if none is sparse",
    "batch_size": "Batch size",
    "flops_per_step": "Floating-point operations of a step",
    "policy": "Keras precision policy",
    "jit_compile": "Compiled as a whole by XLA (jit_compile)",
    "steps_per_execution": "Training steps in one call (steps_per_execution)",
    "steps_per_epoch": "Training steps of an epoch",
    "strategy": "Distribution strategy",
    "replicas": "Replicas trained in step",
    "workers": "Workers",
    "worker": "This worker's number, from 0",
}


def facts(record: StoredRecord) -> tuple[tuple[str, str], ...]:
    """All fields and problems of ``record`` as labels and values."""
    content = record.content
    rows = [(label, _say(name, content)) for name, label in _LABELS.items()]
    rows += [(VERSIONS[name], version) for name, version in (content.versions or {}).items()]
    rows += [(name, value or "set, but empty") for name, value in (content.environment or {}).items()]
    if content.environment == {}:
        rows.append(("Environment variables", "none that changes performance is set"))
    for kind in dict.fromkeys(link.kind for link in content.links or ()):
        words = _LINK_WORDS.get(kind) or f"{kind[2:]} NVLinks"
        pairs = ", ".join(f"{link.first}–{link.second}" for link in content.links or () if link.kind == kind)
        rows.append((f"GPUs linked by {kind} ({words})", pairs))
    rows += [("Not used", problem) for problem in record.problems]
    return tuple((label, value) for label, value in rows if value)


def _say(name: str, record: TrainingRecord) -> str:
    """One of the fields in ``_LABELS``; "" if it was not recorded."""
    value: Any = getattr(record, name)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "trainable":
        return ", ".join(f"{number:,} in {kind}" for kind, number in value.items() if number) or "none"
    if name == "flops_per_step":
        return f"{value / 1e12:,.6g} TFLOP"
    if name == "gradient_bytes":
        return f"{value / 1e6:,.1f} MB" if value >= 10**6 else f"{value:,} bytes"
    each, rest = divmod(value, record.replicas or 1)
    several = name == "batch_size" and each < value and not rest
    return f"{value:,}, {each:,} a replica" if several else f"{value:,}"
