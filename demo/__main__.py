"""``python -m demo OUT``: builds the demo profiles, says what is wrong in each, opens them in TensorBoard."""

from __future__ import annotations

import argparse
import importlib.util
import json
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
    return "; ".join(rows) or "nothing to improve"


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
        subprocess.run([sys.executable, "-m", "demo.capture", str(out)], capture_output=True, check=False)
    for run in runs(out):
        print(f"{run}\n    {first_finding(out, run)}", flush=True)
    if options.no_serve:
        return 0
    print(f"\nOpen http://localhost:{options.port}/#diagnostics (stop with Ctrl+C)", flush=True)
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(out), "--port", str(options.port)]
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
