"""Log directories with runs whose files hold no real profiles."""

from __future__ import annotations

import os
from pathlib import Path


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
