"""Measures reports beside XProf and HTA on the same files, decoding, many hosts, and how fast things start.

    python -m tests.benchmarks [EVENTS …]        by default 0.1, 1, 5 and 20 million; the last are 1.2 GB

What is compared are whole processes, start and imports included: wall time, and the peak of the memory of the
process and its children together. Each is measured several times, in turns, and the best counts. Then where
they go: the processor time of each stage of a report and of the slowest artifacts, and the memory of the
process at most and at the end of each stage. Of a trace of PyTorch also the megabytes that a second of
processor time reads, net of what a small trace takes. The report of many hosts is compared with the reports
of each of them alone, which one process makes. This is no test: it asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent.parent
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
RUN = "run"
OVERVIEW = """
import sys
from xprof.convert import raw_to_tool_data
raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "overview_page", {})
"""
COMPARED_EVENTS = 5_000_000
"""Of more, XProf takes tens of gigabytes."""
HTA = "HolisticTraceAnalysis==0.5.0"
BREAKDOWNS = """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_dir=sys.argv[1])
analysis.get_temporal_breakdown(visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)
analysis.get_idle_time_breakdown(visualize=False)
analysis.get_comm_comp_overlap(visualize=False)
"""
NAMED_ARTIFACTS = 12
TRACE_STEPS = 10, 200
"""Of the small trace of PyTorch, and of the one that is measured: 50 MB."""
HOSTS = 256
EACH_ALONE = """
import sys
from pathlib import Path
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
for path in Path(sys.argv[1]).glob("plugins/profile/*/*"):
    build_report(resolve(str(path)))
"""
STAGES = """
import json, os, sys, threading, time
from tfperf_plugin.arrays.native import reuse_memory
from tfperf_plugin.execution import hosts
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.places import resolve
reuse_memory()
artifacts = {}
def timed(kind, part):
    def made(view):
        began = time.thread_time()
        try:
            return part(view)
        finally:
            artifacts[kind.__name__] = artifacts.get(kind.__name__, 0) + time.thread_time() - began
    return made
hosts.PARTS = {kind: timed(kind, part) for kind, part in hosts.PARTS.items()}
page = os.sysconf("SC_PAGE_SIZE")
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * page
rows, begun = [["start", 0, resident(), resident()]], [time.process_time()]
def watch():
    while True:
        rows[-1][2] = max(rows[-1][2], resident())
        time.sleep(0.002)
def enter(stage, *_):
    now, bytes_now = time.process_time(), resident()
    rows[-1][1], rows[-1][3] = now - begun[-1], bytes_now
    rows.append([stage, 0, bytes_now, bytes_now])
    begun.append(now)
threading.Thread(target=watch, daemon=True).start()
analyze_run(resolve(sys.argv[1]), progress=enter, kept_bytes=1 << 40, with_arrays=False)
enter("end")
print(json.dumps([rows[:-1], sorted(artifacts.items(), key=lambda each: -each[1])]))
"""
DECODE = """
import sys
import time
from pathlib import Path
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import read
data = Path(sys.argv[1]).read_bytes()
started = time.perf_counter()
read(data, Anomalies())
print(len(data) / (time.perf_counter() - started) / 1e6)
"""
TENSORBOARD = """
import sys
from tensorboard import default, main
found = [p for p in default.get_dynamic_plugins() if p.__module__ != "tfperf_plugin.tensorboard.loader"]
if sys.argv.pop() == "with":
    from tfperf_plugin.tensorboard.loader import DiagnosticsLoader
    found.append(DiagnosticsLoader)
default.get_dynamic_plugins = lambda: found
main.run_main()
"""


class Measured(NamedTuple):
    """Seconds, those of processors, peak bytes, and what was printed, of one process."""

    seconds: float
    busy_seconds: float
    peak_bytes: int
    output: str


def measure(command: Sequence[str], **environment: str) -> Measured:
    """Runs a process to its end. Raises CalledProcessError if it fails."""
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY), **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled modules
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env=variables, cwd=REPOSITORY)
        peak_bytes = 0
        while True:
            # Of several processes the kernel tells only the largest one's peak, not that of their sum.
            peak_bytes = max(peak_bytes, family_bytes(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.005)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, stderr=errors.read())
        own_bytes = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return Measured(
            seconds, usage.ru_utime + usage.ru_stime, max(peak_bytes, own_bytes), output.read().decode()
        )


def family_bytes(pid: int) -> int:
    """Resident memory of a process and its descendants now; 0 where there is no /proc."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (OSError, IndexError):
        return 0
    return own + sum(family_bytes(int(child)) for child in children)


