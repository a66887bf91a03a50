"""Traces of PyTorch's profiler made to hurt, of about a megabyte, packed or not."""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

MEGABYTE = 1_000_000
HEAD = b'{"schemaVersion": 1, "deviceProperties": [], "traceEvents": ['
FLOATS = ',"float"' * 1500
Make = Callable[[int], str]
"""Number → event."""


def trace_bombs() -> dict[str, Callable[[], bytes]]:
    """Name → what makes the file."""
    plain = {name: partial(_file, make) for name, make in PLAIN.items()}
    packed = {f"{name}, packed": partial(_packed, PLAIN[name]) for name in PACKED}
    full = {f"{name}, full": partial(_full, PLAIN[name], count) for name, count in FULL.items()}
    return plain | packed | full | WHOLE


def _op(ts: int, name: str, cat: str = "cpu_op", tid: int = 1, dur: int = 1, args: str = "") -> str:
    return f'{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}'


def _kernel(ts: int, name: str, args: str = '"stream":7', device: int = 0, cat: str = "kernel") -> str:
    return f'{{"ph":"X","cat":"{cat}","name":"{name}","ts":{ts},"dur":1,"args":{{"device":{device},{args}}}}}'


def _launched(number: int, kernel: str = "k", device: int = 0) -> str:
    joined = f'"correlation":{number}'
    launch = _op(number, "cudaLaunchKernel", "cuda_runtime", args=joined)
    return launch + "," + _kernel(number, kernel, joined, device)


def _inside(number: int, cat: str, name: str, kernel: str) -> str:
    """Annotations inside each other, as deep as they may nest, and launches inside of them all."""
    if number < 510:
        return _op(number, name, cat, dur=10**7 - 2 * number)
    return _launched(1000 + 3 * number, kernel, number % 64)


def _file(make: Make) -> bytes:
    """A file of a megabyte of such events."""
    return b"".join(_parts(make))


def _parts(make: Make) -> Iterator[bytes]:
    size, number = 0, 0
    yield HEAD
    while size < MEGABYTE:
        event = make(number).encode("utf-8", "surrogateescape") + b","
        yield event
        size, number = size + len(event), number + 1
    yield b'{"ph":"s"}]}'


