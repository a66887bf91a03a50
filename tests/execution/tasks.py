"""What workers are told to do by tests."""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import signal
import socket
import time
from pathlib import Path

import numpy as np

from tfperf_plugin.execution.analyze import Analysis, Progress
from tfperf_plugin.execution.limits import limited
from tfperf_plugin.execution.pool import HostPool, analyze_apart
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report.options import Options

LONG_S = 60
ROOM = 2 << 30
"""Bytes that a worker may use."""


def silent(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
    """Tells nobody."""


def double(number: int) -> int:
    return 2 * number


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(_: int) -> None:
    time.sleep(LONG_S * 10)


def begin_and_sleep(_: int, tell: Progress) -> None:
    tell("asleep", 0.0)
    time.sleep(LONG_S * 10)


def allocate(size: int) -> int:
    return len(np.ones(size, np.int8))


def fail(_: int) -> None:
    raise ValueError("odd")


def talk(number: int) -> int:
    """Prints where answers go by default."""
    print("x" * 100_000, flush=True)
    os.write(1, b"tfp1" * 10)
    return number


def lie(_: int) -> int:
    """Answers something else than it declares."""
    return "a text"  # type: ignore[return-value]


def burn(_: int) -> None:
    while True:
        pass


def spend(_: int, seconds: float) -> None:
    """Uses processor time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def burn_apart(run: Run, options: Options, memory: int | None, time_limit_s: int, tell: Progress) -> None:
    tell("burning", 0.0)
    burn(0)


def limit_apart(run: Run, options: Options, memory: int, time_limit_s: int, tell: Progress) -> int:
    """The limit of address space that an analysis with so much memory has."""
    with limited(memory):
        return resource.getrlimit(resource.RLIMIT_AS)[0]


def fail_oddly(_: int) -> None:
    class Odd(Exception):
        pass

    raise Odd("unheard of")


def read(path: str) -> str:
    return Path(path).read_text()


def write(path: str) -> None:
    Path(path).write_text("written")


def append(path: str) -> None:
    with Path(path).open("a") as file:
        file.write("written")


def truncate(path: str) -> None:
    os.truncate(path, 0)


def remove(path: str) -> None:
    Path(path).unlink()


def rename(path: str) -> None:
    Path(path).rename(f"{path}.renamed")


def make_beside(path: str) -> None:
    Path(f"{path}.beside").touch()


def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), LONG_S).close()


def listen(_: int) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))


def signal_to(pid: int) -> None:
    os.kill(pid, 0)


def write_below(path: str) -> None:
    """Has a worker of this worker write."""
    with HostPool(1, 1 << 30, __name__, remote=True) as pool:
        pool.submit(write, path).result(LONG_S)


def analyze_in_two(run: Run, tell: Progress) -> Analysis:
    """In two workers of this worker."""
    return analyze_apart(run, Options(), None, LONG_S, tell, jobs=2)


def write_apart(run: Run, options: Options, memory: int, time_limit_s: int, tell: Progress) -> bool:
    """Whether an analysis of the run can write to the file that has its name."""
    try:
        write(run.name)
    except PermissionError:
        return False
    return True


def break_inside(_: int) -> None:
    """Fails as CPython does where C code returns an error without saying which."""
    raise SystemError("error return without exception set")


def interrupt(_: int) -> None:
    raise KeyboardInterrupt


def lack_memory_in_ctypes(_: int) -> None:
    class Large(ctypes.c_int):
        @classmethod
        def from_param(cls, value: object, /) -> Large:
            raise MemoryError

    absolute = ctypes.CDLL(None).abs
    absolute.argtypes = [Large]
    absolute(1)


def lack_memory_in_numpy(_: int) -> None:
    raise TypeError("no common dtype") from MemoryError()


def lack_memory_for_a_lock(_: int) -> None:
    raise RuntimeError("can't allocate lock")


def analyze_quietly(run: Run) -> Analysis:
    return analyze_apart(run, Options(), None, LONG_S, lambda *_: None)


def fail_allocation(number: int) -> None:
    """Lets the allocation of this number fail once, counted from now on."""
    importlib.import_module("_testcapi").set_nomemory(number, number + 1)


TASKS = {name: task for name, task in globals().items() if getattr(task, "__module__", "") == __name__}
"""All functions of this module, by name."""