def best(times: int, *works: Callable[[], Measured]) -> list[Measured]:
    """The least of everything in several runs of each, in turns: a busy machine slows all of them."""
    rounds = [[work() for work in works] for _ in range(times)]
    return [least(runs) for runs in zip(*rounds, strict=True)]


def least(runs: Sequence[Measured]) -> Measured:
    """The least time and memory of several runs, each for itself."""
    return min(runs)._replace(
        busy_seconds=min(run.busy_seconds for run in runs), peak_bytes=min(run.peak_bytes for run in runs)
    )


def ratios(ours: Measured, theirs: Measured) -> str:
    return (
        f"{ours.seconds / theirs.seconds:8.2f} time"
        f" {ours.busy_seconds / theirs.busy_seconds:8.2f} processor time"
        f" {ours.peak_bytes / theirs.peak_bytes:8.2f} memory"
    )


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def tfperf(*arguments: str) -> list[str]:
    return python("-m", "tfperf_plugin.cli", *arguments)


def overview(path: Path) -> Measured:
    """XProf's overview page, on a folder of its own: it writes caches beside its input and uses them."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        link = Path(folder) / path.name
        link.symlink_to(path)
        return measure(python("-c", OVERVIEW, str(link)))


def make_hta() -> Path | None:
    """A Python with HTA, in an environment of its own that the first call makes; ``None`` if that fails."""
    folder = REPOSITORY / ".venv-hta"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", HTA]
    return python if subprocess.run(install, check=False).returncode == 0 else None


def decode_mbps(path: Path, times: int, compiled: str) -> float:
    """How fast ``read`` is: spans and stats of all planes to columns, megabytes a second."""
    return max(
        float(measure(python("-c", DECODE, str(path)), TFPERF_COMPILED=compiled).output) for _ in range(times)
    )


def compare(event_count: int, times: int, logdir: Path) -> None:
    """Prints one profile's figures."""
    path = logdir / "plugins" / "profile" / RUN / "host.xplane.pb"
    path.parent.mkdir(parents=True)
    measure(python("-m", "tests.benchmarks", "--write", str(path), str(event_count)))
    print(f"{event_count:,} events, {path.stat().st_size / 1e6:.1f} MB", flush=True)
    report = tfperf("report", str(logdir), "--no-cache", "--format", "json")
    works = [partial(measure, report)]
    if event_count <= COMPARED_EVENTS and find_spec("xprof"):
        works.append(partial(overview, path))
    ours, *others = best(times, *works)
    print(row("tfperf report", ours, event_count))
    print_parts(logdir, event_count)
    for theirs in others:
        print(row("XProf overview", theirs, event_count))
        print(f"  tfperf / XProf  {ratios(ours, theirs)}")
    for decoder, compiled in (("compiled", "yes"), ("numpy", "no")) if event_count <= COMPARED_EVENTS else ():
        try:
            speed = f"{decode_mbps(path, times, compiled):8.0f} MB/s"
        except subprocess.CalledProcessError:
            speed = "  failed; was it built?"
        print(f"  decode ({decoder}){speed}", flush=True)


