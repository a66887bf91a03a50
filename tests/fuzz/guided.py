"""Fuzzing where there is no Atheris: an input that reaches a new line of the package is changed further.

Which lines run is seen by ``sys.settrace``. A function all of whose lines have been reached is traced no more,
so that the watching costs less and less; one that is entered often only the first times.
"""

from __future__ import annotations

import dis
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, Protocol, TypeVar

from tests.fuzz.mutate import mutated

T = TypeVar("T")
Change = Callable[[bytes, Sequence[bytes], Random], bytes]
"""An input → another, by a random number generator; the others lend parts."""
OFTEN = 4
"""A function that was entered more often than that is traced no more in this run."""


class Watch(Protocol):
    """Runs what is to be watched."""

    def __call__(self, work: Callable[[], T]) -> T: ...


def unwatched(work: Callable[[], T]) -> T:
    """Runs ``work``."""
    return work()


class Lines:
    """Which lines of the files below ``folder`` have been reached."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._open: dict[CodeType, set[int]] = {}
        self._visits: dict[CodeType, int] = {}
        self.reached = 0

    def watch(self, work: Callable[[], T]) -> T:
        """Runs ``work`` and counts the lines that it is the first to reach."""
        self._visits.clear()
        outer = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return work()
        finally:
            sys.settrace(outer)

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        left = self._open.get(code)
        if left is None:
            ours = code.co_filename.startswith(self._folder)
            left = {line for _, line in dis.findlinestarts(code) if line} if ours else set()
            self._open[code] = left
        visits = self._visits[code] = self._visits.get(code, 0) + 1
        if not left or visits > OFTEN:
            return None

        def step(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line" and frame.f_lineno in left:
                left.remove(frame.f_lineno)
                self.reached += 1
            return step if left else None

        return step


@dataclass
class Found:
    """What a session found: inputs that broke something, by the place where it broke.

    ``reaching``: inputs that were the first to reach some line, beside those that it began with.
    """

    runs: int = 0
    lines: int = 0
    reaching: list[bytes] = field(default_factory=list)
    failures: dict[str, bytes] = field(default_factory=dict)
    reports: dict[str, str] = field(default_factory=dict)
    slowest_s: float = 0.0
    slowest: bytes = b""


def fuzz(
    check: Callable[[bytes, Watch], object],
    start: Sequence[bytes],
    seconds: float,
    seed: int,
    folder: Path,
    most: int = 1000,
    change: Change = mutated,
    runs: float = inf,
) -> Found:
    """Changes inputs for so many seconds or runs, or until so many defects are found; ``check`` raises where something is wrong, and says what to watch."""
    random, lines, found = Random(seed), Lines(folder), Found()
    corpus = list(start)
    waiting = list(start)
    until = time.monotonic() + seconds
    while time.monotonic() < until and len(found.failures) < most and found.runs < runs:
        young = corpus[-random.choice((4, 40, 10**6)) :]
        given = bool(waiting)
        data = waiting.pop() if given else change(random.choice(young), corpus, random)
        found.runs += 1
        began = time.process_time()
        before = lines.reached
        try:
            check(data, lines.watch)
        except Exception as error:
            where, data = _place(error, str(folder)), getattr(error, "data", data)
            if where not in found.failures or len(data) < len(found.failures[where]):
                found.failures[where] = data
                found.reports[where] = traceback.format_exc()
            continue
        took = time.process_time() - began
        if took > found.slowest_s:
            found.slowest_s, found.slowest = took, data
        if lines.reached > before and len(data) < 1 << 20 and not given:
            corpus.append(data)
            found.reaching.append(data)
    found.lines = lines.reached
    return found


def _place(error: Exception, folder: str) -> str:
    """Where it broke: the innermost line of the package, and the kind of error."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(folder)] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {type(error).__name__}"
