"""Tries the package with every combination of versions: ``python -m tests.matrix [CELL ...]``.

Prints one line a cell with the versions that pip chose, and exits with 1 if one of them fails.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.matrix import environment
from tests.matrix.cells import BY_NAME, CELLS, Cell
from tests.matrix.runs import logdir_of_all
from tests.wheels import build_wheel, pip

AT_ONCE = 2
"""Cells tried at the same time: they wait for the network and for their processes."""


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        print(f"There is no cell {unknown[0]}; there are {', '.join(BY_NAME)}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tfperf-matrix-") as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        logdir, runs = logdir_of_all(Path(folder) / "logdir")
        wheel = build_wheel(Path(folder) / "wheel")
        wanted = {run: environment.report(sys.executable, logdir, run) for run in runs}

        def tried(cell: Cell) -> bool:
            begin, held = time.monotonic(), True
            try:
                said = attempt(cell, wheel, Path(folder) / cell.name, logdir, wanted)
            except Exception as error:  # one broken cell says nothing about the others
                held = False
                said = f"FAILED: {type(error).__name__}: {error}"
            print(f"{cell.name:20} {time.monotonic() - begin:4.0f} s  {said}", flush=True)
            return held

        with ThreadPoolExecutor(AT_ONCE) as pool:
            held = list(pool.map(tried, [BY_NAME[name] for name in names] or CELLS))
    return int(not all(held))


def attempt(cell: Cell, wheel: Path, folder: Path, logdir: Path, wanted: dict[str, dict[str, object]]) -> str:
    """What was tried, in words. Raises AssertionError, or whatever else went wrong."""
    if sys.version_info >= cell.below:
        return f"left out: no wheels for Python {sys.version_info.major}.{sys.version_info.minor}"
    python = environment.make(cell, wheel, folder)
    for run, report in wanted.items():
        found = environment.report(python, logdir, run)
        assert (lines := environment.differences(report, found)) == [], f"{run}: {lines[:5]}"
        found = environment.served(python, cell, logdir, run)
        assert (lines := environment.differences(report, found)) == [], f"{run}, served: {lines[:5]}"
    if cell.remote:
        remote(python)
    return " ".join(f"{name} {version}" for name, version in environment.versions(python).items())


def remote(python: Path) -> None:
    """The tests of remote log directories, with the file systems of this environment."""
    pip("--python", str(python), "install", "pytest", "hypothesis")
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/readers/remote"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "skipped" not in done.stdout, done.stdout[-3000:]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