def read_trace(times: int, folder: Path, hta: Path | None, steps: tuple[int, int] = TRACE_STEPS) -> None:
    """Prints the figures of a trace of PyTorch, beside those of HTA where a Python has it."""
    small, large = (folder / f"{count}_steps" / "worker0.pt.trace.json" for count in steps)
    for path, count in zip((small, large), steps, strict=True):
        path.parent.mkdir()
        measure(python("-m", "tests.benchmarks", "--write", str(path), str(count)))
    works = [
        partial(measure, tfperf("report", str(path.parent), "--no-cache", "--format", "json"))
        for path in (small, large)
    ]
    if hta:
        works.append(partial(measure, [str(hta), "-c", BREAKDOWNS, str(large.parent)]))
    little, ours, *others = best(times, *works)
    with large.open("rb") as lines:  # the kernel counts this process's memory as its children's, too
        event_count = sum(b'"ph":' in line for line in lines)
    sizes = [path.stat().st_size / 1e6 for path in (small, large)]
    print(f"{event_count:,} events of PyTorch, {sizes[1]:.1f} MB", flush=True)
    print(row("tfperf report", ours, event_count))
    print_parts(large.parent, event_count)
    for theirs in others:
        print(row("HTA breakdowns", theirs, event_count))
        print(f"  tfperf / HTA    {ratios(ours, theirs)}")
    speed = (sizes[1] - sizes[0]) / (ours.busy_seconds - little.busy_seconds)
    print(f"  {speed:.0f} MB a second of processors, beyond {sizes[0]:.1f} MB", flush=True)


def read_hosts(times: int, logdir: Path, count: int = HOSTS) -> None:
    """Prints the figures of a run of many hosts."""
    folder = logdir / "plugins" / "profile" / RUN
    measure(python("-m", "tests.benchmarks", "--write", str(folder), str(count)))
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{count} hosts, {size / 1e6:.1f} MB", flush=True)
    together, alone = best(
        times,
        partial(measure, tfperf("report", str(logdir), "--no-cache", "--format", "json")),
        partial(measure, python("-c", EACH_ALONE, str(logdir))),
    )
    print(figures("tfperf report", together))
    print(figures("each alone", alone))
    print(f"  together / alone{ratios(together, alone)}", flush=True)


def print_parts(logdir: Path, event_count: int) -> None:
    """Prints where the time and memory of a report go, where the system tells."""
    if Path("/proc/self/statm").exists():
        stages, artifacts = json.loads(measure(python("-c", STAGES, str(logdir))).output)
        for line in (*stage_lines(stages, event_count), *artifact_lines(artifacts, event_count)):
            print(line)


def stage_lines(stages: list[tuple[str, float, int, int]], event_count: int) -> list[str]:
    """Where time and memory go: rows of stage, processor time, and resident bytes at most and at its end."""
    base_bytes = stages[0][3]
    seconds: dict[str, float] = {}
    most: dict[str, int] = {}
    last: dict[str, int] = {}
    for stage, took, peak_bytes, end_bytes in stages[1:]:
        seconds[stage] = seconds.get(stage, 0.0) + took
        most[stage] = max(most.get(stage, 0), peak_bytes - base_bytes)
        last[stage] = end_bytes - base_bytes
    return [
        f"    {stage:<12}{took:10.2f} s {took / event_count * 1e9:25.0f} ns/event, "
        f"at most {most[stage] / event_count:.0f} B/event, {last[stage] / event_count:.0f} at its end"
        for stage, took in seconds.items()
    ]


def artifact_lines(artifacts: list[tuple[str, float]], event_count: int) -> list[str]:
    """Where the processor time of all artifacts goes: the slowest by name, and the others together."""
    named, others = artifacts[:NAMED_ARTIFACTS], artifacts[NAMED_ARTIFACTS:]
    rows = [*named, (f"{len(others)} others", sum(seconds for _, seconds in others))]
    return [f"      {name:<18}{took:6.2f} s {took / event_count * 1e9:25.0f} ns/event" for name, took in rows]


def figures(what: str, found: Measured) -> str:
    return (
        f"  {what:<16}{found.seconds:8.2f} s ({found.busy_seconds:.2f} s of processors)"
        f"{found.peak_bytes / 1e6:8.0f} MB"
    )


def row(what: str, found: Measured, event_count: int) -> str:
    return (
        f"{figures(what, found)}"
        f"{found.seconds / event_count * 1e6:8.2f} µs/event{found.peak_bytes / event_count:8.0f} B/event"
    )


