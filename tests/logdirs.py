"""Log directories with runs: without real profiles, or of many hosts."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from demo.build import training
from demo.simulator import simulate
from demo.simulator.training import HostClocks


def add_run(logdir: Path, name: str, *hosts: str, time_s: float | None = None) -> Path:
    """Makes the files of the run that the profile plugin calls ``name``."""
    tensorboard_run, _, directory = name.rpartition("/")
    path = logdir / tensorboard_run / "plugins" / "profile" / directory
    path.mkdir(parents=True)
    for host in hosts or ("host",):
        file = path / f"{host}.xplane.pb"
        file.write_bytes(b"profile")
        if time_s is not None:
            os.utime(file, (time_s, time_s))
    return path


def many_hosts(logdir: Path, count: int, **changes: Any) -> Path:
    """A log directory with one run of so many hosts: three simulated ones, of which the last is slow, and
    copies of the first two."""
    files = _simulated(**changes)
    path = logdir / "plugins" / "profile" / "many"
    path.mkdir(parents=True)
    for number in range(count):
        chosen = 2 if number == 2 else number % 2
        (path / f"worker{number:03d}.xplane.pb").write_bytes(files[chosen])
    return logdir


@functools.cache
def _simulated(**changes: Any) -> list[bytes]:
    clocks = HostClocks((0, 2_300_000, -4_100_000), (0, 7_000_000, 3_000_000))
    job = replace(training("slow_host"), **{"hosts": 3, "steps": 5, "clocks": clocks, **changes})
    return list(simulate(job).files.values())
