"""Writes the profiles of all demo runs into a TensorBoard log directory.

``python -m demo.build OUT [--only NAME ...]``; each scenario becomes one run, ``OUT/NAME``, and some become
another one in a format of PyTorch.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from demo import scenarios
from demo.formats import OTHERS, RUN, XSPACE, changed
from demo.simulator import Training, simulate
from demo.simulator.captured import PROFILE_START_NS
from demo.simulator.machine import resources
from tfperf_plugin.readers.logdirs.training import RESOURCES_SUFFIX
from tfperf_plugin.recording.resources import to_json

WATCHED: Final = f"plugins/diagnostics/{{host}}.20251231T120000.000000+0000{RESOURCES_SUFFIX}"
"""The file of a ``{host}`` with what its machine did during the training."""

__all__ = ["RUN", "build", "run_names", "scenario_names", "training"]


def scenario_names() -> tuple[str, ...]:
    """All scenarios, the healthy ones included."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(scenarios.__path__)))


def run_names() -> tuple[str, ...]:
    """All demo runs: a run for each scenario, and those in other formats."""
    return tuple(dict.fromkeys((*scenario_names(), *OTHERS)))


def training(name: str) -> Training:
    """The training that a scenario describes."""
    found: Training = importlib.import_module(f"{scenarios.__name__}.{name}").TRAINING
    return found


def build(out: Path, names: Iterable[str]) -> list[Path]:
    """Write the profiles of ``names`` below ``out`` and return the files."""
    written: list[Path] = []
    for name in names:
        scenario, (encode, place) = OTHERS.get(name, (name, XSPACE))
        made = changed(name, training(scenario))
        for host, data in simulate(made, encode).files.items():
            written.append(_write(out / name / place.format(host=host), data))
            if made.machine:
                recorded = to_json(resources(made.machine, host, PROFILE_START_NS))
                written.append(_write(out / name / WATCHED.format(host=host), recorded))
    return written


def _write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    names = run_names()
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
