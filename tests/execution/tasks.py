"""What workers are told to do by tests."""

from __future__ import annotations

import os
import resource
import signal
import time

import numpy as np

from tfperf_plugin.execution.analyze import Progress
from tfperf_plugin.execution.pool import limited
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report.options import Options

LONG_S = 60


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


TASKS = {
    task.__name__: task
    for task in (
        double,
        die,
        sleep,
        begin_and_sleep,
        allocate,
        fail,
        talk,
        lie,
        limit_apart,
        fail_oddly,
        burn,
        spend,
        burn_apart,
    )
}
