"""Work in two threads at once: compiled code and the loops of NumPy let other threads run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from threading import Lock as Lock
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

THREADS: Final = 2
"""More would hold more in memory at once, and wait for each other in what is not NumPy."""
NAME: Final = "tfperf-part"
WORTH_BYTES: Final = 4 << 20
"""For less it takes longer to start threads."""


def each(work: Callable[[T], R], items: Iterable[T], size_bytes: int) -> list[R]:
    """The results of ``work`` for each item, in their order.

    Several items are worked on at once if all together hold ``WORTH_BYTES`` (``size_bytes``: their size).
    ``work`` may fill caches of shared objects if it does not matter which thread does so first. Raises the
    exception of the first item that fails.
    """
    if size_bytes < WORTH_BYTES or (os.cpu_count() or 1) < THREADS:
        return [work(item) for item in items]
    # Imported here, because most commands work in one thread.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(THREADS, NAME, _leave_signals) as pool:
        return list(pool.map(work, items))


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yields the items; while the caller uses one, another thread makes the next one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, NAME, _leave_signals) as pool:
        end: list[T] = []
        following = pool.submit(lambda: next(([item] for item in items), end))
        while found := following.result():
            following = pool.submit(lambda: next(([item] for item in items), end))
            yield found[0]


def any_at_work() -> bool:
    """Whether a thread still works although its caller was interrupted."""
    return any(thread.name.startswith(NAME) for thread in threading.enumerate())


def _leave_signals() -> None:
    """Blocks the signal of a time limit in this thread: it must wake the main thread, which handles it."""
    import signal

    if hasattr(signal, "SIGXCPU"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGXCPU})
