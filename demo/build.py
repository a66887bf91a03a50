"""Writes the profiles of all demo scenarios into a TensorBoard log directory.

``python -m demo.build OUT [--only NAME ...]``; each scenario becomes one run, ``OUT/NAME``.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from demo import scenarios
from demo.simulator import Training, simulate

RUN = "2026_01_01_00_00_00"


def scenario_names() -> tuple[str, ...]:
    """All scenarios, the healthy ones included."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__)))


def training(name: str) -> Training:
    """The training that a scenario describes."""
    found: Training = importlib.import_module(f"{scenarios.__name__}.{name}").TRAINING
    return found


def build(out: Path, names: Iterable[str]) -> list[Path]:
    """Write the profiles of ``names`` below ``out`` and return the files."""
    written: list[Path] = []
    for name in names:
        folder = out / name / "plugins" / "profile" / RUN
        folder.mkdir(parents=True, exist_ok=True)
        for host, data in simulate(training(name)).files.items():
            path = folder / f"{host}.xplane.pb"
            path.write_bytes(data)
            written.append(path)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    names = scenario_names()
    parser = argparse.ArgumentParser(prog="python -m demo.build", description="Write the demo profiles.")
    parser.add_argument("out", type=Path, help="log directory to write to")
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    options = parser.parse_args(arguments)
    for path in build(options.out, options.only):
        print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
