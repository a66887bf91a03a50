"""Asks again and again until the training has ended, and takes only a small part of a processor."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

from tfperf_plugin.readers.logdirs.training import RECORD_TIME, RESOURCES_SUFFIX
from tfperf_plugin.recording.resources import EVERY_S, Resources
from tfperf_plugin.recording.sampler import gpus
from tfperf_plugin.recording.sampler.kept import Kept
from tfperf_plugin.recording.sampler.sources import (
    Disks,
    Group,
    Memory,
    Network,
    Processes,
    Processors,
    Source,
    Training,
    Values,
)
from tfperf_plugin.recording.write import host_name

if TYPE_CHECKING:
    from tfperf_plugin.recording.sampler.summaries import Summaries

FAST_S: Final = 0.1
FAST_FOR_S: Final = 600.0
SLOW_S: Final = 1.0
"""A row each 0.1 s in the first ten minutes, then one a second."""
DEAR_S: Final = 1.0
BUDGET_RATIO: Final = 0.004
"""Of one processor's time. Where asking takes longer, it asks less often."""
DEAR_RATIO: Final = 0.0015
"""The part of the budget for what is dear to ask, and for writing."""
NICE: Final = 10
_AGAIN_S: Final = 0.5
_SMOOTH: Final = 0.2
_MOST_MISSING: Final = 16  # and one for each GPU
_LONGEST: Final = 190
_HIDDEN: Final = "no process of the training was seen there."

Wait = Callable[[float], bool]
"""Waits for at most this many seconds; returns whether the training has ended."""


def main(pid: int, folder: str, summaries: bool) -> None:
    """Watches process ``pid``, and never raises. Does nothing if another process watches for this folder.
    ``summaries``: whether scalars of TensorBoard are written besides."""
    with contextlib.suppress(Exception):
        os.chdir("/")
        os.nice(NICE)
        place = Path(folder, "plugins", "diagnostics")
        place.mkdir(parents=True, exist_ok=True)
        with _only_one(place), contextlib.suppress(psutil.NoSuchProcess):
            Sampler(pid, place, summaries).run(until_end(pid))


@contextlib.contextmanager
def _only_one(place: Path) -> Iterator[None]:
    """Ranks start one each. A socket without a file is this host's, and goes with its process."""
    found = place.stat()
    with socket.socket(socket.AF_UNIX) as held:
        if os.uname().sysname == "Linux":
            held.bind(f"\0tfperf-{os.getuid()}-{host_name()}-{found.st_dev}-{found.st_ino}")
        yield


def until_end(pid: int) -> Wait:
    """What waits for the end of process ``pid``, and is not taken in by another one of this number."""
    process = psutil.Process(pid)
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not Linux from 5.3 on

        def wait(seconds: float) -> bool:
            until = time.monotonic() + seconds
            while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                if (left := until - time.monotonic()) <= 0:
                    return False
                time.sleep(min(left, _AGAIN_S))
            return True

        return wait
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return lambda seconds: bool(poll.poll(1000 * seconds))


class Cost:
    """Processor time of something that is done again and again."""

    def __init__(self) -> None:
        self.mean_s = 0.0

    @contextlib.contextmanager
    def measured(self) -> Iterator[None]:
        """Of what is done within."""
        before = time.process_time()
        yield
        took_s = time.process_time() - before
        self.mean_s += (_SMOOTH if self.mean_s else 1.0) * (took_s - self.mean_s)


