"""Exports of Nsight Systems made to hurt, of at most a megabyte."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.readers.nsight.writer import Export

MEGABYTE: Final = 1_000_000
Cell = int | float | str | bytes | None
Row = tuple[str, tuple[Cell, ...]]
"""Table, cells."""
Rows = Iterable[Row]
Make = Callable[[int], Rows]
"""Number → what a file holds for it."""

KERNEL, COPY, CALL, RANGE, GRAPH = (
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "NVTX_EVENTS",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
)
_COLUMNS: Final = {
    KERNEL: ("start", "end", "deviceId", "streamId", "correlationId", "demangledName"),
    COPY: (
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "copyKind",
        "bytes",
        "migrationCause",
        "virtualAddress",
    ),
    CALL: ("start", "end", "globalTid", "correlationId", "nameId"),
    RANGE: ("start", "end", "eventType", "globalTid", "text", "textId"),
    GRAPH: ("start", "end", "deviceId", "streamId", "correlationId", "graphId"),
    "StringIds": ("id INTEGER PRIMARY KEY", "value"),
    "ThreadNames": ("globalTid", "nameId"),
    "DIAGNOSTIC_EVENT": ("severity", "text"),
    "TARGET_INFO_GPU": ("id", "name", "smCount", "computeMajor"),
    "TARGET_INFO_CUDA_GPU": ("deviceId", "name", "numMultiprocessors"),
    "TARGET_INFO_CUDA_DEVICE": ("pid", "cudaId", "gpuId"),
}
_LAUNCH, _KERNEL_NAME, _FIRST_NAME = 1, 2, 10
_GPUS: Final = 64
_PAGE_BYTES: Final = 4096
_LONG: Final = "x" * 900_640


def nsight_bombs() -> dict[str, Callable[[], bytes]]:
    """Name → what makes the file."""
    return {name: lambda make=make: filled(make) for name, make in MADE.items()} | WHOLE


def filled(make: Make, more: Sequence[str] = (), **columns: Sequence[str]) -> bytes:
    """A file of a megabyte of such rows.

    Args:
        make: what there is for each number.
        more: SQL that makes what there is before.
        columns: of tables that have others than real ones.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = off")
            connection.execute("PRAGMA synchronous = off")
            for table, names in (_COLUMNS | columns).items():
                listed = ", ".join(n if " " in n else f'"{n}"' for n in names)
                connection.execute(f"CREATE TABLE {table} ({listed})")
            for statement in more:
                connection.execute(statement)
            rows: list[Row] = [
                ("StringIds", (_LAUNCH, "cudaLaunchKernel")),
                ("StringIds", (_KERNEL_NAME, "k")),
            ]
            number = 0
            while path.stat().st_size < MEGABYTE - 40_000:
                while len(rows) < 40:
                    rows += make(number)
                    number += 1
                connection.execute("BEGIN")
                for table, cells in rows:
                    connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(cells))})", cells)
                connection.execute("COMMIT")
                rows = []
        return path.read_bytes()


def _text(number: int, value: str) -> Rows:
    yield "StringIds", (_FIRST_NAME + number, value)


def _kernel(
    number: int, begin: int, *, gpu: int = 0, stream: int = 7, name: int = _KERNEL_NAME, last: int = 1
) -> Rows:
    yield KERNEL, (begin, begin + last, gpu, stream, number, name)


def _call(number: int, begin: int, thread: int = 1, name: int = _LAUNCH, last: int = 1) -> Rows:
    yield CALL, (begin, begin + last, thread, number, name)


def _range(text: str, begin: int, end: int | None, thread: int = 1, kind: int = 59) -> Rows:
    yield RANGE, (begin, end, kind, thread, text, None)


def _launched(number: int, begin: int, **where: int) -> Rows:
    """A call and its kernel."""
    yield from _call(number, begin)
    yield from _kernel(number, begin + 1, **where)


