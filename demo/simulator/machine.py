"""What a host does during the whole training, of which a profile holds ten steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Floats
from tfperf_plugin.recording.resources import Resources, Series

ROW_S: Final = 2.0
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
    gpus: int = 1
    #: Processors that the training may use, and how many of them it and others keep busy while steps run.
    processors: int = 16
    training_cores: float = 4.0
    other_cores: float = 0.2


def resources(machine: Machine, host: str, profile_ns: int) -> Resources:
    """What was recorded of ``host``, whose profile began at ``profile_ns`` since the epoch."""
    rows = round(machine.minutes * 60 / ROW_S)
    end_s = ROW_S * np.arange(1, rows + 1, dtype=np.float64)
    runs = _runs(machine, end_s - ROW_S)
    begin_ns = profile_ns - round(machine.recorded_at * machine.minutes * 60e9)
    return Resources(host, begin_ns, np.round(end_s * 1e9).astype(np.int64), tuple(_series(machine, runs)))


def _runs(machine: Machine, at_s: Floats) -> Bools:
    """Whether steps run at each moment."""
    training_s = at_s - machine.starts_s
    stands = (training_s % machine.pause_every_s) >= machine.pause_every_s - machine.pause_s
    return (training_s >= 0) & ~stands


def _series(machine: Machine, runs: Bools) -> Iterator[Series]:
    for gpu in range(machine.gpus):
        yield _around("gpu.busy", np.where(runs, 0.94, 0.0), str(gpu), most=1.0)
        yield _around("gpu.memory", np.where(runs, 30 * GB, 0.5 * GB), str(gpu), limit=40 * GB)
        yield _around("gpu.clock", np.where(runs, 1.41 * GB, 0.21 * GB), str(gpu), limit=1.41 * GB)
        yield _around("gpu.power", np.where(runs, 310.0, 60.0), str(gpu), limit=400.0)
        yield _around("gpu.temperature", np.where(runs, 62.0, 38.0), str(gpu))
    cores = np.where(runs, machine.training_cores, 1.0)
    busy = (cores + machine.other_cores) / machine.processors
    yield _around("processors.busy", np.minimum(busy, 1.0), most=1.0)
    yield _around("processors.training", cores, limit=machine.processors)
    yield _around("memory.training", np.where(runs, 12 * GB, 6 * GB))
    yield _around("memory.available", np.full(len(runs), 200 * GB), limit=256 * GB)
    starting = np.arange(len(runs)) < np.argmax(runs)
    download = machine.downloads_gb * GB / machine.starts_s
    received = np.where(runs, 0.05 * GB, np.where(starting, download, 0.0))
    yield _around("network.in", received, "eth0", limit=3.125 * GB)
    yield _around("network.out", np.full(len(runs), 0.001 * GB), "eth0", limit=3.125 * GB)
    yield _around("disk.read", np.where(runs, 0.1 * GB, 0.0), "nvme0n1")


def _around(
    name: str, mean: Floats, of: str = "", limit: float | None = None, most: float = np.inf
) -> Series:
    """A series that swings a little around ``mean``, the same in each run."""
    at = np.arange(len(mean))
    mean = np.minimum(mean * (1 + 0.01 * np.sin(at * 0.7) + 0.005 * np.sin(at * 2.3)), most)
    return Series(name, mean, 0.98 * mean, np.minimum(1.02 * mean, most), of, limit)
