"""One answer for all who ask at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    """Asks ``find`` for an answer, one call at a time.

    Whoever asks while a call runs does not get its answer, which may be older than the question. All who ask
    meanwhile share the next call. So nobody waits for more than two calls, unless one raises, and nobody gets
    an answer that was begun before they asked.
    """

    def __init__(self, find: Callable[[], T]) -> None:
        self._find = find
        self._turn = threading.Lock()
        self._begun_count = 0
        self._answer: tuple[T] | None = None

    def ask(self) -> T:
        """What ``find`` returns, from a call that began after this one did. Raises what ``find`` raises."""
        begun_count = self._begun_count
        with self._turn:
            if self._answer is None or self._begun_count == begun_count:
                self._begun_count += 1
                self._answer = None  # if this call raises, whoever waits calls again
                self._answer = (self._find(),)
            return self._answer[0]
