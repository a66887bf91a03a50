"""What a recording says about itself: its GPUs, its clock, its threads, and messages of the collector."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tfperf_plugin.readers.nsight.database import Database
from tfperf_plugin.trace.model import Value

MESSAGES: Final = "DIAGNOSTIC_EVENT"
_WARNING, _ERROR = 2, 3
_OF_NO_USE: Final = re.compile(
    r"(?i)unified memory|sampl|backtrace|symbol|context switch|perf_event|thread|os runtime|debuginfod|"
    r"metrics|no nvtx events"
)
_LONGEST_MESSAGE: Final = 300
_MESSAGES_COUNT: Final = 20
_PROPERTIES: Final = (
    ("totalMemory", "memory_size", 1),
    ("memoryBandwidth", "memory_bandwidth", 1),
    ("clockRate", "clock_rate", 1000),
    ("smCount", "core_count", 1),
    ("computeMajor", "compute_cap_major", 1),
    ("computeMinor", "compute_cap_minor", 1),
)
"""Nsight's column, XSpace's stat, and by what to divide: XSpace has kHz instead of Hz."""


class Gpu(NamedTuple):
    """Name and properties, as XSpace calls them."""

    name: str
    stats: dict[str, Value]


def gpus(database: Database) -> dict[int, Gpu]:
    """The machine's GPUs by their number."""
    columns = [c for c, _, _ in _PROPERTIES]
    rows = database.rows("TARGET_INFO_GPU", ("id", "name", *columns))
    found = {}
    for number, name, *values in rows:
        stats: dict[str, Value] = {"device_vendor": "Nvidia"}
        for value, (_, stat, unit) in zip(values, _PROPERTIES, strict=True):
            if isinstance(value, int):
                stats[stat] = value // unit
        if isinstance(number, int):
            found[number] = Gpu(name if isinstance(name, str) else "", stats)
    return found


def gpu_of_process(database: Database) -> dict[tuple[int, int], int]:
    """(process, its number of a GPU) → number of the GPU in the machine, where the file says so.

    A process that may see some of the GPUs only, as by ``CUDA_VISIBLE_DEVICES``, counts these from 0.
    """
    rows = database.rows("TARGET_INFO_CUDA_DEVICE", ("pid", "cudaId", "gpuId"))
    return {(p, c): g for p, c, g in rows if isinstance(p, int) and isinstance(c, int) and isinstance(g, int)}


def started_ns(database: Database) -> int | None:
    """The wall-clock time at time 0, in ns since the epoch."""
    rows = database.rows("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",))
    return next((time for (time,) in rows if isinstance(time, int) and time > 0), None)


def thread_names(database: Database) -> dict[int, str]:
    """Global id of a thread → its name."""
    rows = database.rows("ThreadNames", ("globalTid", "nameId"))
    ids = {t: n for t, n in rows if isinstance(t, int) and isinstance(n, int)}
    strings = database.strings(ids.values())
    return {thread: strings[number] for thread, number in ids.items() if number in strings}


def messages(database: Database) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The collector's errors and warnings, each once and only the first of them.

    Warnings about what no ``HostTrace`` holds are left out: they would cast doubt on what was recorded.
    """
    rows = database.rows(MESSAGES, ("severity", "text"))
    texts = [(level, " ".join(text.split())) for level, text in rows if isinstance(text, str)]
    errors = dict.fromkeys(text[:_LONGEST_MESSAGE] for level, text in texts if level == _ERROR)
    warnings = dict.fromkeys(
        text[:_LONGEST_MESSAGE] for level, text in texts if level == _WARNING and not _OF_NO_USE.search(text)
    )
    return tuple(errors)[:_MESSAGES_COUNT], tuple(warnings)[:_MESSAGES_COUNT]
