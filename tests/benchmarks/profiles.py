"""Synthetic profiles of any size, written by NumPy in little memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from demo.build import training
from demo.formats import KINETO
from demo.simulator import simulate
from demo.xspace_writer import PlaneBuilder, SpaceBuilder
from tests.readers.xspace.raw import content, number, varint

GPU_COUNT = 8
KERNELS_PER_STEP = 400
KINDS = 60
LAUNCH_NS, KERNEL_NS, STEP_GAP_NS = 4000, 9000, 50_000
FIRST_NS = 5_000_000_000
"""From here on, for nine minutes, a time in picoseconds takes seven bytes."""
FIRST_ID = 1 << 21
"""From here on numbers take four bytes, up to 268 million."""
_TIME, _ID, _HASH = (1 << 43) + 5, FIRST_ID + 5, (1 << 64) - 5  # what varies, while a template is made
_ROWS_AT_ONCE = 1 << 16
SIMULATE = """
import json, sys
from dataclasses import replace
from pathlib import Path
from demo.build import training
from demo.simulator import simulate
from demo.simulator.training import HostClocks
folder, count, steps, errors, lags = json.loads(sys.argv[1])
job = replace(
    training("slow_host"), hosts=count, steps=steps, clocks=HostClocks(tuple(errors), tuple(lags)),
    uneven_batches=0.1,
)
for host, data in simulate(job).files.items():
    (Path(folder) / f"{host}.xplane.pb").write_bytes(data)
