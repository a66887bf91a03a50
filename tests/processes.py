"""What other processes do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from tests.conftest import REPOSITORY

TFPERF = (sys.executable, "-m", "tfperf_plugin.cli")


def environment(**variables: str) -> dict[str, str]:
    """That of this process with ``variables``, in which this checkout is found from any folder."""
    path = os.pathsep.join(filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, **variables}


def tfperf(
    *arguments: str, folder: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """How a process of tfperf ends that starts in ``folder``, in ``environment`` unless ``env`` is given."""
    return subprocess.run(
        [*TFPERF, *arguments],
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def gone(process: int) -> bool:
    """Whether it has ended, even if nobody has asked for its exit code yet."""
    try:
        return bool(psutil.Process(process).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def ends(process: int) -> bool:
    """Whether it is gone within five seconds."""
    until = time.monotonic() + 5
    while not gone(process):
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def processor_s(process: int) -> float:
    """Processor time that it has used."""
    times = psutil.Process(process).cpu_times()
    return float(times.user + times.system)
