"""How busy others keep this machine while a launch runs."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import resource

_STAT: Final = Path("/proc/stat")


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
