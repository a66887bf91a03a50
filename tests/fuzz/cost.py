"""What a file costs: processor time and memory are as much a property as the answer is.

A small input is grown, by repeating a part of it, to a size at which its cost shows.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from etils import epath

from tests.fuzz.guided import Watch, unwatched
from tests.fuzz.mutate import grown, grown_event_file, grown_resources
from tests.fuzz.oracles import judged_resources
from tests.pace import calm_s
from tfperf_plugin.analysis.pace import Written, training_pace
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.scalars import MOST_BYTES, read_scalars
from tfperf_plugin.recording.resources import MAX_BYTES
from tfperf_plugin.report.options import Options

GROWN_BYTES: Final = 250_000
MOST_S: Final = 3 * GROWN_BYTES / 1e6
"""What SECURITY.md promises for a megabyte; beside other work a processor needs up to twice as long."""
MOST_MORE_BYTES: Final = 100e6
"""Of the 200 MB that it promises for a process, what the program itself does not take."""
MOST_SMALL_S: Final = 2.0
"""What SECURITY.md promises for all event files of a run, and for what a machine did."""
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Costly(AssertionError):
    """A file, ``data``, costs more than files may."""

    def __init__(self, said: str, data: bytes) -> None:
        super().__init__(f"{said} for {len(data):,} bytes")
        self.data = data


Grow = Callable[[bytes, int, Random], bytes]


def check_cost(data: bytes, watch: Watch = unwatched, grow: Grow = grown) -> None:
    """Raises Costly if this file costs too much, or a larger one that is made of it."""
    watch(lambda: answer(data))
    big = data if len(data) > GROWN_BYTES // 2 else grow(data, GROWN_BYTES, Random(zlib.crc32(data)))
    took_s, more_bytes = cost(big)
    if took_s > 2 * MOST_S and (took_s := calm_s(lambda: answer(big), 2)) > 2 * MOST_S:
        raise Costly(f"{took_s:.1f} s", big)
    if more_bytes > MOST_MORE_BYTES:
        raise Costly(f"{more_bytes / 1e6:.0f} MB", big)


def cost(data: bytes) -> tuple[float, int]:
    """Processor time in s and the most bytes that a report of this file takes beside what was taken before; 0
    bytes where the system does not say."""
    if CLEAR.exists():
        CLEAR.write_text("5")  # the peak begins anew
    before, began = _memory("VmRSS"), time.process_time()
    answer(data)
    return time.process_time() - began, _memory("VmHWM") - before


def answer(data: bytes) -> None:
    """Makes the report of a file, if it can be judged."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plugins" / "profile" / "run"
        path.mkdir(parents=True)
        (path / "host.xplane.pb").write_bytes(data)
        (run,) = find_runs(folder)
        with suppress(UnreadableInput, NotJudgeable):
            analyze_run(run, Options())


def check_scalars_cost(data: bytes, watch: Watch = unwatched) -> None:
    """Raises Costly if reading this event file, or a larger one that is made of it, costs too much."""
    big = grown_event_file(data, 2 * MOST_BYTES, Random(zlib.crc32(data)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1.host"
        path.write_bytes(big)

        def read() -> None:
            training_pace(Written(read_scalars((epath.Path(path),))), True)

        watch(read)
        _bounded(read, big)


def check_resources_cost(data: bytes, watch: Watch = unwatched) -> None:
    """Raises Costly if what a machine did, or the largest file that is made of it, costs too much to judge."""
    big = grown_resources(data, MAX_BYTES, Random(zlib.crc32(data)))
    watch(lambda: judged_resources(data))
    _bounded(lambda: judged_resources(big), big)


def _bounded(work: Callable[[], object], data: bytes) -> None:
    """Raises Costly if ``work`` takes more than a small file beside a run may."""
    if CLEAR.exists():
        CLEAR.write_text("5")
    before = _memory("VmRSS")
    took_s = calm_s(work, 1)
    if took_s > MOST_SMALL_S and (took_s := calm_s(work, 2)) > MOST_SMALL_S:
        raise Costly(f"{took_s:.1f} s", data)
    if (more_bytes := _memory("VmHWM") - before) > MOST_MORE_BYTES:
        raise Costly(f"{more_bytes / 1e6:.0f} MB", data)


def _memory(name: str) -> int:
    if not CLEAR.exists():
        return 0
    found = next(line for line in STATUS.read_text().splitlines() if line.startswith(name + ":"))
    return int(found.split()[1]) << 10