"""


def write_profile(path: Path, event_count: int) -> None:
    """Kernels on eight GPUs and their launches on eight host threads, half of the events each."""
    launches_per_gpu = event_count // (2 * GPU_COUNT)
    space = SpaceBuilder("host")
    host = space.plane("/host:CPU")
    python = host.line(100, "python3")
    for step in range(-(-launches_per_gpu // KERNELS_PER_STEP)):
        first, last = (start_ns(launch * KERNELS_PER_STEP) for launch in (step, step + 1))
        python.event("train", first - STEP_GAP_NS // 2, last - first, {"step_num": step, "_r": 1})
    with path.open("wb") as file:
        file.write(content(4, b"host"))
        lines = [
            _Line(f"tf_gpu_private_{gpu}/{gpu + 1}", gpu + 1, _launches(host, gpu), gpu, launches_per_gpu, 0)
            for gpu in range(GPU_COUNT)
        ]
        _write_plane(file, host, lines)
        for gpu in range(GPU_COUNT):
            capability = {"compute_cap_major": 8, "compute_cap_minor": 0, "core_count": 108}
            plane = SpaceBuilder("host").plane(
                f"/device:GPU:{gpu}", gpu, {"device_vendor": "Nvidia", **capability}
            )
            kernels = _Line("Stream #7(Compute)", 7, _kernels(plane), gpu, launches_per_gpu, LAUNCH_NS)
            _write_plane(file, plane, [kernels])


def start_ns(launch: int) -> int:
    """When a thread makes its n-th launch."""
    return FIRST_NS + launch * (KERNEL_NS + 200) + launch // KERNELS_PER_STEP * STEP_GAP_NS


def _reserve_ids(plane: PlaneBuilder) -> None:
    """Takes all numbers of one byte: with two bytes for each of the others all events are of one size."""
    for id in range(1, 128):
        plane.stat_id(f"unused {id}")


def _launches(plane: PlaneBuilder, gpu: int) -> list[bytes]:
    _reserve_ids(plane)
    return [
        _event(plane, "cuLaunchKernel", LAUNCH_NS)
        + _stat(plane, "correlation_id", number(4, _ID))
        + _stat(plane, "device_id", number(4, gpu))
        + _stat(plane, "tf_op", number(7, plane.stat_id(_op(kind))))
        + _stat(plane, "_c", number(3, _HASH))
        for kind in range(KINDS)
    ]


def _kernels(plane: PlaneBuilder) -> list[bytes]:
    _reserve_ids(plane)
    return [
        _event(plane, f"sm80_xmma_gemm_f16f16_{kind}", KERNEL_NS)
        + _stat(plane, "correlation_id", number(4, _ID))
        + _stat(plane, "tf_op", number(7, plane.stat_id(_op(kind))))
        + _stat(plane, "kernel_details", number(7, plane.stat_id(_details(kind))))
        + _stat(plane, "context_id", number(7, plane.stat_id("$$1")))
        + _stat(plane, "theoretical_occupancy_pct", varint(2 << 3 | 1) + np.float64(50).tobytes())
        for kind in range(KINDS)
    ]


def _op(kind: int) -> str:
    return f"model/block_{kind}/dense/MatMul:MatMul"


def _details(kind: int) -> str:
    return f"regs:64 static_shared:0 dynamic_shared:0 grid:{kind},1,1 block:256,1,1 occ_pct:50"


def _event(plane: PlaneBuilder, name: str, duration_ns: int) -> bytes:
    return number(1, plane.event_id(name)) + number(2, _TIME) + number(3, 1000 * duration_ns)


def _stat(plane: PlaneBuilder, name: str, value: bytes) -> bytes:
    return content(4, number(1, plane.stat_id(name)), value)


class _Line:
    """A line whose events are copies of templates with other times and ids."""

    def __init__(
        self, name: str, id: int, templates: Sequence[bytes], gpu: int, count: int, delay_ns: int
    ) -> None:
        self._head = number(1, id) + content(2, name.encode())
        self._templates = [content(4, template) for template in templates]
        self._gpu, self._count, self._delay_ns = gpu, count, delay_ns
        self.size = len(self._head) + count * len(self._templates[0])

    def parts(self) -> Iterator[bytes]:
        yield self._head
        templates = np.array([np.frombuffer(t, np.uint8) for t in self._templates])
        places = {value: self._templates[0].find(varint(value)) for value in (_TIME, _ID, _HASH)}
        for first in range(0, self._count, _ROWS_AT_ONCE):
            launch = np.arange(first, min(first + _ROWS_AT_ONCE, self._count))
            rows = templates[launch % KINDS]
            times_ns = start_ns(0) + (launch * (KERNEL_NS + 200) + launch // KERNELS_PER_STEP * STEP_GAP_NS)
            ids = FIRST_ID + launch * GPU_COUNT + self._gpu
            hashes = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1 << 63)
            for old, new in ((_TIME, (times_ns + self._delay_ns) * 1000), (_ID, ids), (_HASH, hashes)):
                if places[old] >= 0:
                    _put(rows, places[old], len(varint(old)), new.astype(np.uint64))
            yield rows.tobytes()


def _put(rows: Any, at: int, size: int, values: Any) -> None:
    """Writes varints of one size into all rows."""
    for byte in range(size):
        more = 0x80 if byte + 1 < size else 0
        rows[:, at + byte] = (values >> np.uint64(7 * byte)) & np.uint64(0x7F) | np.uint64(more)


def _write_plane(file: Any, plane: PlaneBuilder, lines: Sequence[_Line]) -> None:
    head = plane.message.SerializeToString()
    heads = [varint(3 << 3 | 2) + varint(line.size) for line in lines]
    size = len(head) + sum(len(h) + line.size for h, line in zip(heads, lines, strict=True))
    file.write(varint(1 << 3 | 2) + varint(size) + head)
    for line_head, line in zip(heads, lines, strict=True):
        file.write(line_head)
        for part in line.parts():
            file.write(part)


def write_trace(path: Path, steps: int) -> None:
    """Writes what PyTorch records of so many steps of one GPU."""
    files = simulate(replace(training("kernel_launch_bound"), steps=steps), KINETO.encode).files
    (data,) = files.values()
    path.write_bytes(gzip.decompress(data))


def write_hosts(folder: Path, count: int, steps: int = 5) -> None:
    """Writes the profiles of ``count`` hosts of one training into a new folder.

    Each has batches, a clock and a start of its own.
    """
    random = Random(count)
    errors = [0, *(random.randrange(-5_000_000, 5_000_000) for _ in range(count - 1))]
    lags = [0, *(random.randrange(-9_000_000, 9_000_000) for _ in range(count - 1))]
    folder.mkdir(parents=True)
    # In a process of its own: what it takes is not given back.
    given = json.dumps([str(folder), count, steps, errors, lags])
    subprocess.run([sys.executable, "-c", SIMULATE, given], check=True)
