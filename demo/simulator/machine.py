"""What a host does during the whole training, of which a profile holds ten steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Floats
from tfperf_plugin.recording.resources import Resources, Series

ROW_S: Final = 2.0
MOST_ROWS: Final = 1800
"""Of longer trainings each row lasts longer: the file has a size that may not be exceeded."""
MB: Final = 1e6
GB: Final = 1e9


@dataclass(frozen=True)
class Machine:
    """A host over the whole training. Times are seconds; ``None``: not watched.

    ``recorded_at``: the share of the training after which the profile begins.
    """

    minutes: float = 60.0
    recorded_at: float = 0.5
    #: From the start of the program to its first step.
    starts_s: float = 15.0
    #: What is downloaded until then, in GB.
    downloads_gb: float = 0.0
    #: The training stands for ``pause_s`` in every ``pause_every_s``, as for a checkpoint.
    pause_s: float = 0.0
    pause_every_s: float = 300.0
    #: GB a second that arrive over the network in these pauses.
    pause_network_gbps: float = 0.0
    gpus: int = 1
    #: Share of the time in which a kernel runs on each, while steps run.
    gpu_busy: float = 0.94
    #: Processors that the training may use, and how many of them it and others keep busy while steps run.
    processors: int = 16
    training_cores: float = 4.0
    other_cores: float = 0.2
    #: What the training's memory grows by in each second, in MB, from its first step on.
    leaks_mb_s: float = 0.0
    #: A file grows by so many MB in each second, and every ``uploads_every_s`` all of it is sent.
    writes_mb_s: float = 0.0
    uploads_every_s: float = 300.0
    #: GB a second that the link can carry, if the machine tells it.
    link_gbps: float | None = 3.125
    #: GB a second that steps take over the network and from a disk.
    network_gbps: float = 0.05
    disk_gbps: float = 0.1
    #: Share of the time in which the disk is busy, and in which the container's quota stops the training.
    disk_busy: float = 0.05
    throttled: float | None = None
    #: These GPUs are too hot for ``hot_ratio`` of the time, and run at ``hot_clock`` of their clock then.
    hot_gpus: tuple[int, ...] = ()
    hot_ratio: float = 0.75
    hot_clock: float = 0.75
    #: Another process computes on GPU 0 for the first ``shared_s`` of every ``shared_every_s``.
    shared_s: float = 0.0
    shared_every_s: float = 600.0


def resources(machine: Machine, host: str, profile_ns: int) -> Resources:
    """What was recorded of ``host``, whose profile began at ``profile_ns`` since the epoch."""
    row_s = max(ROW_S, machine.minutes * 60 / MOST_ROWS)
    rows = round(machine.minutes * 60 / row_s)
    end_s = row_s * np.arange(1, rows + 1, dtype=np.float64)
    runs = _runs(machine, end_s - row_s)
    begin_ns = profile_ns - round(machine.recorded_at * machine.minutes * 60e9)
    return Resources(
        host, begin_ns, np.round(end_s * 1e9).astype(np.int64), tuple(_series(machine, runs, end_s))
    )


def _runs(machine: Machine, at_s: Floats) -> Bools:
    """Whether steps run at each moment."""
    training_s = at_s - machine.starts_s
    stands = (training_s % machine.pause_every_s) >= machine.pause_every_s - machine.pause_s
    return (training_s >= 0) & ~stands


def _series(machine: Machine, runs: Bools, end_s: Floats) -> Iterator[Series]:
    training_s = np.maximum(0.0, end_s - machine.starts_s)
    shared = (training_s > 0) & (training_s % machine.shared_every_s < machine.shared_s)
    for gpu in range(machine.gpus):
        # Fans and clocks swing: too hot and cool again within four minutes.
        hot = runs & (training_s % 240 < 240 * machine.hot_ratio) & (gpu in machine.hot_gpus)
        clock = np.where(runs, 1.41 * GB, 0.21 * GB) * np.where(hot, machine.hot_clock, 1.0)
        other = shared & (gpu == 0)
        yield _around("gpu.busy", np.where(runs, machine.gpu_busy, 0.0), str(gpu), most=1.0)
        memory = np.where(training_s > 0, 30 * GB, 0.5 * GB) + np.where(other, 6 * GB, 0.0)
        yield _around("gpu.memory", memory, str(gpu), limit=40 * GB)
        yield _around("gpu.clock", clock, str(gpu), limit=1.41 * GB, most=1.41 * GB)
        yield _around("gpu.power", np.where(runs, 310.0, 60.0), str(gpu), limit=400.0)
        yield _around("gpu.temperature", np.where(runs, np.where(hot, 92.0, 62.0), 38.0), str(gpu))
        for reason in ("heat", "power", "brake"):
            slowed = hot if reason == "heat" else np.zeros(len(runs))
            yield _exact("gpu.slowed_by_" + reason, slowed, str(gpu))
        yield _exact("gpu.others", other, str(gpu))
    cores = np.where(runs, machine.training_cores, 1.0)
    busy = (cores + machine.other_cores) / machine.processors
    yield _around("processors.busy", np.minimum(busy, 1.0), most=1.0)
    yield _around("processors.training", cores, limit=machine.processors)
    if machine.throttled is not None:
        yield _around("processors.throttled", np.where(runs, machine.throttled, 0.0), most=1.0)
    leaked = machine.leaks_mb_s * MB * training_s
    yield _around("memory.training", np.where(runs, 12 * GB, 6 * GB) + leaked)
    yield _exact("memory.shared", np.full(len(runs), 2 * GB))
    yield _around("memory.available", 200 * GB - leaked, limit=256 * GB)
    starting = np.arange(len(runs)) < np.argmax(runs)
    fetched = np.where(starting, machine.downloads_gb / machine.starts_s, machine.pause_network_gbps)
    link = machine.link_gbps and machine.link_gbps * GB
    received = np.where(runs, machine.network_gbps, fetched) * GB
    yield _around("network.in", received, "eth0", limit=link)
    sent = 0.001 * GB + _uploaded(machine, end_s) / end_s[0]
    yield _around("network.out", sent, "eth0", limit=link)
    yield _around("disk.read", np.where(runs, machine.disk_gbps * GB, 0.0), "nvme0n1")
    yield _around("disk.written", np.full(len(runs), 0.001 * GB), "nvme0n1")
    yield _around("disk.busy", np.where(runs, machine.disk_busy, 0.0), "nvme0n1", most=1.0)


def _uploaded(machine: Machine, end_s: Floats) -> Floats:
    """Bytes of the growing file that are sent in each row: as fast as the link allows."""
    sent = np.zeros(len(end_s))
    every_s, link = machine.uploads_every_s, (machine.link_gbps or 1) * GB
    for begin_s in np.arange(machine.starts_s + every_s, end_s[-1], every_s) if machine.writes_mb_s else ():
        size = machine.writes_mb_s * MB * (begin_s - machine.starts_s)
        passed_s = np.clip(end_s - begin_s, 0.0, size / link)
        sent += np.diff(passed_s, prepend=0.0) * link
    return sent


def _exact(name: str, mean: Floats | Bools, of: str = "") -> Series:
    """A series that does not change within a row."""
    numbers = np.asarray(mean, np.float64)
    return Series(name, numbers, numbers.copy(), numbers.copy(), of)


def _around(
    name: str, mean: Floats, of: str = "", limit: float | None = None, most: float = np.inf
) -> Series:
    """A series that swings a little around ``mean``, the same in each run."""
    at = np.arange(len(mean))
    mean = np.minimum(mean * (1 + 0.01 * np.sin(at * 0.7) + 0.005 * np.sin(at * 2.3)), most)
    return Series(name, mean, 0.98 * mean, np.minimum(1.02 * mean, most), of, limit)
