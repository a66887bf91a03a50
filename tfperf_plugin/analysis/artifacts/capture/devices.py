"""The visible GPUs: their models and figures, and how much they worked."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import Bools, Ints, clip
from tfperf_plugin.hardware import peaks
from tfperf_plugin.hardware.models import (
    INFERRED,
    OR_NEWER,
    architecture,
    inferred_name,
    models,
    sheet,
)
from tfperf_plugin.hardware.speeds import Speeds, speeds
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role

# Threads that launch for one GPU each: of JAX, which uses them only for programs on several GPUs, and of
# TensorFlow, which has several for a GPU.
_EXECUTING = re.compile(r"^(py_xla_execute/.*|tf_gpu_private_\d{1,4}(?=/|$))")
# A GPU without kernels is at work if its memory is freed at least this often, not counting frees after
# copies, relative to the GPU with kernels that frees least often.
AT_WORK_RATIO = 0.5

_COPIES = (Role.H2D, Role.D2H, Role.D2D)

Unseen = Literal["", "unrecorded", "starting"]
"""Why a GPU without kernels may be in use."""

# No finite figure of a GPU is larger.
_MOST = 1 << 63


class DeviceInfo(Record, frozen=True):
    """One visible GPU."""

    host: str
    device: str
    name: str  #: Name as recorded, else the models that have the recorded figures, marked as inferred.
    vendor: str
    compute_capability: tuple[int, int] | None
    #: Without recorded capability: the least that runs kernels with such names (newer GPUs run them, too).
    least_capability: tuple[int, int] | None
    architecture: str | None  #: AMD's name of the architecture, where its peaks are known.
    memory_bytes: int | None
    memory_bandwidth: int | None  #: Bytes a second.
    clock_khz: int | None
    multiprocessors_count: int | None
    participates: bool
    kernels_count: int = 0
    events_count: int = 0
    #: Whether copies tell which memory of the host they use, and all use pinned memory.
    pinned: bool = False
    busy_ratio: float = 0.0  #: Share of the judged time, else of the recording, in which any work runs on it.
    #: For a GPU without kernels: whether the host works for it nevertheless (``unrecorded``), or whether it
    #: is just starting when the recording ends (``starting``).
    unseen: Unseen = ""
    #: Time from the first event of the host to the GPU's first kernel, else to the host's first activity for
    #: the GPU; −1 if there is none.
    begin_ns: int = -1

    @property
    def peaks(self) -> peaks.Peaks | None:
        """Peak rates, if the GPU is known to have Tensor Cores, or AMD's matrix cores."""
        if self.architecture:
            return peaks.amd_peaks(self.architecture)
        if self.least_capability:
            return peaks.least_peaks(self.least_capability)
        return self.compute_capability and peaks.peaks(self.compute_capability, self.name)

    @property
    def speeds(self) -> Speeds | None:
        """The rates at which the GPU computes and moves bytes, ``None`` where the figures are missing."""
        return speeds(
            self.name,
            self.peaks,
            self.compute_capability,
            self.multiprocessors_count,
            self.clock_khz,
            self.memory_bandwidth,
        )

    @property
    def matrix_units(self) -> str:
        """The maker's name of the units that multiply matrices in 16 bit."""
        return "matrix cores" if self.architecture else "Tensor Cores"

    @property
    def rates_source(self) -> str:
        """The source of the GPU's peak rates."""
        if self.architecture:
            return f"AMD's data sheets, {self.architecture}"
        return "the slowest GPU with such kernels" if self.least_capability else "compute capability"

    @property
    def has_bfloat16(self) -> bool:
        """Whether the GPU is known to multiply bfloat16 as fast as float16."""
        return bool(self.architecture) or self.known_capability >= peaks.BFLOAT16_FROM

    @property
    def known_capability(self) -> tuple[int, int]:
        """The compute capability that the GPU has at least; (0, 0) if none is known."""
        return self.compute_capability or self.least_capability or (0, 0)

    def tflops(self, per_clock: int) -> str:
        """A rate per multiprocessor and clock in words, with the recorded multiprocessors and clock."""
        short, unit = ("CU", "compute units") if self.architecture else ("SM", "SMs")
        if not self.clock_khz or not self.multiprocessors_count:
            return f"{per_clock} operations per {short} and clock"
        total = per_clock * self.multiprocessors_count * self.clock_khz / 1e9
        return (
            f"{total:.1f} TFLOP/s: {per_clock} operations per {short} and clock × "
            f"{self.multiprocessors_count} {unit} × {self.clock_khz / 1e6:.2f} GHz"
        )


class Devices(Record, frozen=True):
    """All visible GPUs of the run."""

    all: tuple[DeviceInfo, ...]
    private_threads: dict[str, bool]  #: Host → whether each of its GPUs has launch threads of its own.
    #: Kinds of accelerators beside the GPUs, which are not judged, such as "TPU".
    accelerators: frozenset[str] = frozenset()
    #: Host → number of GPUs that threads launch for, as far as the threads' names show.
    executing_count: dict[str, int] = field(default_factory=dict)

    def unseen(self, why: Unseen) -> tuple[DeviceInfo, ...]:
        """GPUs without kernels that may be in use for the reason ``why``."""
        return tuple(d for d in self.all if d.unseen == why)

    @property
    def silent_hosts(self) -> tuple[str, ...]:
        """Hosts with GPUs of which none ran a kernel: not recorded, or not used."""
        loud = {d.host for d in self.all if d.participates}
        return tuple(dict.fromkeys(d.host for d in self.all if d.host not in loud))

    @property
    def unrecorded(self) -> tuple[DeviceInfo, ...]:
        """GPUs without kernels that may have run some: the host is silent, works for them or starts them."""
        hosts = {*self.silent_hosts, *(d.host for d in self.unseen("starting"))}
        return tuple(d for d in self.all if not d.participates and (d.unseen or d.host in hosts))

    @property
    def participating(self) -> tuple[DeviceInfo, ...]:
        """GPUs that ran kernels."""
        return tuple(d for d in self.all if d.participates)