def _inside(text: str, number: int, thread: int = 1) -> Rows:
    """A range around a call whose kernel runs on one of many GPUs."""
    begin = 4 * number
    yield from _range(text, begin, begin + 3, thread)
    yield from _call(number, begin + 1, thread)
    yield from _kernel(number, begin + 2, gpu=number % _GPUS)


def _named_kernel(name: str, number: int) -> Rows:
    yield from _text(number, name)
    yield from _kernel(number, number, gpu=number % _GPUS, name=_FIRST_NAME + number)


def _nested(number: int, text: str, depth: int) -> Rows:
    """``depth`` ranges inside one another, then calls inside of all of them."""
    if number < depth:
        yield from _range(text.format(number), number, 10**7 - number)
    yield from _launched(number, depth + 3 * number)


def _in_steps(name: str = "", around: str = "", *, texts_count: int = 1, every: int = 400) -> Make:
    """Makes launched kernels of many GPUs, in steps of so many.

    Args:
        name: of each kernel, with its number in place of ``{}``.
        around: name of a range around each launch.
        texts_count: every so many kernels have a name of their own.
        every: kernels of a step.
    """

    def make(number: int) -> Rows:
        begin = 8 * number
        if number % every == 0:
            yield from _range(f"step {number // every}", begin, begin + 8 * every - 1)
        if around:
            yield from _range(around.format(number), begin + 1, begin + 5)
        if name and number % texts_count == 0:
            yield from _text(number, name.format(number))
        yield from _call(number, begin + 2)
        code = _FIRST_NAME + number - number % texts_count if name else _KERNEL_NAME
        yield from _kernel(number, begin + 3, gpu=number % _GPUS, name=code, last=2)

    return make


