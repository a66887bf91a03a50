"""Fuzzes what reads bytes that may come from others; see tests/fuzz/targets.py:

    python -m tests.fuzz SECONDS [--seed N] [--only TARGET] [--keep FOLDER].

Atheris guides it where it is installed, else the lines that inputs reach; the latter always where time is checked. The folder of --keep holds the inputs
that reached something new, below the target's name, where the next run goes on; and those that broke something.
Add the latter to tests/fuzz/seeds.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.fuzz.guided import fuzz
from tests.fuzz.targets import TARGETS, name_of

SLOW_S = 10
"""What takes longer is a defect, too, even though watching slows everything down."""
MOST_BYTES, MOST_MEGABYTES = 1 << 16, 2048


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seconds", type=int, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=TARGETS)
    parser.add_argument("--keep", type=Path, default=REPOSITORY / "build" / "fuzz")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    names = [options.only] if options.only else list(TARGETS)
    failed = [name for name in names if not run(name, options.keep / name, options.seconds, options.seed)]
    print(f"{len(names)} targets, defects in: {', '.join(failed) or 'none'}")
    return bool(failed)


def run(name: str, folder: Path, seconds: int, seed: int) -> bool:
    """Whether the best fuzzer there is for this target found nothing."""
    covered = importlib.util.find_spec("atheris") and not TARGETS[name].timed
    return (by_coverage if covered else by_lines)(name, folder, seconds, seed)


def by_coverage(name: str, folder: Path, seconds: int, seed: int) -> bool:
    """Whether Atheris found nothing; the first defect ends it."""
    TARGETS[name].write_inputs(folder)
    limits = (f"-max_total_time={seconds}", f"-timeout={SLOW_S}", f"-rss_limit_mb={MOST_MEGABYTES}")
    options = (
        f"-seed={seed}",
        f"-max_len={MOST_BYTES}",
        f"-artifact_prefix={folder}-",
        "-print_final_stats=1",
    )
    command = [sys.executable, "-m", "tests.fuzz.covered", name, str(folder), *limits, *options]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode == 0


def by_lines(name: str, folder: Path, seconds: int, seed: int) -> bool:
    """Whether our own fuzzer found nothing."""
    target = TARGETS[name]
    target.write_inputs(folder)
    begin = [path.read_bytes() for path in sorted(folder.iterdir())]
    found = fuzz(target.check, begin, seconds, seed, target.folder, change=target.change)
    sums = f"{found.runs} inputs, {found.lines} lines, {len(found.reaching)} kept"
    print(f"{name}: {sums}, slowest {found.slowest_s:.1f} s")
    kept = dict(found.failures)
    if found.slowest_s > SLOW_S:
        kept["slow"] = found.slowest
    for where, data in kept.items():
        path = folder.with_name(f"{name}-{name_of(data)}")
        path.write_bytes(data)
        print(f"\n--- {where}: {path}, {len(data)} bytes\n{found.reports.get(where, '')}")
    for data in found.reaching:
        (folder / name_of(data)).write_bytes(data)
    return not kept


if __name__ == "__main__":
    raise SystemExit(main())