def starts(logdir: Path) -> None:
    """Prints how long it takes until something is there."""
    commands = {
        "NumPy alone": python("-c", "import numpy"),
        "tfperf --version": tfperf("--version"),
        "tfperf rules": tfperf("rules"),
        "tfperf runs": tfperf("runs", str(logdir)),
    }
    found = best(5, *(partial(measure, command) for command in commands.values()))
    for what, one in zip(commands, found, strict=True):
        print(figures(what, one))
    with tempfile.TemporaryDirectory() as cache:
        report = tfperf("report", str(logdir), "--format", "json")
        fresh, cached = best(
            4, partial(measure, [*report, "--no-cache"]), partial(measure, report, XDG_CACHE_HOME=cache)
        )
        print(figures("tfperf report", fresh))
        print(figures("from the cache", cached))
        with_plugin, without = (
            min(tensorboard(logdir, cache, plugin)[0] for _ in range(3)) for plugin in (True, False)
        )
        print(f"  TensorBoard's first answer {with_plugin:.2f} s with the plugin, {without:.2f} s without")
        first, later = tensorboard(logdir, cache, True)[1:]
        print(f"  cached report from the route {first * 1e3:.0f} ms at first, then {later * 1e3:.0f} ms")


def tensorboard(logdir: Path, cache: str, plugin: bool) -> tuple[float, float, float]:
    """Seconds until TensorBoard answers, until it gives a report from the disk, and the same once more."""
    options = ["--logdir", str(logdir), "--port", "0", "--load_fast=false"]
    started = time.perf_counter()
    process = subprocess.Popen(
        python("-c", TENSORBOARD, *options, "with" if plugin else "without"),
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_CACHE_HOME": cache},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said: list[str] = []
        address = None
        for line in process.stderr or ():
            said.append(line)
            address = next((word for word in line.split() if word.startswith("http://")), None)
            if address:
                break
        if not address:
            raise RuntimeError(f"TensorBoard ended with {process.wait()}: {''.join(said[-20:])}")
        fetch(f"{address}data/plugins_listing")
        answered = time.perf_counter() - started
        return answered, *(report_seconds(address) if plugin else (0.0, 0.0))
    finally:
        process.kill()
        process.communicate()


def report_seconds(address: str) -> tuple[float, float]:
    """Seconds until the route answers with the report, for the first and, at best, a later time."""
    fetch(f"{address}data/plugin/diagnostics/runs")
    seconds = []
    for _ in range(6):
        begun = time.perf_counter()
        while fetch(f"{address}data/plugin/diagnostics/report?run={RUN}") == 202:
            time.sleep(0.001)
        seconds.append(time.perf_counter() - begun)
    return seconds[0], min(seconds[1:])


def fetch(url: str) -> int:
    with urllib.request.urlopen(url) as response:
        response.read()
        return int(response.status)


def main() -> None:
    """Writes the profiles, measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("events", nargs="*", type=int, default=[100_000, 1_000_000, 5_000_000, 20_000_000])
    parser.add_argument("--times", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--starts", action="store_true", help="measure only how fast things start")
    parser.add_argument("--write", nargs=2, metavar=("FILE", "EVENTS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        from tests.benchmarks.profiles import write_hosts, write_profile, write_trace

        path, count = Path(arguments.write[0]), int(arguments.write[1])
        if path.suffix == ".pb":
            write_profile(path, count)
        elif path.suffix == ".json":
            write_trace(path, count)
        else:
            write_hosts(path, count)
        return
    for event_count in [] if arguments.starts else arguments.events:
        with tempfile.TemporaryDirectory() as logdir:
            compare(event_count, arguments.times, Path(logdir))
    if not arguments.starts:
        with tempfile.TemporaryDirectory() as folder:
            read_trace(arguments.times, Path(folder), make_hta())
        with tempfile.TemporaryDirectory() as folder:
            read_hosts(arguments.times, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder)
        path = small / "plugins" / "profile" / RUN / "host.xplane.pb"
        path.parent.mkdir(parents=True)
        measure(python("-m", "tests.benchmarks", "--write", str(path), "100000"))
        print("Starts", flush=True)
        starts(small)
