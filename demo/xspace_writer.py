"""Writes XSpace files, the format of ``HOST.xplane.pb``, for demonstration runs and tests.

The schema is the published one (field numbers and types of XSpace, XPlane, XLine, XEvent, XStat and the
two metadata messages), declared here in a descriptor pool of its own, so that it never collides with the
copy that TensorFlow registers.

    space = SpaceBuilder("worker-0")
    gpu = space.plane("/device:GPU:0", stats={"memory_size": 80 << 30})
    stream = gpu.line(7, "Stream #7(Compute)")
    stream.event("gemm", 1_000, 250, stats={"correlation_id": 3, "tf_op": Ref("dense:MatMul")})
    Path("worker-0.xplane.pb").write_bytes(space.to_bytes())

Times are integer nanoseconds on one clock for the whole file. The reader under test shares no code with this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_SCHEMA = {
    "XSpace": "planes:XPlane*=1 errors:string*=2 warnings:string*=3 hostnames:string*=4",
    "XPlane": (
        "id:int64=1 name:string=2 lines:XLine*=3 event_metadata:{XEventMetadata}=4 "
        "stat_metadata:{XStatMetadata}=5 stats:XStat*=6"
    ),
    "XLine": (
        "id:int64=1 name:string=2 timestamp_ns:int64=3 events:XEvent*=4 duration_ps:int64=9 "
        "display_id:int64=10 display_name:string=11"
    ),
    "XEvent": (
        "metadata_id:int64=1 offset_ps:int64?=2 duration_ps:int64=3 stats:XStat*=4 num_occurrences:int64?=5"
    ),
    "XStat": (
        "metadata_id:int64=1 double_value:double?=2 uint64_value:uint64?=3 int64_value:int64?=4 "
        "str_value:string?=5 bytes_value:bytes?=6 ref_value:uint64?=7 compressed_str_value:bytes?=8"
    ),
    "XEventMetadata": (
        "id:int64=1 name:string=2 metadata:bytes=3 display_name:string=4 stats:XStat*=5 child_id:int64*=6"
    ),
    "XStatMetadata": "id:int64=1 name:string=2 description:string=3",
}
_PACKAGE = "tfperf.demo"
_SCALARS = {
    "double": descriptor_pb2.FieldDescriptorProto.TYPE_DOUBLE,
    "int64": descriptor_pb2.FieldDescriptorProto.TYPE_INT64,
    "uint64": descriptor_pb2.FieldDescriptorProto.TYPE_UINT64,
    "string": descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
    "bytes": descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
}


def _describe(file: descriptor_pb2.FileDescriptorProto, name: str, fields: str) -> None:
    """Adds one message to ``file``; ``*``: repeated, ``?``: member of the message's oneof, ``{T}``: map."""
    message = file.message_type.add(name=name)
    for text in fields.split():
        left, number = text.split("=")
        field_name, kind = left.split(":")
        field = message.field.add(name=field_name, number=int(number))
        field.label = field.LABEL_REPEATED if kind[-1] in "*}" else field.LABEL_OPTIONAL
        base = kind.rstrip("*?").strip("{}")
        if kind.endswith("}"):
            entry_name = "".join(part.capitalize() for part in field_name.split("_")) + "Entry"
            entry = message.nested_type.add(name=entry_name)
            entry.options.map_entry = True
            entry.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=_SCALARS["int64"])
            entry.field.add(
                name="value",
                number=2,
                label=field.LABEL_OPTIONAL,
                type=field.TYPE_MESSAGE,
                type_name=f".{_PACKAGE}.{base}",
            )
            field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{name}.{entry_name}"
        elif base in _SCALARS:
            field.type = _SCALARS[base]
        else:
            field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{base}"
        if kind.endswith("?"):
            if not message.oneof_decl:
                message.oneof_decl.add(name="value")
            field.oneof_index = 0


def _make_space_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="tfperf_demo.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _SCHEMA.items():
        _describe(file, name, fields)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.XSpace"))


XSpaceMessage: Any = _make_space_class()
"""The message class of a whole file; ``XSpaceMessage.FromString(data)`` decodes one."""


@dataclass(frozen=True)
class Ref:
    """A text stored once in the plane and referred to by number, as profilers store repeated texts."""

    text: str


StatValue = int | float | str | bytes | Ref
Stats = Mapping[str, StatValue]
_NO_STATS: Stats = {}


