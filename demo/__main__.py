"""``python -m demo OUT``: builds the demo profiles, says what is wrong in each, opens them in TensorBoard."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from demo import capture
from demo.build import RUN, build, run_names
from tfperf_plugin.readers.logdirs.finding import find_runs

DEFAULT_PORT = 6006
SHOWN = "gpu_stagger"
"""The scenario that opens first: it has a clear cause, several GPUs, and much to gain."""


def first_finding(out: Path, run: str) -> str:
    """The first thing that ``tfperf report`` says about a run."""
    command = [
        sys.executable,
        "-m",
        "tfperf_plugin.cli",
        "report",
        str(out),
        "--run",
        run,
        "--format",
        "json",
    ]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if not answer.stdout.strip():
        return answer.stderr.strip() or "no answer"
    report: dict[str, Any] = json.loads(answer.stdout)
    rows = [f"{row['severity']}: {row['title']}" for row in (*report["trust"], *report["findings"])[:2]]
    if rows:
        return "; ".join(rows)
    if not report["missing_data"]:
        return "nothing to improve"
    stage = (report["input"] or {}).get("bottleneck")
    unchecked = (
        f"{len(report['missing_data'])} rules could not be checked: {report['missing_data'][0]['reason']}"
    )
    return f"{unchecked} The slowest input stage is {stage}." if stage else unchecked


def runs(out: Path) -> list[str]:
    """Names of all runs in a log directory."""
    return sorted(run.name for run in find_runs(str(out)))


def serve(out: Path, port: int) -> int:
    """Runs TensorBoard until it is stopped, and prints the address of ``SHOWN`` as soon as it serves."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(out), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        signal.signal(signal.SIGTERM, lambda *_: server.terminate())
        try:
            for line in server.stderr or ():
                sys.stderr.write(line)
                if serving := re.match(r"TensorBoard \S+ at (http\S+)", line):
                    print(f"\nOpen {address(serving[1])}\n(stop with Ctrl+C)", flush=True)
        except KeyboardInterrupt:  # TensorBoard has received it, too
            server.wait()
            return 0
    return server.returncode


def address(root: str) -> str:
    """Where TensorBoard at ``root`` shows the Diagnostics tab on the run ``SHOWN``."""
    return f"{root.rstrip('/')}/#diagnostics&p.diagnostics.run={quote(f'{SHOWN}/{RUN}', safe='')}"


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
    out: Path = options.out
    build(out, run_names())
    if importlib.util.find_spec("tensorflow") is None:
        print(capture.NO_TENSORFLOW)
    elif not (out / capture.RUN).exists():
        # In a process of its own: TensorFlow is large and talkative.
        command = [sys.executable, "-m", "demo.capture", str(out)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            print("No real profile was captured:", *answer.stderr.strip().splitlines()[-1:])
    for run in runs(out):
        print(f"{run}\n    {first_finding(out, run)}", flush=True)
    return 0 if options.no_serve else serve(out, options.port)


if __name__ == "__main__":
    raise SystemExit(main())
