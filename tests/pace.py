"""How fast the machine is just now: limits in seconds are those of a calm one."""

from __future__ import annotations

import time
from collections.abc import Callable

CALM_S = 0.02
"""What ``reference`` takes on two calm cores of a server of 2023."""


def calm_s(work: Callable[[], object], times: int = 3) -> float:
    """Processor seconds that work takes on a calm machine: the least of several times."""
    found = []
    for _ in range(times):
        before = pace()
        began = time.thread_time()
        work()
        found.append((time.thread_time() - began) / max(before, pace()))
    return min(found)


def pace() -> float:
    """How many times as long as on a calm machine work takes now; at least 1."""
    began = time.thread_time()
    reference()
    return max(1.0, (time.thread_time() - began) / CALM_S)


def reference() -> dict[int, bytes]:
    """Calls, numbers, bytes and a table, as parsers have them."""
    data, found = bytes(range(256)), {}
    for number in range(200_000):
        found[number % 4099] = data[number % 97 : number % 89 + 100]
    return found