class LineBuilder:
    """One line (a stream or a thread) of a plane."""

    def __init__(self, plane: PlaneBuilder, message: Any) -> None:
        self._plane = plane
        self._events = message.events
        self._base_ns: int = message.timestamp_ns
        self.message = message

    def event(
        self,
        name: str,
        start_ns: int,
        duration_ns: int,
        stats: Stats = _NO_STATS,
        *,
        display_name: str = "",
        **more_stats: StatValue,
    ) -> None:
        """Adds an event that starts at ``start_ns`` on the file's clock."""
        event = self._events.add(
            metadata_id=self._plane.event_id(name, display_name),
            offset_ps=(start_ns - self._base_ns) * 1000,
            duration_ps=duration_ns * 1000,
        )
        if stats or more_stats:
            self._plane.add_stats(event.stats, {**stats, **more_stats} if more_stats else stats)

    def aggregate(self, name: str, occurrences: int, duration_ns: int, stats: Stats = _NO_STATS) -> None:
        """Adds a total over ``occurrences`` events, which has no place in time."""
        event = self._events.add(
            metadata_id=self._plane.event_id(name),
            num_occurrences=occurrences,
            duration_ps=duration_ns * 1000,
        )
        self._plane.add_stats(event.stats, stats)


class PlaneBuilder:
    """One plane: a GPU, the host's threads, or the task's environment."""

    def __init__(self, message: Any) -> None:
        self._event_ids: dict[tuple[str, str], int] = {}
        self._stat_ids: dict[str, int] = {}
        self.message = message

    def line(self, id: int, name: str, timestamp_ns: int = 0, display_name: str = "") -> LineBuilder:
        """Adds a line; ``timestamp_ns`` is the zero of the offsets stored in its events."""
        message = self.message.lines.add(
            id=id, name=name, timestamp_ns=timestamp_ns, display_name=display_name
        )
        return LineBuilder(self, message)

    def event_id(self, name: str, display_name: str = "") -> int:
        """The number of an event name in this plane, made on first use."""
        key = (name, display_name)
        found = self._event_ids.get(key)
        if found is None:
            found = self._event_ids[key] = len(self._event_ids) + 1
            metadata = self.message.event_metadata[found]
            metadata.id, metadata.name, metadata.display_name = found, name, display_name
        return found

    def stat_id(self, name: str) -> int:
        """The number of a stat name, or of a referred text, in this plane, made on first use."""
        found = self._stat_ids.get(name)
        if found is None:
            found = self._stat_ids[name] = len(self._stat_ids) + 1
            metadata = self.message.stat_metadata[found]
            metadata.id, metadata.name = found, name
        return found

    def event_metadata_stats(self, name: str, stats: Stats) -> None:
        """Stores stats that belong to all events of one name."""
        self.add_stats(self.message.event_metadata[self.event_id(name)].stats, stats)

    def add_stats(self, target: Any, stats: Stats) -> None:
        """Appends ``stats`` to a repeated XStat field. Integers above 2**63 - 1 are stored as unsigned."""
        add, number = target.add, self.stat_id
        for name, value in stats.items():
            key = number(name)
            if isinstance(value, int):
                if value < 1 << 63:
                    add(metadata_id=key, int64_value=int(value))  # of a bool, too
                else:
                    add(metadata_id=key, uint64_value=value)
            elif isinstance(value, Ref):
                add(metadata_id=key, ref_value=number(value.text))
            elif isinstance(value, str):
                add(metadata_id=key, str_value=value)
            elif isinstance(value, float):
                add(metadata_id=key, double_value=value)
            else:
                add(metadata_id=key, bytes_value=value)


class SpaceBuilder:
    """One file: what one host recorded."""

    def __init__(self, hostname: str) -> None:
        self.message = XSpaceMessage(hostnames=[hostname])

    def plane(self, name: str, id: int = 0, stats: Stats = _NO_STATS) -> PlaneBuilder:
        """Adds a plane."""
        builder = PlaneBuilder(self.message.planes.add(id=id, name=name))
        builder.add_stats(builder.message.stats, stats)
        return builder

    def error(self, text: str) -> None:
        """Adds an error of the profiler, such as a failure of CUPTI."""
        self.message.errors.append(text)

    def warning(self, text: str) -> None:
        """Adds a warning of the profiler, such as dropped events."""
        self.message.warnings.append(text)

    def to_bytes(self) -> bytes:
        """The file's content."""
        data: bytes = self.message.SerializeToString()
        return data
