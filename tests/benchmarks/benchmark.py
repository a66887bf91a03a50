"""Measures decoding and reporting on synthetic profiles, beside XProf's overview page on the same file.

    python -m tests.benchmarks [EVENTS …]        by default 0.1, 1 and 5 million events

Every measurement runs in a fresh process; memory is that process's peak, imports and file included, and times
leave the imports out. This is no test: it asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent.parent
GPU_COUNT = 8
KERNELS_PER_STEP = 400
LAUNCH_NS, KERNEL_NS, STEP_GAP_NS = 4000, 9000, 50_000


class Measured(NamedTuple):
    """Seconds and peak bytes of one measurement."""

    seconds: float
    peak_bytes: int


def write_profile(path: Path, event_count: int) -> None:
    """Writes kernels on eight GPUs and their launches on eight host threads, half of the events each."""
    from demo.xspace_writer import PlaneBuilder, Ref, SpaceBuilder, Stats

    kernels = [f"sm80_xmma_gemm_f16f16_{number}" for number in range(60)]
    ops = [Ref(f"model/block_{number}/dense/MatMul:MatMul") for number in range(60)]
    grids = [
        Ref(f"regs:64 static_shared:0 dynamic_shared:0 grid:{number},1,1 block:256,1,1 occ_pct:50")
        for number in range(60)
    ]
    launches_per_gpu = event_count // (2 * GPU_COUNT)

    def launches(plane: PlaneBuilder, gpu: int) -> None:
        thread = plane.line(gpu + 1, f"tf_gpu_private_{gpu}/{gpu + 1}")
        for number in range(launches_per_gpu):
            stats: Stats = {
                "correlation_id": number * GPU_COUNT + gpu,
                "device_id": gpu,
                "tf_op": ops[number % len(ops)],
                "_c": (number * GPU_COUNT + gpu) * 0x9E3779B97F4A7C15 % (1 << 64),
            }
            thread.event("cuLaunchKernel", start_ns(number), LAUNCH_NS, stats)

    def run(plane: PlaneBuilder, gpu: int) -> None:
        stream = plane.line(7, "Stream #7(Compute)")
        for number in range(launches_per_gpu):
            kind = number % len(kernels)
            stats: Stats = {
                "correlation_id": number * GPU_COUNT + gpu,
                "tf_op": ops[kind],
                "kernel_details": grids[kind],
                "context_id": Ref("$$1"),
                "theoretical_occupancy_pct": 50.0,
            }
            stream.event(kernels[kind], start_ns(number) + LAUNCH_NS, KERNEL_NS, stats)

    # Files can be joined: each plane is written on its own, so that only one is in memory.
    with path.open("wb") as file:
        space = SpaceBuilder("host")
        host = space.plane("/host:CPU")
        python = host.line(100, "python3")
        for step in range(-(-launches_per_gpu // KERNELS_PER_STEP)):
            first, last = start_ns(step * KERNELS_PER_STEP), start_ns((step + 1) * KERNELS_PER_STEP)
            python.event("train", first - STEP_GAP_NS // 2, last - first, {"step_num": step, "_r": 1})
        for gpu in range(GPU_COUNT):
            launches(host, gpu)
        file.write(space.to_bytes())
        for gpu in range(GPU_COUNT):
            space = SpaceBuilder("host")
            space.message.ClearField("hostnames")
            capability = {"compute_cap_major": 8, "compute_cap_minor": 0, "core_count": 108}
            run(space.plane(f"/device:GPU:{gpu}", gpu, {"device_vendor": "Nvidia", **capability}), gpu)
            file.write(space.to_bytes())


def start_ns(launch: int) -> int:
    """When a thread makes its n-th launch."""
    return 1_000_000 + launch * (KERNEL_NS + 200) + launch // KERNELS_PER_STEP * STEP_GAP_NS


def decode(path: Path) -> Callable[[], object]:
    """Spans and stats to columns: what ``read`` does."""
    from tfperf_plugin.xspace import Anomalies, read

    return lambda: read(path.read_bytes(), Anomalies())


def decode_all(path: Path) -> Callable[[], object]:
    """``read``, and then every column of every stat of every plane."""
    from tfperf_plugin.xspace import Anomalies, read

    def work() -> object:
        space = read(path.read_bytes(), Anomalies())
        return [
            (plane.ints(stat), plane.floats(stat), plane.texts(stat))
            for plane in space.planes
            for stat in plane.stat_names
        ]

    return work


def report(path: Path) -> Callable[[], object]:
    """``tfperf report`` as the command line runs it, without its cache."""
    from tfperf_plugin.cli import main as run

    logdir = path.parent.parent.parent.parent

    def work() -> None:
        if run(["report", str(logdir), "--no-cache", "--format", "json"]) != 0:
            raise SystemExit("the report failed")

    return work


def overview(path: Path) -> Callable[[], object]:
    """XProf's overview page, on a folder of its own: it writes caches beside its input."""
    from xprof.convert import raw_to_tool_data

    folder = Path(tempfile.mkdtemp(dir=path.parent))
    link = folder / path.name
    link.symlink_to(path)
    return lambda: raw_to_tool_data.xspace_to_tool_data([str(link)], "overview_page", {})


