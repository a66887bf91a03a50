"""The log directory that every cell is tried on."""

from __future__ import annotations

import shutil
from pathlib import Path

from demo.build import RUN, build
from tests.conftest import REAL_PROFILES

DEMO = ("gpu_stagger",)
REAL = "GPU-multi-worker"


def logdir_of_all(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """A demo run and, where there is one beside the repository, a real profile; and the names of the runs."""
    build(folder, DEMO)
    for name in DEMO:  # as every training writes one; older profile plugins look for runs beside it
        (folder / name / "events.out.tfevents.1767225600.host").touch()
    names = tuple(f"{name}/{RUN}" for name in DEMO)
    if not REAL_PROFILES.is_dir():
        return folder, names
    target = folder / "plugins" / "profile" / REAL
    shutil.copytree(REAL_PROFILES / REAL, target, copy_function=shutil.copyfile)
    return folder, (*names, REAL)