def _full(make: Make, count: int) -> bytes:
    """A packed file of so many events, in which text that does not pack fills a megabyte."""
    events = HEAD + ",".join(map(make, range(count))).encode() + b"]"
    left = max(0, MEGABYTE - len(gzip.compress(events, 6)))
    filling = b64encode(Random(1).randbytes(left * 3 // 4))
    return gzip.compress(events + b',"filling":"' + filling + b'"}', 6)


def _packed(make: Make, most: int = 24 * MEGABYTE) -> bytes:
    """A packed file of at most a megabyte of such events, which inflates to at most so many bytes."""
    pack = zlib.compressobj(6, wbits=31)
    parts, size, number, inflated = [pack.compress(HEAD)], 0, 0, 0
    while size < MEGABYTE and inflated < most:
        text = ",".join(map(make, range(number, number + 1000))).encode("utf-8", "surrogateescape") + b","
        parts.append(pack.compress(text))
        size, number, inflated = size + len(parts[-1]), number + 1000, inflated + len(text)
    return b"".join([*parts, pack.compress(b'{"ph":"s"}]}'), pack.flush()])


PLAIN: dict[str, Make] = {
    "tiny events": lambda n: '{"ph":"X","ts":1}',
    "events of nothing": lambda n: "{}",
    "arrows": lambda n: '{"ph":"s"}',
    "moments of memory": lambda n: f'{{"ph":"i","name":"[memory]","ts":{n},"args":{{"Device Type":1,"Device Id":0,"Total Allocated":{n},"Bytes":9,"Addr":{n}}}}}',
    "an allocator an event": lambda n: f'{{"ph":"i","name":"[memory]","ts":{n},"args":{{"Device Type":1,"Device Id":{n},"Total Allocated":1,"Bytes":9}}}}',
    "an op an event": lambda n: _op(n, f"aten::op{n}"),
    "a thread an event": lambda n: _op(n, "aten::mm", tid=n),
    "a process a launch": lambda n: _launched(n).replace('"pid":1', f'"pid":{n}'),
    "a name of a thread an event": lambda n: f'{{"ph":"M","name":"thread_name","pid":1,"tid":{n},"args":{{"name":"t{n}"}}}}',
    "a step an event": lambda n: _op(n, f"ProfilerStep#{n}", "user_annotation", dur=1),
    "a function an event": lambda n: _op(n, f"f{n}.py({n}): f{n}", "python_function"),
    "shapes an op": lambda n: _op(n, "aten::mm", args=f'"Input Dims":[[{n},4]],"Input type":["float"]'),
    "numbers of ops": lambda n: _op(n, "aten::mm", args=f'"External id":{n * 1_000_003}'),
    "numbers of ops that are texts": lambda n: _op(n, "aten::mm", args=f'"External id":"{"9" * 400}{n}"'),
    "ops inside ops": lambda n: _op(n, "aten::mm", dur=10**7 - 2 * n),
    "ops at one moment": lambda n: _op(5, "aten::mm", dur=5),
    "ops backwards": lambda n: _op(10**7 - n, "aten::mm", dur=3),
    "long names": lambda n: _op(n, f"{n}" + "x" * 15_000),
    "names of parentheses": lambda n: _op(n, f"{n}" + "(1" * 8_000, "python_function"),
    "names of kernels that begin again": lambda n: _kernel(n, f"{n}" + ("Cijk_", "loop_", "winograd", "_gpu_dt_", ".1", "/_1")[n % 6] * 2_500),
    "a kernel an event": lambda n: _kernel(n, f"kernel{n}"),
    "launched kernels": lambda n: _launched(n),
    "a launch and nothing but kernels": lambda n: _op(n, "cudaGraphLaunch", "cuda_runtime", args='"correlation":1') if not n else _kernel(n, "k", "\"correlation\":1"),
    "a stream a kernel": lambda n: _kernel(n, "k", f'"stream":{n}'),
    "a GPU a kernel": lambda n: _kernel(n, "k", device=n),
    "a grid a kernel": lambda n: _kernel(n, "k", f'"grid":[{n},1,1],"block":[1,1,1]'),
    "a copy a name": lambda n: _kernel(n, f"Memcpy {n:04} (A -> B)", cat="gpu_memcpy"),
    "collectives": lambda n: _kernel(n, "ncclDevKernel_AllReduce", f'"Collective name":"allreduce","dtype":"Float","Out msg nelems":{n},"Group size":{n}'),
    "attentions": lambda n: _op(3 * n, ("aten::bmm", "aten::_softmax", "aten::bmm")[n % 3], dur=2, args=f'"Input Dims":[[{n},4,4],[{n},4,4]],"Input type":["float","float"]') + "," + _launched(3 * n + 1, "softmax"),
    "annotated collectives": lambda n: _op(3 * n, "nccl:all_reduce", "user_annotation", dur=2, args=f'"Input Dims":[[{n}]],"Input type":["float"]') + "," + _launched(3 * n + 1, "ncclKernel_AllReduce"),
    "huge numbers": lambda n: _kernel(n, "k", f'"correlation":{"9" * 4000},"stream":1e999,"bytes":-1e308'),
    "times without end": lambda n: '{"ph":"X","ts":"1e999999999","dur":"1e-999999999"}',
    "numbers of many digits": lambda n: f'{{"ph":"X","ts":{10**15 + n}.5,"args":{{"correlation":{"1" * 50_000}.5,"stream":{"1" * 50_000}}}}}',
    "times of many digits": lambda n: f'{{"ph":"X","ts":{10**15 + n}.{"1" * 60},"dur":0.{"3" * 60}}}',
    "far apart": lambda n: _op(n % 2 * 10**13, "aten::mm"),
    "brackets": lambda n: "[" * 1_000,
    "lists of lists": lambda n: f'{{"ph":"X","ts":[[],[],[],[]],"name":"a","args":{{"correlation":[{"[]," * 200}[]]}}}}',
    "objects in lists": lambda n: f'{{"ph":"X","ts":{n},"args":{{"a":[{{"name":1}},{{"name":2}}, {{"ph": 3}}]}}}}',
    "lists without end": lambda n: '{"ph":"X","a":[' + '{"ph":"X"},' * 100 + "1",
    "texts without end": lambda n: '{"ph":"X","name":"' + "x" * 300,
    "backslashes": lambda n: '{"ph":"X","name":"' + "\\" * 301 + 'q"}',
    "numbers that are none": lambda n: f'{{"ph":"X","ts":{n},"args":{{"a":N/A,"b":nan,"c":-inf}}}}',
    "bare quotes": lambda n: f'{{"ph":"X","ts":{n},"args":{{"a":"x"y"}}}}',
    "bare quotes in names": lambda n: f'{{"ph":"X","ts":{n},"name":"x"y"}}',
    "control characters": lambda n: f'{{"ph":"X","ts":{n},"name":"\n\x01{n}"}}',
    "no unicode": lambda n: f'{{"ph":"X","ts":{n},"name":"\udcff{n}"}}',
    "texts like events": lambda n: f'{{"ph":"X","ts":{n},"name":"}},{{\\"ph\\":}}, {{"}}',
    "kinds that are none": lambda n: f'{{"ph":{n},"ts":{n}}}',
    "much that is unknown": lambda n: f'{{"ph":"X","ts":{n},' + ",".join(f'"a{k}":{k}' for k in range(50)) + "}",
    "a grid a kernel of 64 GPUs": lambda n: _kernel(n, "k", f'"grid":[{n},1,1],"block":[1,1,1]', n % 64),
    "a name a kernel of 64 GPUs": lambda n: _kernel(n, f"kernel_{n}<float>", device=n % 64),
    "a name an op, 64 GPUs": lambda n: _op(3 * n, f"aten::op{n}", dur=2) + "," + _launched(3 * n + 1, device=n % 64),
    "ops beside few kernels of 64 GPUs": lambda n: _op(3 * n, "aten::mm", dur=2) + (n % 8 == 0) * ("," + _launched(3 * n + 1, device=n // 8 % 64)),
    "a call a kernel beside 64 GPUs": lambda n: _kernel(n, "ncclDevKernel_AllReduce" if n < 64 else "k", f'"Collective name":"x{n}","dtype":"Float","Out msg nelems":{n}', min(n, 63)),
    "calls of 64 GPUs": lambda n: _kernel(n // 64 * 10, "ncclDevKernel_AllReduce", f'"stream":{n % 7},"Collective name":"x{n}","dtype":"Float","Out msg nelems":{n},"Group size":64', n % 64),
    "launches inside annotations": lambda n: _inside(n, "user_annotation", "nccl:a", "ncclKernel_AllReduce"),
    "launches inside ops": lambda n: _inside(n, "cpu_op", f"aten::a{n}", "k"),
    "a shape an op, 64 GPUs": lambda n: _op(3 * n, "aten::mm", dur=2, args=f'"Input Dims":[[{n},4],[4,{n}]],"Input type":["float","float"]') + "," + _launched(3 * n + 1, device=n % 64),
    "shapes of thousands of sizes": lambda n: _op(3 * n, "aten::add", dur=2, args=f'"Input Dims":[[{n}{",9" * 7900}]],"Input type":["float"]') + "," + _launched(3 * n + 1),
    "inputs of thousands of tensors": lambda n: _op(3 * n, "aten::cat", dur=2, args=f'"Input Dims":[[{n}]{",[7]" * 3000}],"Input type":["float"{FLOATS}]') + "," + _launched(3 * n + 1),
    "a step a kernel of 64 GPUs": lambda n: _op(10 * n, f"ProfilerStep#{n}", "user_annotation", dur=9) + "," + _launched(10 * n + 1, device=n % 64),
    "wrong types": lambda n: f'{{"ph":"X","ts":{n},"name":{n},"pid":[],"args":[]}}',
}  # fmt: skip
PACKED = (
    "tiny events", "events of nothing", "arrows", "moments of memory", "an allocator an event", "an op an event",
    "a thread an event", "a function an event", "shapes an op", "ops inside ops", "launched kernels",
    "a stream a kernel", "a grid a kernel", "huge numbers", "times of many digits", "lists of lists",
    "objects in lists", "backslashes", "numbers that are none", "bare quotes", "kinds that are none", "wrong types",
)  # fmt: skip
FULL = {
    "a grid a kernel of 64 GPUs": 25_000, "a name a kernel of 64 GPUs": 29_000, "a name an op, 64 GPUs": 34_000,
    "ops beside few kernels of 64 GPUs": 94_000, "a call a kernel beside 64 GPUs": 27_000,
    "calls of 64 GPUs": 27_000, "launches inside annotations": 64_000, "launches inside ops": 64_000,
    "a shape an op, 64 GPUs": 32_000, "shapes of thousands of sizes": 200, "inputs of thousands of tensors": 250,
    "a step a kernel of 64 GPUs": 25_000,
}  # fmt: skip
"""Nearly as many events as the reader takes of a megabyte."""
_PROPERTIES = b'{"schemaVersion": 1, "traceEvents": [{"ph":"X","ts":1}], "deviceProperties": [%b]}'
_ERRORS = b'{"schemaVersion": 1, "traceEvents": [{"ph":"X","ts":1}], "ERROR": [%b], "deviceProperties": []}'
_BEFORE = b'{"schemaVersion": 1, "deviceProperties": ['


def _steps() -> bytes:
    """Equal collectives in one rhythm, each of which looks like a step, with numbers that hardly pack."""
    draw = Random(1)
    args = (f'"stream":7,"x":"{draw.getrandbits(28):x}"' for _ in range(113_000))
    events = (_kernel(3 * n, "ncclDevKernel_AllReduce", of).encode() for n, of in enumerate(args))
    return gzip.compress(HEAD + b",".join(events) + b"]}", 6)


WHOLE: dict[str, Callable[[], bytes]] = {
    "spaces, packed": lambda: gzip.compress(HEAD + b" " * (128 * MEGABYTE)),
    "one event without end, packed": lambda: gzip.compress(HEAD + b'{"ph":"X","name":"' + b"x" * (60 * MEGABYTE)),
    "many properties of GPUs": lambda: _PROPERTIES % (b"{}," * (MEGABYTE // 3) + b"{}"),
    "many properties of GPUs, packed": lambda: gzip.compress(_PROPERTIES % (b"[]," * (30 * MEGABYTE) + b"{}")),
    "many errors": lambda: _ERRORS % (b'"a",' * (MEGABYTE // 4) + b'"a"'),
    "one long error": lambda: _ERRORS % (b'"' + b"a" * MEGABYTE + b'"'),
    "much before the events, packed": lambda: gzip.compress(_BEFORE + b"[]," * (40 * MEGABYTE)),
    "much behind the events, packed": lambda: gzip.compress(HEAD + b'{"ph":"X","ts":1}], "a": [' + b"[]," * (40 * MEGABYTE)),
    "thousands of packed files": lambda: gzip.compress(HEAD) + gzip.compress(b"") * (MEGABYTE // 20),
    "a step a kernel, packed": _steps,
    "deep": lambda: HEAD + b'{"ph":"X","args":' * (MEGABYTE // 17),
}  # fmt: skip
