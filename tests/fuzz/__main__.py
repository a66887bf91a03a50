"""Fuzzes the reader, the whole path of a host, and that of several hosts:

    python -m tests.fuzz SECONDS [--seed N] [--only PART] [--keep FOLDER] [--reach FOLDER].

Inputs that break something are written to the folder of --keep. Those that showed a defect belong into
tests/fuzz/seeds, and so do those that reach most lines that nothing else reaches (--reach).
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.fuzz.corpus import seeds, starts
from tests.fuzz.guided import Watch, distilled, fuzz, name_of
from tests.fuzz.oracles import Packed, check_reader, check_whole_path

SLOW_S = 10
"""What takes longer is a defect, too, even though watching slows everything down."""
REACH_BYTES = 90_000
"""What is kept of reader and whole path each: seeds are tried in each run of the suite."""
PACKAGE = REPOSITORY / "tfperf_plugin"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("reader", "path", "hosts"))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--reach", type=Path)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, check, place in (
            ("reader", check_reader, PACKAGE / "readers" / "xspace"),
            ("path", lambda data, watch: check_whole_path(Path(folder, "path"), data, watch=watch), PACKAGE),
            ("hosts", lambda data, watch: check_hosts(Path(folder, "hosts"), data, watch), PACKAGE),
        ):
            if options.only not in (None, name):
                continue
            begin = [*starts(), *(path.read_bytes() for path in seeds())]
            found = fuzz(check, begin, options.seconds, options.seed, place)
            sums = f"{found.runs} inputs, {found.lines} lines, {len(found.reaching)} kept"
            print(f"{name}: {sums}, slowest {found.slowest_s:.1f} s")
            kept = dict(found.failures)
            if found.slowest_s > SLOW_S:
                kept["slow"] = found.slowest
            for where, data in kept.items():
                failed += 1
                print(f"\n--- {where}: {name_of(data)}, {len(data)} bytes\n{found.reports.get(where, '')}")
            _write(options.keep, kept.values())
            if options.reach:
                _write(options.reach, distilled(check, begin, found.reaching, place, REACH_BYTES))
    return min(failed, 1)


def check_hosts(folder: Path, data: bytes, watch: Watch) -> None:
    """The whole path of a run of three hosts, two of which are as they should be, read as by other processes."""
    first, *_, last = starts()
    check_whole_path(folder, first, data, last, watch=watch, executor=Packed())


def _write(folder: Path | None, inputs: Iterable[bytes]) -> None:
    for data in inputs if folder else ():
        assert folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name_of(data)).write_bytes(data)


if __name__ == "__main__":
    raise SystemExit(main())
