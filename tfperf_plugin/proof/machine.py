"""The machine that launches run on, and how busy others keep it meanwhile."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Final

from tfperf_plugin.recording.write import host_name

if sys.platform != "win32":
    import resource

_STAT: Final = Path("/proc/stat")
_GPUS: Final = Path("/proc/driver/nvidia/gpus")


def machine() -> str:
    """This machine's name, and how many processors this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{host_name()}, {usable} processors"


def gpus() -> tuple[str, ...]:
    """The models of this machine's NVIDIA GPUs, as far as the driver says."""
    try:
        told = [path.read_text(encoding="utf-8") for path in sorted(_GPUS.glob("*/information"))]
    except (OSError, UnicodeDecodeError):
        return ()
    lines = [line.partition(":") for text in told for line in text.splitlines()]
    return tuple(value.strip() for name, _, value in lines if name == "Model")


class Clock:
    """Starts at once. Its durations do not depend on the time of day."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._busy, self._own = _busy_s(), _own_s()

    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self._began

    def others(self) -> float | None:
        """Processors that neither this process nor its ended children kept busy, on average; None if
        the system does not say."""
        busy, seconds = _busy_s(), self.seconds()
        if busy is None or self._busy is None or not seconds:
            return None
        return max(0.0, (busy - self._busy - (_own_s() - self._own)) / seconds)


def _own_s() -> float:
    if sys.platform == "win32":
        return 0.0
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _busy_s() -> float | None:
    """Seconds that all processors together have been busy: "cpu user nice system idle iowait irq softirq"."""
    try:
        fields = _STAT.read_text(encoding="ascii").split(maxsplit=8)[1:8]
        user, nice, system, _, _, irq, softirq = map(int, fields)
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None
