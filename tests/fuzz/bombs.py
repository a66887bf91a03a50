"""Profiles made to hurt: few bytes that claim much, and many that say little."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable

from tests.readers.xspace.raw import content, event, line, named, number, plane, stat, varint
from tests.strategies import GEMM

FAR_NS = (1 << 61) - 1
"""The last moment that the reader takes for a time."""


def bombs() -> dict[str, Callable[[], bytes]]:
    """Name → what makes the file; the largest have some megabytes."""
    many = 5_000
    text = b"x" * (2 << 20)
    gpu = [_gpu(f"/device:GPU:{i}", event(start_ps=i * 1000, duration_ps=500)) for i in range(60)]
    slashes, numbers = b"/_1" * 300_000, b"1" * 1_000_000
    return {
        "one plane an event": lambda: b"".join(plane(line(event(duration_ps=5)), name=f"/p{i}") for i in range(200)),
        "too many planes": lambda: content(1, content(2, b"p"), line(event(duration_ps=5))) * 20_000,
        "one line an event": lambda: plane(*(line(event(start_ps=i, duration_ps=5), id=i) for i in range(4_000))),
        "half a million lines of nothing": lambda: plane(content(3) * 490_000),
        "thousands of planes of one GPU": lambda: _gpu("/device:GPU:0", event(duration_ps=5)) * 4_096,
        "one stream an event": lambda: _gpu("/device:GPU:0", *(event(start_ps=i * 10**6, duration_ps=10**5) for i in range(400)), apart=True),
        "hundreds of GPUs": lambda: b"".join(gpu),
        "one GPU many times": lambda: plane(name="/host:CPU") + gpu[0] * 60,
        "a name an event": lambda: _named(b"kernel%d", 5_000),
        "an enormous line name": lambda: plane(content(3, content(2, text), content(4, event(duration_ps=5)))),
        "an enormous plane name": lambda: plane(line(event(duration_ps=5)), name=text.decode()),
        "an enormous event name": lambda: _kernel(text),
        "an enormous host name": lambda: plane(line(event(duration_ps=5))) + content(4, text),
        "enormous errors": lambda: plane(line(event(duration_ps=5))) + content(2, text) + content(3, text),
        "an enormous text": lambda: plane(line(event(stat(content(5, text)), duration_ps=5))),
        "many long texts": lambda: plane(line(*(event(stat(content(5, b"%d" % i + b"y" * 5000)), start_ps=i) for i in range(400)))),
        "a name of slashes": lambda: _kernel(slashes, "tf_op"),
        "names of suffixes": lambda: _kernel(b"a" + b"_1" * 8000 + b"!", "tf_op") + _kernel(b"/_1" * 5000 + b"!", "tf_op"),
        "kernels of suffixes": lambda: _kernel(b".1" * 8000 + b"x") + _kernel(b"Backprop" * 2000 + b"!"),
        "kernels that begin again": lambda: b"".join(
            _kernel(word * (16_000 // len(word))) for word in (b"Cijk_", b"winograd", b"loop_", b"miopen", b"_gpu_dt_")
        ),
        "shapes of letters": lambda: _kernel(b"a" * 16_000, "shape"),
        "a name of brackets": lambda: _kernel(b"[" * 1_000_000, "shape"),
        "a name of digits": lambda: _kernel(b"(float[" + numbers + b"])", "shape"),
        "a copy of digits": lambda: _kernel(b"size:" + numbers, "memcpy_details"),
        "an iterator of levels": lambda: plane(_thread(b"Iterator::" + b"::".join([b"Map[0]"] * 100_000), 3)),
        "thousands of iterators": lambda: _iterators(16_000),
        "events inside events": lambda: plane(line(*(event(start_ps=i, duration_ps=10**9 - 2 * i) for i in range(many)))),
        "all at one moment": lambda: plane(line(*(event(start_ps=5, duration_ps=5) for _ in range(many)))),
        "backwards": lambda: plane(line(*(event(start_ps=10**9 - i, duration_ps=5) for i in range(many)))),
        "claims of many events": lambda: plane(line(number(1, 1) + number(5, 1 << 60))) + _gpu("/device:GPU:0", number(1, 1) + number(5, 1 << 60)),
        "lengths beyond the file": lambda: plane(b"\x1a" + varint((1 << 63) - 1)),
        "lengths beyond 2 GiB": lambda: plane(b"\x1a" + varint(1 << 31) + b"\x22" + varint(1 << 32)),
        "lengths that wrap": lambda: plane(line(b"\x22" + varint((1 << 64) - 5))),
        "nothing but begins": lambda: b"\x0a" * 100_000,
        "numbers without end": lambda: plane(line(b"\x08" + b"\xff" * 1_000_000)),
        "nested": lambda: _nested(3000),
        "far from now": lambda: _far(FAR_NS, -FAR_NS),
        "far from now on eight GPUs": lambda: b"".join(_far(FAR_NS, -FAR_NS, gpu=i) for i in range(8)),
        "lines far away": lambda: plane(line(event(duration_ps=5), timestamp_ns=1 << 62), line(event(duration_ps=5), timestamp_ns=-(1 << 63))),
        "offsets that overflow": lambda: plane(line(event(start_ps=(1 << 63) - 1, duration_ps=(1 << 63) - 1), timestamp_ns=FAR_NS)),
        "negative durations": lambda: _gpu("/device:GPU:0", *(event(start_ps=i * 100, duration_ps=-(1 << 63)) for i in range(50))),
        "long durations": lambda: _gpu("/device:GPU:0", *(event(start_ps=i * 100, duration_ps=(1 << 62)) for i in range(50))),
        "a fragmentation of nan": lambda: _doubles(float("nan")),
        "a fragmentation of inf": lambda: _doubles(float("inf")),
        "bandwidths of nan": lambda: _device_of(float("nan")),
        "bandwidths of inf": lambda: _device_of(float("inf")),
        "references to nothing": lambda: plane(line(*(event(stat(number(7, i)), number(1, i), start_ps=i) for i in range(many)))),
        "packed numbers": lambda: plane(line(content(1, varint(1) * 9) + content(2, varint(5) * 9), event(content(4, varint(1) * 99)))),
        "no unicode": lambda: _kernel(b"\xff\xfe\xed\xa0\x80" * 1000, "tf_op"),
        "gzip in gzip": lambda: plane(line(*(event(stat(content(8, gzip.compress(bytes(1 << 20))))) for _ in range(60)))),
        "a program without end": lambda: _program(b"\x0a\xff\xff\xff\x7f" * 10_000),
        "a program of empty instructions": lambda: _program(content(1, content(3, content(2) * 490_000))),
        "a program of empty computations": lambda: _program(content(1, content(3) * 490_000)),
        "steps without number": lambda: _steps(150),
        "thousands of GPUs and of steps": lambda: _grid(1_000, 4_000),
        "thousands of steps of many GPUs": lambda: _grid(64, 10_000),
        "host planes with unequal stats": lambda: _allocation("allocator_name", "bytes_allocated") + _allocation("bytes_allocated"),
        "a kernel with others between that never recur": lambda: _between(60_000, 250),
    }  # fmt: skip


def _gpu(name: str, *events: bytes, apart: bool = False) -> bytes:
    """A plane of a GPU with kernels, each on a stream of its own if ``apart``."""
    lines = [line(e, id=i) for i, e in enumerate(events)] if apart else [line(*events)]
    return content(1, content(2, name.encode()), named(4, 1, GEMM), named(5, 1, "tf_op"), *lines)


def _named(name: bytes, count: int) -> bytes:
    names = [named(4, i + 1, name % i) for i in range(count)]
    events = [number(1, i + 1) + number(2, i * 1000) + number(3, 500) for i in range(count)]
    return content(1, content(2, b"/device:GPU:0"), *names, line(*events))


def _kernel(text: bytes, stat_name: str = "") -> bytes:
    """One kernel that is called so, or has a stat that says so."""
    own = [content(4, number(1, 1), content(5, text))] if stat_name else []
    names = [named(4, 1, GEMM if stat_name else text), named(5, 1, stat_name or "x")]
    return content(1, content(2, b"/device:GPU:0"), *names, line(event(*own, duration_ps=5_000_000)))


def _thread(name: bytes, count: int) -> bytes:
    return named(4, 1, name) + line(*(event(start_ps=i * 1000, duration_ps=500) for i in range(count)))


def _nested(depth: int) -> bytes:
    inner = b""
    for _ in range(depth):
        inner = content(1, inner)
    return inner


def _far(begin_ns: int, end_ns: int, gpu: int = 0) -> bytes:
    events = [content(4, event(start_ps=i * 10**6, duration_ps=10**6)) for i in range(3)]
    lines = [content(3, number(1, i), number(3, at), *events) for i, at in enumerate((begin_ns, end_ns))]
    name = f"/device:GPU:{gpu}".encode()
    return content(1, content(2, name), named(4, 1, GEMM), *lines)


def _doubles(value: float) -> bytes:
    bits = b"\x11" + struct.pack("<d", value)
    stats = [
        stat(bits),
        content(4, number(1, 2), content(5, b"GPU_0_bfc")),
        content(4, number(1, 3), number(4, 1000)),
    ]
    names = [
        named(4, 1, "MemoryAllocation"),
        named(5, 1, "fragmentation"),
        named(5, 2, "allocator_name"),
        named(5, 3, "bytes_allocated"),
        named(5, 4, "bytes_available"),
    ]
    events = [event(*stats, content(4, number(1, 4), number(4, 9000)), start_ps=i * 1000) for i in range(20)]
    return content(1, content(2, b"/host:CPU"), *names, line(*events)) + _gpu(
        "/device:GPU:0", event(duration_ps=5)
    )


def _device_of(value: float) -> bytes:
    bits = b"\x11" + struct.pack("<d", value)
    names = (
        "memory_bandwidth",
        "memory_size",
        "clock_rate",
        "core_count",
        "compute_cap_major",
        "compute_cap_minor",
    )
    parts = [named(5, i + 1, name) + content(6, number(1, i + 1), bits) for i, name in enumerate(names)]
    events = [event(start_ps=i * 1000, duration_ps=500) for i in range(20)]
    return content(1, content(2, b"/device:GPU:0"), named(4, 1, GEMM), *parts, line(*events))


def _program(proto: bytes) -> bytes:
    metadata = content(
        2, number(1, 1), content(2, b"jit_step(1)"), content(5, number(1, 1), content(6, proto))
    )
    programs = content(
        1, content(2, b"/host:metadata"), content(4, number(1, 1), metadata), named(5, 1, "hlo_proto")
    )
    names = [named(4, 1, "ncclDevKernel_AllReduce"), named(5, 1, "hlo_op")]
    kernel = event(content(4, number(1, 1), content(5, b"all-reduce.1")), duration_ps=5_000_000)
    return programs + content(1, content(2, b"/device:GPU:0"), *names, line(kernel))


def _steps(count: int) -> bytes:
    """Step markers that have the same number, the largest there is."""
    markers = [
        event(stat(number(4, (1 << 63) - 1)), start_ps=i * 10**6, duration_ps=9 * 10**5) for i in range(count)
    ]
    host = content(1, content(2, b"/host:CPU"), named(4, 1, "train"), named(5, 1, "step_num"), line(*markers))
    kernels = [event(start_ps=i * 10**6, duration_ps=5 * 10**5) for i in range(count)]
    return host + _gpu("/device:GPU:0", *kernels)


def _iterators(count: int) -> bytes:
    """Input pipelines of which each event is an iterator of its own."""
    names = [named(4, i + 2, b"Iterator::Prefetch%d::Map%d" % (i, i)) for i in range(count)]
    events = [number(1, i + 2) + number(2, i * 10**6) + number(3, 10**6) for i in range(count)]
    return content(1, content(2, b"/host:CPU"), *names, line(*events)) + _gpu(
        "/device:GPU:0", event(duration_ps=5)
    )


def _allocation(*stats: str) -> bytes:
    """A host plane with one event that has these stats."""
    names = [named(4, 1, "MemoryAllocation"), *(named(5, i + 1, name) for i, name in enumerate(stats))]
    values = [
        content(4, number(1, i + 1), content(5, b"GPU_0_bfc") if name == "allocator_name" else number(4, 5))
        for i, name in enumerate(stats)
    ]
    return content(1, content(2, b"/host:CPU"), *names, line(event(*values, duration_ps=10)))


def _between(count: int, kinds: int) -> bytes:
    """A GPU whose longest kernel recurs, each time with two others of so many kinds behind it."""
    names = [named(4, i + 1, f"kernel{i}") for i in range(kinds + 1)]
    events = []
    for n in range(count):
        at = n * 30_000
        events.append(number(1, 1) + number(2, at) + number(3, 20_000))
        for place, kind in enumerate(divmod(n % kinds**2, kinds)):
            events.append(number(1, kind + 2) + number(2, at + 20_000 + 1000 * place) + number(3, 100))
    return content(1, content(2, b"/device:GPU:0"), *names, line(*events))


def _grid(gpus: int, steps: int) -> bytes:
    """Steps of which each GPU runs one kernel."""
    markers = [event(stat(number(4, i)), start_ps=i * 10**9, duration_ps=9 * 10**8) for i in range(steps)]
    host = content(1, content(2, b"/host:CPU"), named(4, 1, "train"), named(5, 1, "step_num"), line(*markers))
    kernel = event(start_ps=10**6, duration_ps=10**8)
    return host + b"".join(_gpu(f"/device:GPU:{i}", kernel) for i in range(gpus))