class Sampler:
    """Watches this machine while process ``pid`` trains, and writes into the folder ``place``."""

    def __init__(self, pid: int, place: Path, summaries: bool = False) -> None:
        self.missing: list[str] = []
        name = f"{host_name()}.{datetime.now().astimezone().strftime(RECORD_TIME)}{RESOURCES_SUFFIX}"
        self.path = place / name
        self.cheap_cost, self.dear_cost, self.write_cost = Cost(), Cost(), Cost()
        self._last: dict[Source, Values] = {}
        self.kept: Kept | None = None
        training = Training(pid)
        group = self._made("Limits of the container", lambda: Group(pid))
        self._processors = self._made("Processors", lambda: Processors(training, group))
        self._cheap = self._sources(("Processors", lambda: self._processors), ("Network", Network))
        self._dear = self._sources(
            ("Memory", Memory), ("Disks", Disks), ("The training", lambda: Processes(training, group))
        )
        self._others: gpus.Others | None = None
        if nvml := self._made("GPUs", gpus.library):
            self._cheap += self._sources(("GPUs", lambda: self._lacking(gpus.Gpus(nvml))))
            self._others = gpus.Others(nvml, training)
            self._dear += self._sources(("Other processes on GPUs", lambda: self._others))
        self._scalars = summaries
        self._summaries: Summaries | None = None
        self._begin_s = self._asked_s = time.monotonic()

    def _sources(self, *named: tuple[str, Callable[[], Any]]) -> list[Source]:
        """Those that answer. What they count is counted from now on."""
        found = []
        for name, make in named:
            source = self._made(name, make)
            if source and self._made(name, partial(_answered, source)):
                found.append(source)
        return found

    def _made(self, name: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except Exception as error:
            self._lack(f"{name}: {_why(error)}.")
            return None

    def _lack(self, sentence: str) -> None:
        if sentence not in self.missing and len(self.missing) < _MOST_MISSING:
            self.missing.append(sentence[:_LONGEST])

    def _lacking(self, source: gpus.Gpus) -> gpus.Gpus:
        for sentence in source.lacks:
            self._lack(sentence)
        return source

    def run(self, wait: Wait) -> None:
        """Returns when the training has ended, or its folder is gone."""
        ended = wait(FAST_S)
        self.sample(dear=True)
        dear_s = write_s = time.monotonic()
        while not ended:
            ended = wait(max(0.0, self._asked_s + self.every_s() - time.monotonic()))
            now_s = time.monotonic()
            dear = ended or now_s - dear_s >= self.dear_every_s()
            self.sample(dear)
            dear_s = now_s if dear else dear_s
            if now_s - write_s >= self.write_every_s():
                write_s = now_s
                if not self.write():
                    return
        self.write(last=True)

    def every_s(self) -> float:
        """How long from one row to the next."""
        base_s = FAST_S if time.monotonic() - self._begin_s < FAST_FOR_S else SLOW_S
        others = self.dear_cost.mean_s / self.dear_every_s() + self.write_cost.mean_s / self.write_every_s()
        return max(base_s, self.cheap_cost.mean_s / (BUDGET_RATIO - others))

    def dear_every_s(self) -> float:
        """How long from one look at what is dear to the next."""
        return max(DEAR_S, self.dear_cost.mean_s / DEAR_RATIO)

    def write_every_s(self) -> float:
        """How long from one writing of the file to the next."""
        return max(EVERY_S, self.write_cost.mean_s / DEAR_RATIO)

    def sample(self, dear: bool) -> None:
        """Adds a row. The first one tells which series there are."""
        with self.cheap_cost.measured():
            cheap = self._ask(self._cheap)
            self._asked_s = time.monotonic()
            if self.kept:
                self.kept.add(round(1e9 * (self._asked_s - self._begin_s)), cheap)
        if not dear:
            return
        with self.dear_cost.measured():
            if self._processors:
                with contextlib.suppress(Exception):
                    self._processors.renew()
            found = self._ask(self._dear)
            if not self.kept:
                self.kept = Kept([*cheap, *found])
                self.kept.add(round(1e9 * (self._asked_s - self._begin_s)), cheap)
            self.kept.fill(found)

    def _ask(self, sources: list[Source]) -> Values:
        """Of a source that no longer answers, what it said before."""
        found: Values = {}
        for source in sources:
            try:
                self._last[source] = source.read()
            except (ProcessLookupError, psutil.NoSuchProcess):  # the training has just ended
                pass
            except Exception as error:
                self._lack(f"{type(source).__name__} no longer tell anything: {_why(error)}.")
            found |= self._last.get(source, {})
        return found

    def write(self, last: bool = False) -> bool:
        """Writes the file anew; whether its folder is still there. A full disk keeps the file of before."""
        assert self.kept
        if not len(self.kept):
            return True
        sources = (*self._cheap, *self._dear)
        limits = {key: most for source in sources for key, most in source.limits.items() if most > 0}
        theirs = [key for key in self.kept.keys if key[0] == "gpu.others" and key[1] not in self._ours()]
        missing = [*self.missing, *(f"Other processes on GPU {of}: {_HIDDEN}" for _, of in theirs)]
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        with self.write_cost.measured():
            # The clock as it is now: it may have been set right since the training began.
            begin_ns = time.time_ns() - round(1e9 * (time.monotonic() - self._begin_s))
            try:
                temporary.write_bytes(self.kept.file(host_name(), begin_ns, limits, missing, theirs))
                temporary.replace(self.path)
            except OSError:
                with contextlib.suppress(OSError):
                    temporary.unlink()
            if self._scalars:
                with contextlib.suppress(OSError):
                    found = self.kept.resources(host_name(), begin_ns, limits, missing, theirs)
                    self._add(found, last)
        return self.path.parent.is_dir()

    def _add(self, found: Resources, last: bool) -> None:
        """Writes scalars. What that needs is loaded only now: rows would come late otherwise."""
        from tfperf_plugin.recording.sampler.summaries import Summaries

        self._summaries = self._summaries or Summaries(self.path.parents[2])
        self._summaries.add(found, last)

    def _ours(self) -> set[str]:
        return self._others.ours if self._others else set()


def _answered(source: Source) -> bool:
    source.read()
    return True


def _why(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(reason.split()).rstrip(".") or type(error).__name__
