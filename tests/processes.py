"""What other processes do."""

from __future__ import annotations

import time

import psutil


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
