"""Traces of PyTorch's profiler for tests, in the dialects that its versions write.

    trace = Trace()
    trace.op("aten::mm", 0, 50)
    trace.launch(1, 10, 20)
    trace.kernel("gemm", 1, 30, 90)
    host = read(trace)

Times are µs since the start of the recording, of any resolution down to 1 ns.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tfperf_plugin.readers.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.formats import KINETO, reader_of
from tfperf_plugin.trace.model import HostTrace

BEGIN_NS = 1_698_955_360_294_809_000
"""The start of each recording, in ns since the epoch."""
BASE_NS = 1_695_000_000_000_000_000
"""What traces with a base count from."""
PID = 4242

_NAMES_2021 = {
    "cpu_op": "Operator", "user_annotation": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel",
    "gpu_memcpy": "Memcpy", "gpu_memset": "Memset", "ac2g": "async",
}  # fmt: skip


def _whole_us(time_ns: int) -> str:
    return str(time_ns // 1000)


def _exact_us(time_ns: int) -> str:
    return f"{time_ns // 1000}.{time_ns % 1000:03d}"


def _since_base(time_ns: int) -> str:
    return _exact_us(time_ns - BASE_NS if time_ns >= BASE_NS else time_ns)


@dataclass(frozen=True)
class Dialect:
    """How a version writes a trace.

    ``time``: of ns, in µs; ``base``: where the base of times stands, if there is one; ``gap``: between the
    fields of an object; ``bare``: builds for the CPU only write a list of events.
    """

    time: Callable[[int], str]
    old: bool = False
    base: str = ""
    metadata_last: bool = False
    gap: str = "\n    "
    bare: bool = False


OF_2021 = Dialect(_whole_us, old=True)
OF_2022 = Dialect(_whole_us)
FLOATS = Dialect(_exact_us)
BASE_FIRST = Dialect(_since_base, base="head")
BASE_LAST = Dialect(_since_base, base="tail", gap=" ")
METADATA_LAST = Dialect(_since_base, base="tail", metadata_last=True, gap="")
CPU_ONLY = Dialect(_exact_us, bare=True, gap=" ")
WITH_GPUS = {
    "2021": OF_2021, "2022": OF_2022, "floats since the epoch": FLOATS, "base first": BASE_FIRST,
    "base last": BASE_LAST, "metadata last, compact": METADATA_LAST,
}  # fmt: skip
"""All dialects that know GPUs, by what is special about them."""


class Trace:
    """A trace under construction. ``devices``: what is known of each GPU."""

    def __init__(
        self, dialect: Dialect = BASE_LAST, rank: int = -1, begin_ns: int = BEGIN_NS, **metadata: Any
    ) -> None:
        self.dialect, self.begin_ns = dialect, begin_ns
        self.metadata: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": []}
        if rank >= 0:
            self.metadata["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 4}
        self.metadata |= metadata
        self.events: list[str] = []

    def add(self, ph: str, name: str, begin: float, end: float | None = None, **fields: Any) -> None:
        """An event with these fields."""
        begin_ns = self.begin_ns + round(begin * 1000)
        ordered = {"ph": json.dumps(ph)}
        ordered |= {key: json.dumps(fields.pop(key)) for key in ("cat",) if key in fields}
        ordered |= {"name": json.dumps(name)}
        ordered |= {key: json.dumps(fields.pop(key)) for key in ("pid", "tid") if key in fields}
        ordered["ts"] = self.dialect.time(begin_ns)
        if end is not None:
            ordered["dur"] = self.dialect.time(round(end * 1000) - round(begin * 1000))
        ordered |= {key: json.dumps(value) for key, value in fields.items()}
        self.events.append(self._object(ordered))

    def host(self, cat: str, name: str, begin: float, end: float, thread: int = 1, **args: Any) -> None:
        """An event of a thread."""
        if self.dialect.bare:
            self.add("X", name, begin, end, pid="CPU functions", tid=thread)
            return
        tid = str(thread) if self.dialect.old else thread
        self.add("X", name, begin, end, cat=self._category(cat), pid=PID, tid=tid, args=args)

    def op(self, name: str, begin: float, end: float, thread: int = 1, **args: Any) -> None:
        """An op; ``Input_Dims`` and so on are its arguments."""
        self.host("cpu_op", name, begin, end, thread, **_spaced(args))

    def mark(self, name: str, begin: float, end: float, thread: int = 1, **args: Any) -> None:
        """What the program annotates."""
        self.host("user_annotation", name, begin, end, thread, **_spaced(args))

    def launch(
        self, correlation: int, begin: float, end: float, name: str = "cudaLaunchKernel", thread: int = 1
    ) -> None:
        """A call of the runtime."""
        self.host("cuda_runtime", name, begin, end, thread, cbid=211, correlation=correlation)

    def kernel(
        self,
        name: str,
        correlation: int,
        begin: float,
        end: float,
        device: int = 0,
        stream: int = 7,
        cat: str = "kernel",
        **args: Any,
    ) -> None:
        """Work on a stream of a GPU."""
        known = {"device": device, "context": 1, "stream": stream, "correlation": correlation}
        tid = f"stream {stream}" if self.dialect.old else stream
        category = self._category(cat)
        self.add("X", name, begin, end, cat=category, pid=device, tid=tid, args=known | _spaced(args))
        self.add("f", "ac2g", begin, cat=self._category("ac2g"), pid=device, tid=tid, id=correlation, bp="e")

    def copy(self, name: str, correlation: int, begin: float, end: float, size: int, **args: Any) -> None:
        """A copy."""
        self.kernel(name, correlation, begin, end, cat="gpu_memcpy", bytes=size, **args)

    def memory(self, at: float, change: int, device: int = 0, **args: Any) -> None:
        """Something was allocated, or freed if the change is negative; on the CPU if the device is −1."""
        place = {"Device Type": 1 if device >= 0 else 0, "Device Id": device}
        self.add("i", "[memory]", at, pid=PID, tid=1, s="t", args=place | {"Bytes": change} | _spaced(args))

    def thread(self, number: int, name: str) -> None:
        """What a thread is called."""
        tid = str(number) if self.dialect.old else number
        self.add("M", "thread_name", 0, pid=PID, tid=tid, args={"name": name})

    def text(self) -> str:
        """The whole trace."""
        gap = self.dialect.gap
        events = f"[{gap}" + f",{gap}".join(self.events) + f"{gap}]"
        if self.dialect.bare:
            return events
        known = {key: json.dumps(value) for key, value in self.metadata.items()}
        base = {"baseTimeNanoseconds": str(BASE_NS)}
        first = base if self.dialect.base == "head" else {}
        last = base if self.dialect.base == "tail" else {}
        before, after = ({}, known) if self.dialect.metadata_last else (known, {})
        return self._object({**before, **first, "traceEvents": events, **after, **last})

    def to_bytes(self, packed: bool = False) -> bytes:
        """The file."""
        data = self.text().encode()
        return gzip.compress(data) if packed else data

    def _category(self, cat: str) -> str:
        return _NAMES_2021.get(cat, cat) if self.dialect.old else cat

    def _object(self, fields: dict[str, str]) -> str:
        gap = self.dialect.gap
        space = " " if gap else ""
        inner = f",{gap}".join(f'"{key}":{space}{value}' for key, value in fields.items())
        return f"{{{gap}{inner}{gap}}}"


def _spaced(args: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", " "): value for name, value in args.items()}


def read(trace: Trace | bytes, host: str = "host") -> HostTrace:
    """What the reader makes of a trace in which nothing is wrong."""
    found, anomalies = read_damaged(trace, host)
    assert anomalies == ()
    return found


def read_damaged(trace: Trace | bytes, host: str = "host") -> tuple[HostTrace, tuple[Anomaly, ...]]:
    """What the reader makes of a trace, and what it skipped. Raises UnreadableInput, NotJudgeable."""
    data = trace if isinstance(trace, bytes) else trace.to_bytes()
    anomalies, reader = Anomalies(), reader_of(data)
    assert reader is KINETO
    return reader.trace(host, reader.decode(data, anomalies), anomalies), anomalies.rows()
