"""``python -m demo OUT``: builds the demo profiles, says what is wrong in each, opens them in TensorBoard."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demo import capture
from demo.build import build, scenario_names

DEFAULT_PORT = 6006


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
    """Names of all runs in a log directory, as the profile plugin names them."""
    folders = {path.parent for path in out.rglob("plugins/profile/*/*.xplane.pb")}
    return sorted(f"{folder.parents[2].relative_to(out).as_posix()}/{folder.name}" for folder in folders)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description="Build the demo profiles and open them."
    )
    parser.add_argument("out", type=Path, help="log directory to write to")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port for TensorBoard (default 6006)")
    parser.add_argument("--no-serve", action="store_true", help="do not start TensorBoard")
    options = parser.parse_args(arguments)
    out: Path = options.out
    build(out, scenario_names())
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
    if not options.no_serve:
        print(f"\nOpen http://localhost:{options.port}/#diagnostics (stop with Ctrl+C)", flush=True)
        command = ["-m", "tensorboard.main", "--logdir", str(out), "--port", str(options.port)]
        os.execv(sys.executable, [sys.executable, *command])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
