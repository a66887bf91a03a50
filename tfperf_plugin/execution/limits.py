"""What a process may use and do: limits of memory and processor time, and the rights that it gives up.

On systems without such limits, as Windows, nothing here limits anything.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import struct
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Final

from tfperf_plugin.errors import BadOptionError, OutOfTime
from tfperf_plugin.recording.machine import available_bytes

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MEMORY_RATIO: Final = 0.6
"""Share of the available memory that all analyses of a process together may use by default."""
LEAST_BYTES: Final = 256 << 20
"""The smallest memory limit that a user may set."""
TIME_LIMIT: Final = "TFPERF_TIME_LIMIT"
"""The environment variable that sets the time limit."""
TIME_LIMIT_S: Final = 300
"""Processor time that each host of a run may take by default."""
MOST_TIME_S: Final = 1_000_000


class TimeUp(BrokenExecutor):
    """A process was stopped because it used all processor time that it had, ``limit_s`` seconds ``each``."""

    def __init__(self, limit_s: int, each: str = " a host") -> None:
        super().__init__(limit_s)
        self.limit_s, self.each = limit_s, each

    def of(self, what: str) -> OutOfTime:
        """The error for users: what took so long."""
        return OutOfTime(
            f"The analysis of {what} was stopped: it took more than {self.limit_s} s of processor "
            f"time{self.each}. Capture fewer steps, or allow more time: TFPERF_TIME_LIMIT for the tab, "
            "--time-limit for tfperf report."
        )


def time_limit() -> int:
    """Seconds of processor time that each host may take: ``TFPERF_TIME_LIMIT``, else ``TIME_LIMIT_S``.

    Raises BadOptionError.
    """
    text = os.environ.get(TIME_LIMIT, "").strip()
    return parse_time_limit(text, TIME_LIMIT) if text else TIME_LIMIT_S


def parse_time_limit(text: str, name: str) -> int:
    """Whole seconds. Raises BadOptionError, which calls the setting ``name``."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_TIME_S:
        raise BadOptionError(f"{name} must be a whole number of seconds from 1 to {MOST_TIME_S}.")
    return int(text)


def limit_time(more_s: int | None) -> None:
    """Has the system send SIGXCPU each second, which ends this process unless it is handled, once the process
    has used ``more_s`` more seconds of processor time; None lifts the limit."""
    if resource:
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        # Beyond the hard limit, nothing is set: that one ends the process earlier.
        _set(resource.RLIMIT_CPU, hard if more_s is None else math.ceil(time.process_time()) + more_s)


def write_no_core() -> None:
    """Has the system not write all memory of this process to a file where a signal ends it."""
    if resource:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Signaled(BaseException):
    """Raised by the handler of a signal, past all who catch exceptions."""


@contextlib.contextmanager
def timed(limit_s: int) -> Iterator[None]:
    """Limits the processor time of this process inside the context; raises TimeUp beyond it.

    Only the main thread can be stopped so: in others, there is no limit. Where the process has a lower limit
    already, that one stays, and so does what happens beyond it.
    """
    if not resource or threading.current_thread() is not threading.main_thread():
        yield
        return
    soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
    if soft != resource.RLIM_INFINITY and soft < time.process_time() + limit_s:
        yield
        return

    import signal  # cached reports need none

    def stop(*_: object) -> None:
        raise _Signaled

    before = signal.signal(signal.SIGXCPU, stop)
    limit_time(limit_s)
    try:
        yield
    except _Signaled:
        raise TimeUp(limit_s) from None
    finally:
        _set(resource.RLIMIT_CPU, soft)
        signal.signal(signal.SIGXCPU, before or signal.SIG_DFL)


def limit_memory(limit_bytes: int) -> int | None:
    """Limits the address space of this process. Returns the former limit; None where the system has none."""
    if not resource:
        return None
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    _set(resource.RLIMIT_AS, min(x for x in (limit_bytes, before, hard) if x != resource.RLIM_INFINITY))
    return before


@contextlib.contextmanager
def limited(limit_bytes: int) -> Iterator[None]:
    """Limits the memory of this process inside the context; exceeding it raises MemoryError."""
    before = limit_memory(limit_bytes + _mapped_bytes())
    try:
        yield
    finally:
        if before is not None:
            _set(resource.RLIMIT_AS, before)


def _set(limit: int, soft: int) -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(limit, (soft, resource.getrlimit(limit)[1]))


def _mapped_bytes() -> int:
    """Size of this process's address space."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def usable_bytes() -> int:
    """The memory that analyses may use by default."""
    return int(MEMORY_RATIO * available_bytes())


# -------------------------------------------------------------------------------------------- rights

_NO_NEW_PRIVILEGES: Final = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = _PATH_BENEATH = 1
_READ: Final = 0b1101
"""To execute files, to read them, and to list folders."""
_WRITE_FILE: Final = 0b0010
_BIND_AND_CONNECT = _ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
# The structures of linux/landlock.h.
_RULESET, _BENEATH = struct.Struct("=QQQ"), struct.Struct("=Qi")


def landlock_version() -> int:
    """The version of Landlock that the system offers; 0 if it offers none."""
    return max(0, _call(_CREATE_RULESET, 0, 0, _ASK_VERSION)) if sys.platform == "linux" else 0


def give_up() -> None:
    """Takes rights from this thread, and from the threads and processes that it starts from now on, for good.

    Linux: what they execute gains no privileges. With Landlock, they write to no file but those that are open
    already and ``/dev/null``, and make, rename and remove none; from Landlock's version 4 on, they neither
    connect nor listen by TCP; from version 6 on, they send no signals to others. Elsewhere, nothing changes.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(*map(ctypes.c_ulong, (_NO_NEW_PRIVILEGES, 1, 0, 0, 0)))
    version = landlock_version()
    if not version:
        return
    known = (1 << 12 + min(version, 3)) - 1  # version 1 knows 13 rights on files, 2 and 3 one more each
    tcp = _BIND_AND_CONNECT if version >= 4 else 0
    others = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0
    denied = ctypes.create_string_buffer(_RULESET.pack(known & ~_READ, tcp, others))
    nowhere = os.open(os.devnull, os.O_PATH)
    allowed = ctypes.create_string_buffer(_BENEATH.pack(_WRITE_FILE, nowhere))
    rules = _call(_CREATE_RULESET, ctypes.addressof(denied), _RULESET.size, 0)
    if rules >= 0:
        if _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.addressof(allowed), 0) == 0:
            _call(_RESTRICT_SELF, rules, 0)
        os.close(rules)
    os.close(nowhere)


def _call(number: int, *arguments: int) -> int:
    """A system call; -1 if it fails."""
    return int(ctypes.CDLL(None).syscall(*map(ctypes.c_long, (number, *arguments))))
