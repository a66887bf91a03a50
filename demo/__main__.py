"""``python -m demo OUT``: opens the first demo runs in TensorBoard, and builds others behind it.

There is a run or two of each kind; ``python -m demo.build OUT --only NAME ...`` writes any other.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO
from urllib.parse import quote

from demo import capture
from demo.build import RUN, build
from tfperf_plugin.api import analyze, list_runs
from tfperf_plugin.errors import TfperfError

DEFAULT_PORT = 6006
SHOWN = "gpu_stagger"
"""The scenario that opens first: it has a clear cause, several GPUs, and much to gain."""
FIRST = (SHOWN, "fixed_gpu_stagger", "input_bound")
"""Built before TensorBoard serves: the runs of the guide, and one with a single GPU."""
OTHERS = (
    "kernel_launch_bound",
    "mixed_precision_off",
    "host_sync_in_step",
    "slow_products",
    "memory_pressure",
    "step_outliers",
    "case_sliced_batch",
    "allreduce_slow",
    "allreduce_wait",
    "pipeline_bubble",
    "slow_host",
    "pytorch_input_bound",
    "pytorch_two_ranks",
    "nsight_kernel_launch_bound",
    "no_device_events",
    "too_few_steps",
    "healthy_single_gpu",
    "healthy_four_gpus",
)
"""Built behind it: one GPU, several, several hosts, other formats, incomplete recordings, healthy ones."""
BEFORE = (
    f"{len(FIRST)} runs are built first; the address follows in about 20 s on two idle cores. "
    f"{len(OTHERS)} others are built behind it, in about half a minute."
)


def first_finding(out: Path, run: str) -> str:
    """The first thing that the report of a run says; the tab then finds that report in the cache."""
    try:
        report = analyze(out, run)
    except TfperfError as error:
        return str(error)
    rows = [f"{row.severity}: {row.title}" for row in (*report.trust, *report.findings)[:2]]
    if rows:
        return "; ".join(rows)
    if not report.missing_data:
        return "nothing to improve"
    stage = report.input and report.input.bottleneck
    unchecked = f"{len(report.missing_data)} rules could not be checked: {report.missing_data[0].reason}"
    return f"{unchecked} The slowest input stage is {stage}." if stage else unchecked


def address(root: str) -> str:
    """Where TensorBoard at ``root`` shows the Diagnostics tab on the run ``SHOWN``."""
    return f"{root.rstrip('/')}/#diagnostics&p.diagnostics.run={quote(f'{SHOWN}/{RUN}', safe='')}"


def relay(lines: IO[str]) -> None:
    """Passes on what TensorBoard says, and names the address of ``SHOWN`` once it serves."""
    for line in lines:
        sys.stderr.write(line)
        if serving := re.match(r"TensorBoard \S+ at (http\S+)", line):
            print(f"\nOpen {address(serving[1])}\n(stop with Ctrl+C)\n", flush=True)


def serve(out: Path, port: int, work: Iterator[None]) -> int:
    """Runs TensorBoard until it is stopped, and does the ``work`` meanwhile, as long as it runs."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(out), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        said = threading.Thread(target=relay, args=(server.stderr,))
        said.start()
        try:
            for _ in work:
                if server.poll() is not None:
                    break
            return server.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()
            said.join()


def capture_real(out: Path) -> None:
    """Profiles a small training on this machine, once."""
    if importlib.util.find_spec("tensorflow") is None:
        print(capture.NO_TENSORFLOW)
    elif not (out / capture.RUN).exists():
        # In a process of its own: TensorFlow is large and talkative.
        command = [sys.executable, "-m", "demo.capture", str(out)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            print("No real profile was captured:", *answer.stderr.strip().splitlines()[-1:])
            return
    for name in list_runs(out):
        if name.startswith(capture.RUN):
            print(f"{name}: {first_finding(out, name)}", flush=True)


def work(out: Path) -> Iterator[None]:
    """Builds a run at a time, those of ``FIRST`` first, and says what its report begins with."""
    names = (*FIRST, *OTHERS)
    for number, name in enumerate(names, start=1):
        build(out, [name])
        print(f"{number} of {len(names)}  {name}: {first_finding(out, f'{name}/{RUN}')}", flush=True)
        yield
    capture_real(out)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description="Build the demo profiles and open them."
    )
    parser.add_argument("out", type=Path, help="log directory to write to")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help="port for TensorBoard (default 6006; 0: any free one)"
    )
    parser.add_argument("--no-serve", action="store_true", help="do not start TensorBoard")
    options = parser.parse_args(arguments)
    print(BEFORE, flush=True)
    steps = work(options.out)
    for _ in FIRST:
        next(steps)
    if options.no_serve:
        for _ in steps:
            pass
        return 0
    return serve(options.out, options.port, steps)


if __name__ == "__main__":
    raise SystemExit(main())
