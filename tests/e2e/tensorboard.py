"""TensorBoard as users start it, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ADDRESS = re.compile(r"TensorBoard \S+ at (http://\S+)")
START_LIMIT_S = 300


@contextmanager
def tensorboard(
    logdir: Path | str, *options: str, python: str = sys.executable, load_fast: str = "false"
) -> Iterator[str]:
    """Starts TensorBoard on a free port; yields its address, which ends in a slash."""
    command = [
        python,
        "-m",
        "tensorboard.main",
        "--logdir",
        str(logdir),
        "--host",
        "127.0.0.1",
        "--port",
        "0",
    ]
    process = subprocess.Popen(
        [*command, f"--load_fast={load_fast}", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=logdir if Path(logdir).is_dir() else None,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
    )
    guard = threading.Timer(START_LIMIT_S, process.kill)
    guard.start()
    try:
        assert process.stderr is not None
        address = _read_address(process.stderr)
        guard.cancel()
        # Somebody has to read on, or the pipe fills up and TensorBoard stops.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address if address.endswith("/") else f"{address}/"
    finally:
        guard.cancel()
        process.terminate()
        process.wait()


def _read_address(log: Sequence[str] | Iterator[str]) -> str:
    lines = []
    for line in log:
        lines.append(line)
        if found := ADDRESS.search(line):
            return found[1]
    raise AssertionError("TensorBoard did not start:\n" + "".join(lines))
