"""Two things at once: compiled code and the loops of NumPy let other threads run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock as Lock
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

THREADS: Final = 2
"""More would hold more in memory at once, and wait for each other in what is not NumPy."""
WORTH_BYTES: Final = 4 << 20
"""For less it takes longer to start threads."""


def each(work: Callable[[T], R], items: Iterable[T], size_bytes: int) -> list[R]:
    """``work`` of each item, in their order; several at once if they are about as much as ``size_bytes``.

    ``work`` may fill caches of what it shares, if it does not matter who does so first. Raises what the first
    failing item raises.
    """
    if size_bytes < WORTH_BYTES or (os.cpu_count() or 1) < THREADS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(THREADS, "tfperf-part") as pool:
        return list(pool.map(work, items))
