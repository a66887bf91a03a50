"""What the system tells of processors, memory, network and disks, and of the training's processes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import psutil

Key = tuple[str, str]
"""A name of ``KINDS``, and the interface, disk or GPU, "" for the whole machine."""
Values = dict[Key, float]

CGROUPS: Final = Path("/sys/fs/cgroup")
WALK_S: Final = 5.0
"""The processes of the training are looked for this often; it takes the system a look at all processes."""
MOST_OF_A_KIND: Final = 16
"""Interfaces, and disks, that are watched."""
RANKS: Final = ("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID")
"""Variables of a process that something started as one of several on this host."""
_NAME: Final = re.compile(r"[\w.:@-]{1,32}")
_NOT_OUTSIDE: Final = re.compile(r"(lo|veth|docker|br-|virbr|cali|flannel|cni|tunl|ifb|dummy)")
_UNLIMITED: Final = 1 << 60
"""From here on, a limit of version 1 is none."""


class Source(Protocol):
    """Something that is asked again and again."""

    @property
    def limits(self) -> Values:
        """The most that there can be."""

    def read(self) -> Values:
        """What it is now, or was since the last time. What is counted is left out the first time."""


class Rates:
    """Counters as differences a second since the last time."""

    def __init__(self) -> None:
        self._at_s = time.monotonic()
        self._last: Mapping[Any, float] = {}

    def of(self, counters: Mapping[Any, float]) -> dict[Any, float]:
        """Of each counter that was there the last time; one that began anew counts as still."""
        now_s, last = time.monotonic(), self._last
        took_s, self._at_s, self._last = max(1e-6, now_s - self._at_s), now_s, counters
        return {key: max(0.0, value - last[key]) / took_s for key, value in counters.items() if key in last}


class Training:
    """The processes of the training: one, and all that it started, without this one."""

    def __init__(self, pid: int) -> None:
        self.main = psutil.Process(pid)
        self._root = self.main
        if any(name in os.environ for name in RANKS):  # what started all ranks of this host
            self._root = self.main.parent() or self.main
        self._walked_s = -WALK_S
        self._found: list[psutil.Process] = []

    def processes(self) -> list[psutil.Process]:
        """As of the last walk."""
        if time.monotonic() - self._walked_s >= WALK_S:
            self._walked_s = time.monotonic()
            known = {process: process for process in self._found}
            below = [self._root, *self._root.children(recursive=True)]
            self._found = [known.get(each, each) for each in below if each.pid != os.getpid()]
        return self._found

    def pids(self) -> set[int]:
        """Their numbers."""
        return {process.pid for process in self._found}

    def may_use(self) -> set[int]:
        """Numbers of the processors that any of its threads may use: libraries bind threads one by one."""
        allowed: set[int] = set()
        for process in self._found:
            try:
                for thread in os.listdir(f"/proc/{process.pid}/task"):  # noqa: PTH208 - numbers, not paths
                    allowed |= os.sched_getaffinity(int(thread))
            except (OSError, AttributeError):  # it has ended; a system without either
                continue
        return allowed or set(range(os.cpu_count() or 1))


class Group:
    """The control group of a process: its quota of processors, and its limit of memory, each the lowest one
    from it up to where this system's tree begins."""

    def __init__(self, pid: int, root: Path = CGROUPS, proc: Path = Path("/proc")) -> None:
        self.quota: float | None = None
        self.memory: float | None = None
        self._stat = self._usage = Path(os.devnull)
        lines = (proc / str(pid) / "cgroup").read_text().splitlines()
        named = {line.split(":", 2)[1]: line.split(":", 2)[2] for line in lines if line.count(":") > 1}
        one = (root / "cgroup.controllers").exists()  # version 2
        for controllers, path in named.items():
            for kind in [""] if one and not controllers else controllers.split(","):
                for place in _up(root / kind, path):
                    self._look(kind, place)

    def _look(self, kind: str, place: Path) -> None:
        if kind == "cpuacct" and self._usage == Path(os.devnull):
            self._usage = place / "cpuacct.usage"
        if kind in ("", "memory"):
            most = _number(place / ("memory.limit_in_bytes" if kind else "memory.max"))
            if most is not None and most < _UNLIMITED:
                self.memory = min(most, self.memory or most)
        if kind in ("", "cpu"):
            if kind:
                quota, period = (_number(place / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
            else:
                quota, period = (*map(_as_number, _text(place / "cpu.max").split()), None, None)[:2]
            cores = quota / period if quota and period and quota > 0 else None
            if cores and cores < (self.quota or cores + 1):
                self.quota, self._stat = cores, place / "cpu.stat"

    def counters(self) -> dict[str, float]:
        """Seconds in which processors worked for the group with the quota, and in which it was stopped."""
        stat = dict(line.split() for line in _text(self._stat).splitlines() if line.count(" ") == 1)
        if "throttled_usec" in stat:
            return {"used": int(stat["usage_usec"]) / 1e6, "stopped": int(stat["throttled_usec"]) / 1e6}
        used = _number(self._usage)
        if "throttled_time" not in stat or used is None:
            return {}
        return {"used": used / 1e9, "stopped": int(stat["throttled_time"]) / 1e9}


def _up(root: Path, path: str) -> Iterator[Path]:
    """``path`` below ``root``, and all above it; ``root`` alone if a container hides the path."""
    place = root / path.strip("/")
    yield from (each for each in (place, *place.parents) if each.is_relative_to(root) and each.is_dir())


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _number(path: Path) -> float | None:
    return _as_number(_text(path).strip())


def _as_number(text: str) -> float | None:
    return float(text) if text.lstrip("-").isdecimal() else None


class Processors:
    """Those that the training may use."""

    def __init__(self, training: Training, group: Group | None) -> None:
        self._training, self._group = training, group
        self._allowed: list[int] = []
        self._rates, self._group_rates = Rates(), Rates()
        self.renew()

    @property
    def limits(self) -> Values:
        """How many there are for the training."""
        quota = self._group.quota if self._group else None
        return {("processors.training", ""): min(len(self._allowed), quota or len(self._allowed))}

    def renew(self) -> None:
        """Looks which processors the training may use."""
        self._training.processes()
        self._allowed = sorted(self._training.may_use())

    def read(self) -> Values:
        """Of a quota, the group's part of it is what is busy, if that is more."""
        busy, waits = self._ratios()
        values = {}
        if busy:
            values["busy"], values["busiest"] = sum(busy) / len(busy), max(busy)
            values["iowait"] = sum(waits) / len(waits)
        if self._group and self._group.quota:
            rates = self._group_rates.of(self._group.counters())
            if rates and busy:
                used, stopped = rates["used"], rates["stopped"]
                values["busy"] = min(1.0, max(values["busy"], used / self._group.quota))
                # The system adds up each stopped processor's time: of all time that was wanted, this part.
                values["throttled"] = min(1.0, stopped, stopped / max(1e-9, used + stopped))
        return {(f"processors.{name}", ""): value for name, value in values.items()}

    def _ratios(self) -> tuple[list[float], list[float]]:
        times = psutil.cpu_times(percpu=True)
        counters: dict[tuple[int, str], float] = {}
        for number in self._allowed if self._allowed[-1] < len(times) else range(len(times)):
            one = times[number]
            guests = getattr(one, "guest", 0.0) + getattr(one, "guest_nice", 0.0)  # also in user, nice
            counters[number, "all"] = sum(one) - guests
            counters[number, "idle"] = one.idle
            counters[number, "iowait"] = getattr(one, "iowait", 0.0)
        rates = self._rates.of(counters)
        # Ticks of 10 ms are coarse for short times: what is not idle is a part of what was counted.
        whole = {number: all_s for (number, what), all_s in rates.items() if what == "all" and all_s > 0}
        waits = [min(1.0, rates[number, "iowait"] / all_s) for number, all_s in whole.items()]
        idle = [min(1.0, rates[number, "idle"] / all_s) for number, all_s in whole.items()]
        return [max(0.0, 1 - no - wait) for no, wait in zip(idle, waits, strict=True)], waits


class Processes:
    """The training's own processor time, memory and files."""

    def __init__(self, training: Training, group: Group | None) -> None:
        self._training, self._group, self._rates = training, group, Rates()

    @property
    def limits(self) -> Values:
        """Of memory, if the container has one."""
        most = self._group.memory if self._group else None
        return {("memory.training", ""): most} if most else {}

    def read(self) -> Values:
        """Sums over the processes. Those that began or ended since the last time are not in the rates."""
        counters: dict[tuple[str, Any], float] = {}
        own = shared = 0
        alive = False
        for process in self._training.processes():
            try:
                with process.oneshot():
                    times, memory = process.cpu_times(), process.memory_info()
                    if not memory.rss:  # it has ended, and is not yet waited for
                        continue
                    counters["processors.training", process] = times.user + times.system
                    files = process.io_counters() if hasattr(process, "io_counters") else None
                    if files:
                        counters["training.read", process] = files.read_bytes
                        counters["training.written", process] = files.write_bytes
            except (psutil.Error, OSError):
                continue
            alive = True
            common = getattr(memory, "shared", 0)
            own, shared = own + memory.rss - common, max(shared, common)
        if not alive:
            raise ProcessLookupError
        values: Values = {("memory.training", ""): own + shared, ("memory.shared", ""): shared}
        for (name, _), rate in self._rates.of(counters).items():
            values[name, ""] = values.get((name, ""), 0.0) + rate
        return values


class Memory:
    """Of the whole machine."""

    def __init__(self) -> None:
        self.limits: Values = {}

    def read(self) -> Values:
        """Swap is left out where there is none."""
        memory, swap = psutil.virtual_memory(), psutil.swap_memory()
        values, self.limits = (
            {("memory.available", ""): memory.available},
            {("memory.available", ""): memory.total},
        )
        if swap.total:
            values["memory.swap", ""], self.limits["memory.swap", ""] = swap.used, swap.total
        return values


class Network:
    """Interfaces that lead out of this machine or container."""

    def __init__(self) -> None:
        self._rates = Rates()
        states = psutil.net_if_stats()
        outside = [name for name in states if not _NOT_OUTSIDE.match(name) and states[name].isup]
        self._watched = _first(outside, Path("/sys/class/net"))
        speeds = {name: 125_000.0 * states[name].speed for name in self._watched}  # from Mbit/s
        self.limits: Values = {
            (f"network.{way}", name): speed
            for name, speed in speeds.items()
            if speed
            for way in ("in", "out")
        }

    def read(self) -> Values:
        """In both directions."""
        found = psutil.net_io_counters(pernic=True, nowrap=False)
        counters: Values = {}
        for name in self._watched & found.keys():
            counters["network.in", name] = found[name].bytes_recv
            counters["network.out", name] = found[name].bytes_sent
        return self._rates.of(counters)


class Disks:
    """Disks themselves, without their parts and what lies on them."""

    def __init__(self) -> None:
        self._rates, self.limits = Rates(), Values()
        found = psutil.disk_io_counters(perdisk=True, nowrap=False)
        known = Path("/sys/block")
        self._watched = _first(found, known, only=known.is_dir())
        if not self._watched:
            raise FileNotFoundError("the system shows none")

    def read(self) -> Values:
        """Busy is the time in which a disk had something to do."""
        found = psutil.disk_io_counters(perdisk=True, nowrap=False)
        counters: Values = {}
        for name in self._watched & found.keys():
            counters["disk.read", name] = found[name].read_bytes
            counters["disk.written", name] = found[name].write_bytes
            if hasattr(found[name], "busy_time"):
                counters["disk.busy", name] = found[name].busy_time / 1e3
        rates: Values = self._rates.of(counters)
        return {key: min(1.0, rate) if key[0] == "disk.busy" else rate for key, rate in rates.items()}


def _first(names: Iterable[str], known: Path, only: bool = False) -> set[str]:
    """The first names that belong to a device; without ``only``, all if none does, as in a container."""
    usable = sorted(name for name in names if _NAME.fullmatch(name))
    devices = [name for name in usable if (known / name / "device").exists()]
    return set((devices if devices or only else usable)[:MOST_OF_A_KIND])