def part(view: View) -> Devices:
    """The GPUs of one host."""
    host, judged = view.trace, view.steps.judged
    begin, end = _judged_range(host, view.steps.begin_ns[judged], view.steps.end_ns[judged])
    private = any(t.startswith("tf_gpu_private_") for t in host.events.threads)
    executing = _executing_count(host)
    unseen, first = _unseen(host, view.steps, executing), _first_ns(host)
    gpus = tuple(
        _device(host, device, begin, end, why, at)
        for device, why, at in zip(host.devices, unseen, first, strict=True)
    )
    return Devices(gpus, {host.host: private}, host.accelerators, {host.host: executing})


def _judged_range(host: HostTrace, begin: Ints, end: Ints) -> tuple[int, int]:
    if len(begin):
        return int(begin.min()), int(end.max())
    tables: tuple[HostEvents | DeviceTrace, ...] = (host.events, *host.devices)
    starts = [table.start_ns.min() for table in tables if len(table.start_ns)]
    ends = [table.end_ns.max() for table in tables if len(table.end_ns)]
    return (int(min(starts)), int(max(ends))) if starts else (0, 0)


def _executing_count(host: HostTrace) -> int:
    """The number of GPUs that threads of their own launch for."""
    events = host.events
    codes = unique(events.thread[among(events.role, HostRole.OTHER, HostRole.LAUNCH, HostRole.EXECUTOR)])
    names = (_EXECUTING.match(events.threads[code]) for code in codes.tolist())
    return len({name[0] for name in names if name})


def _memory(host: HostTrace, device: DeviceTrace) -> Bools:
    """Whether each allocator event concerns this GPU's memory."""
    wanted = [i for i, n in enumerate(host.memory.allocators) if n.startswith(f"GPU_{device.ordinal}_")]
    return among(host.memory.allocator, *wanted)


def _unseen(host: HostTrace, steps: HostSteps, executing: int) -> list[Unseen]:
    """For each GPU the reason why it may have no kernels although it is used."""
    working = [d for d in host.devices if d.participates]
    if not working:
        return [""] * len(host.devices)
    freed = [
        int((_memory(host, d) & ~host.memory.is_allocation).sum()) - int(among(d.role, *_COPIES).sum())
        for d in host.devices
    ]
    least = min(n for d, n in zip(host.devices, freed, strict=True) if d.participates)
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in working)
    only_part = steps.partial and len(steps) == 1
    found: list[Unseen] = []
    for device, number, first in zip(host.devices, freed, _first_ns(host), strict=True):
        if device.participates:
            found.append("")
        elif only_part and first >= 0 and first + _begin_ns(host) >= last:
            found.append("starting")
        elif executing > len(working) or number >= AT_WORK_RATIO * least > 0:
            found.append("unrecorded")
        else:
            found.append("")
    return found


def _begin_ns(host: HostTrace) -> int:
    return int(host.events.start_ns.min()) if len(host.events.start_ns) else 0


def _first_ns(host: HostTrace) -> list[int]:
    """``DeviceInfo.begin_ns`` of each GPU."""
    found = []
    for device in host.devices:
        work = device.start_ns[device.is_kernel() if device.participates else device.role != Role.NO_WORK]
        if not len(work):
            work = host.memory.time_ns[_memory(host, device)]
        found.append(int(work.min()) - _begin_ns(host) if len(work) else -1)
    return found


def _device(
    host: HostTrace, device: DeviceTrace, begin: int, end: int, unseen: Unseen, first: int
) -> DeviceInfo:
    work = device.role != Role.NO_WORK
    busy = clip(device.spans(work), begin, end)
    return replace(
        figures(device),
        host=host.host,
        kernels_count=int(device.is_kernel().sum()),
        events_count=int(work.sum()),
        pinned=bool((device.copy_pageable == 0).any() and not (device.copy_pageable == 1).any()),
        busy_ratio=busy.total_ns / (end - begin) if end > begin else 0.0,
        unseen=unseen,
        begin_ns=first,
    )


@memoized
def figures(device: DeviceTrace) -> DeviceInfo:
    """The figures of a GPU itself, without host and work."""
    clock, units = _positive(device, "clock_rate"), _positive(device, "core_count")
    bandwidth, version = _positive(device, "memory_bandwidth"), device.recorded_version
    alike = models(device.vendor, version, units, device.memory_bytes, bandwidth, clock)
    name = device.name_text or inferred_name(alike)
    if device.name_text and not (clock and bandwidth) and (stated := sheet(name, version, units)):
        bandwidth, clock = bandwidth or stated[0], clock or stated[1]
    told = None if version or name or device.vendor != "NVIDIA" else architecture(device.names)
    amd = peaks.amd_architecture(name, version, units) if device.vendor == "AMD" else None
    return DeviceInfo(
        host="",
        device=device.device,
        name=name or (f"{told[1]}{OR_NEWER}{INFERRED}" if told else ""),
        vendor=device.vendor,
        compute_capability=device.compute_capability,
        least_capability=told and told[0],
        architecture=amd,
        memory_bytes=device.memory_bytes,
        memory_bandwidth=bandwidth and peaks.memory_rate(bandwidth, amd),
        clock_khz=clock,
        multiprocessors_count=units,
        participates=device.participates,
    )


def _positive(device: DeviceTrace, stat: str) -> int | None:
    value = device.stats.get(stat)
    return int(value) if isinstance(value, int | float) and 0 < value < _MOST else None