WORK = {"decode": decode, "all columns": decode_all, "report": report, "XProf overview": overview}


def peak_bytes() -> int:
    """The peak resident memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would include the parent's memory before the exec
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))
        if found:
            return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure_here(what: str, path: Path) -> None:
    """Runs one measurement in this process; its result is the last line printed."""
    work = WORK[what](path)
    started = time.perf_counter()
    work()
    print("\n" + json.dumps(Measured(time.perf_counter() - started, peak_bytes())))


def run_child(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.benchmarks", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)


def measure(what: str, path: Path) -> Measured | str:
    """One measurement in a fresh process, or why there is none."""
    if what == "XProf overview" and find_spec("xprof") is None:
        return "not installed"
    done = run_child("--measure", what, str(path))
    if done.returncode != 0:
        return f"failed: {(done.stderr.strip() or 'no message').splitlines()[-1]}"
    return Measured(*json.loads(done.stdout.splitlines()[-1]))


def row(what: str, found: Measured | str, decoded: Measured | str, event_count: int) -> str:
    """A line of the table; ratios are to ``decode`` on the same file."""
    if isinstance(found, str):
        return f"  {what:<16}{found}"
    text = f"  {what:<16}{found.seconds:8.2f} s {found.peak_bytes / 1e6:8.0f} MB"
    text += f" {found.seconds / event_count * 1e6:8.2f} µs/event"
    if isinstance(decoded, Measured):
        text += f" {found.seconds / decoded.seconds:7.1f}x time"
        text += f" {found.peak_bytes / decoded.peak_bytes:7.1f}x memory"
    return text


def main() -> None:
    """Writes the profiles, measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("events", nargs="*", type=int, default=[100_000, 1_000_000, 5_000_000])
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=2, metavar=("FILE", "EVENTS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure_here(arguments.measure[0], Path(arguments.measure[1]))
        return
    if arguments.write:
        write_profile(Path(arguments.write[0]), int(arguments.write[1]))
        return
    for event_count in arguments.events:
        with tempfile.TemporaryDirectory() as logdir:
            path = Path(logdir) / "plugins" / "profile" / "run" / "host.xplane.pb"
            path.parent.mkdir(parents=True)
            run_child("--write", str(path), str(event_count)).check_returncode()
            print(f"{event_count:,} events, {path.stat().st_size / 1e6:.1f} MB", flush=True)
            decoded = measure("decode", path)
            for what in WORK:
                found = decoded if what == "decode" else measure(what, path)
                print(row(what, found, decoded, event_count), flush=True)
