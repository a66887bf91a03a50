"""The visible GPUs: what they are, and how much they worked."""

from __future__ import annotations

import re

from tfperf_plugin.artifacts.by_host import View
from tfperf_plugin.guide.hardware import Peaks, peaks
from tfperf_plugin.records import dataclass
from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.intervals import Ints, clip
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role

# NVIDIA GPUs have Tensor Cores from compute capability 7.0 (Volta) on.
TENSOR_CORES_FROM = (7, 0)
# … but for the cheaper half of the Turing cards, which share the capability 7.5 with those that have them.
_WITHOUT_TENSOR_CORES = re.compile(r"GTX 16\d\d|\bT(400|600|1000|1200)\b|MX4\d0")

# No figure of a GPU is larger, infinite ones least of all.
_MOST = 1 << 63


@dataclass(frozen=True)
class DeviceInfo:
    """One visible GPU. ``busy_ratio``: share of the judged time (else of the recording) with work on it."""

    host: str
    device: str
    name: str
    vendor: str
    compute_capability: tuple[int, int] | None
    memory_bytes: int | None
    memory_bandwidth: int | None
    clock_khz: int | None
    multiprocessors_count: int | None
    kernels_count: int
    events_count: int
    participates: bool
    busy_ratio: float

    @property
    def peaks(self) -> Peaks | None:
        """Peak rates, if the GPU is one of NVIDIA's with Tensor Cores."""
        return peaks(self.compute_capability) if self.compute_capability and self.has_tensor_cores else None

    def tflops(self, per_clock: int) -> str:
        """A rate per SM and clock in words, with the clock and the SMs that the profile states."""
        if not self.clock_khz or not self.multiprocessors_count:
            return f"{per_clock} operations per SM and clock"
        total = per_clock * self.multiprocessors_count * self.clock_khz / 1e9
        return (
            f"{total:.1f} TFLOP/s: {per_clock} operations per SM and clock × "
            f"{self.multiprocessors_count} SMs × {self.clock_khz / 1e6:.2f} GHz"
        )

    @property
    def has_tensor_cores(self) -> bool | None:
        """Whether the GPU has Tensor Cores; ``None`` where the profile does not say."""
        if self.compute_capability is None:
            return None
        return self.compute_capability >= TENSOR_CORES_FROM and not _WITHOUT_TENSOR_CORES.search(self.name)


@dataclass(frozen=True)
class Devices:
    """All visible GPUs; ``private_threads``: per host whether each GPU has launch threads of its own;
    ``tpus_count``: TPUs beside them, which are not judged."""

    all: tuple[DeviceInfo, ...]
    private_threads: dict[str, bool]
    tpus_count: int = 0

    @property
    def silent_hosts(self) -> tuple[str, ...]:
        """Hosts with GPUs of which none ran a kernel: not recorded, or not used."""
        hosts = dict.fromkeys(d.host for d in self.all)
        return tuple(h for h in hosts if not any(d.participates for d in self.all if d.host == h))

    @property
    def participating(self) -> tuple[DeviceInfo, ...]:
        """GPUs that ran kernels."""
        return tuple(d for d in self.all if d.participates)


def part(view: View) -> Devices:
    """The GPUs of one host."""
    host, judged = view.trace, view.steps.judged
    begin, end = _judged_range(host, view.steps.begin_ns[judged], view.steps.end_ns[judged])
    private = any(t.startswith("tf_gpu_private_") for t in host.events.threads)
    gpus = tuple(_device(host, device, begin, end) for device in host.devices)
    return Devices(gpus, {host.host: private}, host.tpus_count)


def finish(found: Devices, _: Steps) -> Devices:
    """Those of all hosts."""
    return found


def _judged_range(host: HostTrace, begin: Ints, end: Ints) -> tuple[int, int]:
    if len(begin):
        return int(begin.min()), int(end.max())
    starts = [d.start_ns.min() for d in host.devices if len(d.start_ns)]
    ends = [d.end_ns.max() for d in host.devices if len(d.end_ns)]
    return (int(min(starts)), int(max(ends))) if starts else (0, 0)


def _device(host: HostTrace, device: DeviceTrace, begin: int, end: int) -> DeviceInfo:
    busy = clip(
        device.busy(Role.KERNEL, Role.COLLECTIVE, Role.H2D, Role.D2H, Role.D2D, Role.MEMSET), begin, end
    )
    work = device.role != Role.NO_WORK
    return DeviceInfo(
        host=host.host,
        device=device.device,
        name=device.name_text,
        vendor=device.vendor,
        compute_capability=device.compute_capability,
        memory_bytes=device.memory_bytes,
        memory_bandwidth=_positive(device, "memory_bandwidth"),
        clock_khz=_positive(device, "clock_rate"),
        multiprocessors_count=_positive(device, "core_count"),
        kernels_count=int(device.is_kernel().sum()),
        events_count=int(work.sum()),
        participates=device.participates,
        busy_ratio=busy.total_ns / (end - begin) if end > begin else 0.0,
    )


def _positive(device: DeviceTrace, stat: str) -> int | None:
    value = device.stats.get(stat)
    return int(value) if isinstance(value, int | float) and 0 < value < _MOST else None