_HARD = (
    "Cijk_", "loop_", "winograd", "_gpu_dt_", ".1", "/_1", "<float", "(1", "::", "void ", "nccl", "sm80_", "_", "x",
)  # fmt: skip
MADE: dict[str, Make] = {
    "kernels": lambda n: _kernel(n, n),
    "kernels that were launched": lambda n: _launched(n, 3 * n),
    "kernels that were launched, of many GPUs": lambda n: _launched(n, 3 * n, gpu=n % _GPUS),
    "a name a kernel": lambda n: _named_kernel(f"kernel_{n}<float>", n),
    "a collective a kernel": lambda n: _named_kernel(f"ncclDevKernel_AllReduce_{n}", n),
    "collectives of many GPUs": lambda n: _kernel(n, n // _GPUS, gpu=n % _GPUS, name=_FIRST_NAME) if n else _text(0, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"),
    "long names of kernels": lambda n: _named_kernel(f"{n}" + "x" * 4000, n),
    "hard names of kernels": lambda n: _named_kernel(f"{n}" + (_HARD[n % len(_HARD)] * 4000)[:4000], n),
    "hard names of ranges": lambda n: _inside(f"{n}" + (_HARD[n % len(_HARD)] * 4000)[:4000], n),
    "names of ranges full of numbers": lambda n: _inside("step " + f"{n} " * (4000 // (len(str(n)) + 1)), n),
    "names of ranges full of brackets": lambda n: _inside("step" + ("[(/ " * 1000)[: 3990 - n] + str(n), n),
    "a GPU a kernel": lambda n: _kernel(n, n, gpu=n),
    "a stream a kernel": lambda n: _kernel(n, n, stream=n),
    "a stream a kernel of many GPUs": lambda n: _kernel(n, n, stream=n, gpu=n % _GPUS),
    "an op a kernel": lambda n: _inside(f"aten::op{n}", n),
    "an op a kernel, of TensorFlow": lambda n: _inside(f"a/op{n}:MatMul", n),
    "a product a kernel": lambda n: _inside(f"aten::mm, seq = {n}, op_id = {n}, sizes = [[{n + 1}, 8], [8, {n + 2}]], input_op_ids = [({n},0)]", n),
    "parts of steps": lambda n: _inside(("autograd::engine::evaluate_function: a", f"aten::op{n}, seq = {n}", f"aten::op{n}", "Optimizer.step#SGD.step")[n % 4], n),
    "a program a kernel": lambda n: _inside(f"XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f{n},program_id={n}#", n),
    "an instruction a kernel": lambda n: _inside(f"Thunk:#name=dot{n},hlo_op=fusion.{n}#", n),
    "a step a kernel": lambda n: _inside(f"step {n}", n),
    "a step a kernel of equal names": lambda n: _inside("step", n),
    "steps of kernels": _in_steps(),
    "steps of a name a kernel": _in_steps("kernel_{}<float>"),
    "steps of long names of kernels": _in_steps("{}" + "x" * 4000, every=20),
    "steps of hard names of kernels": _in_steps("{}" + "Cijk_" * 800, every=20),
    "steps of long names of many kernels": _in_steps("{}" + "x" * 4000, texts_count=64, every=64),
    "steps of a collective a kernel": _in_steps("ncclDevKernel_AllReduce_{}"),
    "steps of collectives": _in_steps("ncclDevKernel_AllReduce_{}", texts_count=10**9),
    "steps of an op a kernel": _in_steps(around="aten::op{}"),
    "steps of an op a kernel, of many GPUs": _in_steps(around="aten::op{}", every=2000),
    "steps of an op and a name a kernel": _in_steps("kernel{}", around="aten::op{}"),
    "steps of an op a kernel, of TensorFlow": _in_steps(around="a/op{}:MatMul"),
    "steps of an instruction a kernel": _in_steps(around="Thunk:#name=jit(f)/a{0}/dot,hlo_op=fusion.{0}#"),
    "steps of a collective op a kernel": _in_steps(around="Thunk:#name=a{0},hlo_op=all-reduce.{0}#"),
    "steps of a program a kernel": _in_steps(around="XlaModule:#hlo_module=jit_f{0},program_id={0}#"),
    "steps of a range a kernel": _in_steps(around="a{}b"),
    "steps of layers": _in_steps(around="layer{}/forward"),
    "a thread a call": lambda n: _inside("step", n, thread=n),
    "a process a call": lambda n: _inside(f"step {n}", n, thread=n << 24),
    "ranges of many threads": lambda n: _range(f"step {n % 7}", n, n + 50, thread=n % 997),
    "ranges inside ranges": lambda n: _range("step", n, 10**7 - n),
    "ops inside ops": lambda n: _range(f"aten::op{n}", n, 10**7 - n),
    "calls inside many ranges": lambda n: _nested(n, "a{}", 511),
    "calls inside many ops": lambda n: _nested(n, "aten::op{}", 511),
    "calls inside very many ranges": lambda n: _nested(n, "a{}", 5000),
    "calls inside calls": lambda n: _call(n, n, last=10**7 - 2 * n),
    "ranges at one moment": lambda n: _range("step", 5, 10),
    "ranges backwards": lambda n: _range("step", 10**7 - n, 10**7 - n + 3),
    "ranges that overlap": lambda n: _range("step", 2 * n, 2 * n + 10**5),
    "ranges of no length": lambda n: _range("step", n, n),
    "ranges that end before they begin": lambda n: _range("step", n, n - 5),
    "ranges that never end": lambda n: _range(f"step {n}", n, None),
    "ranges of other threads": lambda n: _range(f"a{n}", n, n + 9, thread=n, kind=60),
    "a range a name": lambda n: _range(f"a{n}b{n}c", n, n + 9),
    "graphs": lambda n: [(GRAPH, (n, n + 1, n % _GPUS, 7, n, n))],
    "copies": lambda n: [(COPY, (n, n + 1, n % _GPUS, 7, n, n % 14, n, None, n))],
    "copies of kinds": lambda n: [(COPY, (n, n + 1, 0, 7, n, n, n, n, n))],
    "steps of pages that migrate": lambda n: (*_in_steps()(n), (COPY, (8 * n + 3, 8 * n + 6, n % _GPUS, 0, 0, 11 + n % 3, n, n % 7, n % 5))),
    "pages that migrate in one kernel": lambda n: (*(_launched(1, 0, last=10**7) if not n else ()), (COPY, (n, n + 1, 0, 0, 0, 11, 1, 2, n))),
    "pages that come again after a prefetch": lambda n: (*(_launched(1, 0, last=10**7) if not n else ()), (COPY, (n, n + 1, 0, 0, 0, 11, 1 << n % 40, 1 + n % 2, n // 2 * 7919 % 100_003))),
    "a function a call": lambda n: (*_text(n, f"cuda{n}_v700"), *_call(n, n, name=_FIRST_NAME + n)),
    "waits": lambda n: (*(_text(0, "cudaStreamSynchronize") if not n else ()), *_call(n, 3 * n, name=_FIRST_NAME, last=2), *_kernel(n, 3 * n)),
    "names of threads": lambda n: (*_text(n, f"t{n}"), ("ThreadNames", (n, _FIRST_NAME + n)), *_call(n, n, thread=n)),
    "messages": lambda n: [("DIAGNOSTIC_EVENT", (2 + n % 2, f"m{n}"))],
    "GPUs of the machine": lambda n: [("TARGET_INFO_GPU", (n, f"g{n}", n, 9))],
    "GPUs of 2021": lambda n: [("TARGET_INFO_CUDA_GPU", (n, f"g{n}", n))],
    "GPUs of processes": lambda n: (("TARGET_INFO_CUDA_DEVICE", (n, 0, n)), *_kernel(n, n)),
    "names that no text has": lambda n: (*_kernel(n, n, name=10**6 + n), (RANGE, (n, n + 1, 59, 1, None, n))),
    "one name for all": lambda n: _text(0, "x" * 500_000) if not n else _kernel(n, n, name=_FIRST_NAME),
    "no numbers": lambda n: [(KERNEL, ("a", b"b", None, 1.5, float("inf"), -(1 << 63)))],
    "times of a hundred years": lambda n: _kernel(n, n % 2 * 100 * 365 * 86400 * 10**9),
    "times below zero": lambda n: _launched(n, -3 * n),
    "wide numbers": lambda n: [(KERNEL, (n, n + 1, 1 << 62, -1, 1 << 40, 1 << 50))],
    "texts of nothing": lambda n: [("StringIds", (n + 10, "")), (RANGE, (n, n + 1, 59, 1, "", None))],
}  # fmt: skip


def _defaults(table: str, **columns: int | str) -> bytes:
    """Rows of seven bytes: their start is their number, and the rest are defaults."""
    more = [f'ALTER TABLE {table} ADD COLUMN "{name}" DEFAULT {value}' for name, value in columns.items()]
    return filled(lambda n: [(f"{table}(start)", (n,))], more, **{table: ("start INTEGER PRIMARY KEY",)})


def _failing() -> bytes:
    """As ``_defaults``, with CUDA's code of an error beside the start."""
    rest = {"end": 10**9, "globalTid": 1, "nameId": _LAUNCH}
    more = [f'ALTER TABLE {CALL} ADD COLUMN "{name}" DEFAULT {value}' for name, value in rest.items()]
    columns = ("start INTEGER PRIMARY KEY", "returnValue")
    return filled(lambda n: [(f"{CALL}(start, returnValue)", (n, n + 1))], more, **{CALL: columns})


def _grids() -> bytes:
    columns = (*_COLUMNS[KERNEL], "gridX", "blockX", "registersPerThread")

    def make(n: int) -> Rows:
        if n % 400 == 0:
            yield from _range(f"step {n // 400}", 8 * n, 8 * n + 3199)
        yield from _call(n, 8 * n + 2)
        yield KERNEL, (8 * n + 3, 8 * n + 5, n % _GPUS, 7, n, _KERNEL_NAME, n, n % 1024, n % 255)

    return filled(make, **{KERNEL: columns})


def _one_text_for_all(table: str, **cells: int | str) -> bytes:
    """A hundred thousand rows, all of them one and the same bytes of the file, with a long text."""
    pages, most = 160, (_PAGE_BYTES - 8) // 6  # SQLite allows no more on a page
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            listed, places = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
            connection.execute(f"CREATE TABLE {table} ({listed})")
            connection.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs)")
            connection.execute(f"INSERT INTO {table} VALUES ({places})", [*cells.values()])
            (root,) = connection.execute("SELECT min(rootpage) FROM sqlite_master").fetchone()
        data = bytearray(path.read_bytes())
    begin = (root - 1) * _PAGE_BYTES
    (at,) = struct.unpack_from(">H", data, begin + 8)
    cell = data[begin + at : begin + _PAGE_BYTES]
    at = _PAGE_BYTES - len(cell)
    leaf = struct.pack(f">BHHHB{most}H", 13, 0, most, at, 0, *[at] * most).ljust(at, b"\0") + cell
    child = len(data) // _PAGE_BYTES + 1
    at = _PAGE_BYTES - 5
    places_of = struct.pack(f">BHHHBI{pages}H", 5, 0, pages, at, 0, child, *[at] * pages)
    data[begin : begin + _PAGE_BYTES] = places_of.ljust(at, b"\0") + struct.pack(">IB", child, 1)
    struct.pack_into(">I", data, 28, child)
    return bytes(data + leaf)


def _schema(make: Callable[[int], tuple[str, str, int, str]], count: int) -> bytes:
    """A file whose list of tables has this many entries more, each of (type, name, page, SQL)."""
    with TemporaryDirectory() as folder:
        export = Export()
        for number in range(100):
            export.launch(10 * number, 10 * number, 10 * number + 5)
        path = export.write(Path(folder) / "export.sqlite")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("BEGIN")
            for kind, name, page, sql in map(make, range(count)):
                cells = (kind, name, name, page, sql)
                connection.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", cells)
            connection.execute("COMMIT")
        return path.read_bytes()


WHOLE: dict[str, Callable[[], bytes]] = {
    "kernels of seven bytes": lambda: _defaults(KERNEL, end=10**9, deviceId=0, streamId=7),
    "ranges of seven bytes": lambda: _defaults(RANGE, end=10**9, eventType=59, globalTid=1, text="'step'"),
    "calls of seven bytes": lambda: _defaults(CALL, end=10**9, globalTid=1, nameId=1),
    "launches that fail, an error each": _failing,
    "steps of a grid a kernel": _grids,
    "one long text for all ranges": lambda: _one_text_for_all(RANGE, start=1, end=2, eventType=59, globalTid=1, text=_LONG),
    "one long text for all messages": lambda: _one_text_for_all("DIAGNOSTIC_EVENT", severity=2, text=_LONG),
    "one long text for all strings": lambda: _one_text_for_all("StringIds", id=1, value=_LONG),
    "thousands of tables": lambda: _schema(lambda n: ("table", f"t{n}", 2, f"CREATE TABLE t{n}(a)"), 18_000),
    "thousands of views": lambda: _schema(lambda n: ("view", f"v{n}", 0, f"CREATE VIEW v{n} AS SELECT * FROM v{n + 1}"), 13_000),
    "thousands of columns": lambda: _schema(lambda n: ("table", f"t{n}", 2, f"CREATE TABLE t{n}({','.join(f'c{k}' for k in range(1999))})"), 80),
    "long conditions": lambda: _schema(lambda n: ("table", f"t{n}", 2, f"CREATE TABLE t{n}(a CHECK({'a+' * 900}a))"), 450),
    "long defaults": lambda: _schema(lambda n: ("table", f"t{n}", 2, f"CREATE TABLE t{n}(a DEFAULT ({'-' * 900}1))"), 900),
}  # fmt: skip
