"""The visible GPUs: what they are, and how much they worked."""

from __future__ import annotations

from tfperf_plugin.artifacts.by_host import View
from tfperf_plugin.guide import hardware
from tfperf_plugin.guide.models import certain, inferred_name, models
from tfperf_plugin.records import dataclass
from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.intervals import Ints, clip
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role

# No figure of a GPU is larger, infinite ones least of all.
_MOST = 1 << 63


@dataclass(frozen=True)
class DeviceInfo:
    """One visible GPU. ``busy_ratio``: share of the judged time (else of the recording) with work on it.

    ``name``: as recorded, else the models that have the recorded figures, marked as inferred.
    ``architecture``: AMD's name of it where its peaks are known. ``memory_bandwidth``: bytes a second.
    """

    host: str
    device: str
    name: str
    vendor: str
    compute_capability: tuple[int, int] | None
    architecture: str | None
    memory_bytes: int | None
    memory_bandwidth: int | None
    clock_khz: int | None
    multiprocessors_count: int | None
    kernels_count: int
    events_count: int
    participates: bool
    busy_ratio: float

    @property
    def model(self) -> str:
        """The name of the model, recorded or inferred; "" where it is not known which one it is."""
        return certain(self.name)

    @property
    def peaks(self) -> hardware.Peaks | None:
        """Peak rates, if the GPU is known to have Tensor Cores, or AMD's matrix cores."""
        if self.architecture:
            return hardware.amd_peaks(self.architecture)
        return self.compute_capability and hardware.peaks(self.compute_capability, self.name)

    @property
    def matrix_units(self) -> str:
        """What its maker calls the units that multiply matrices in 16 bit."""
        return "matrix cores" if self.architecture else "Tensor Cores"

    @property
    def rates_source(self) -> str:
        """Where its peak rates come from."""
        return f"AMD's data sheets, {self.architecture}" if self.architecture else "compute capability"

    @property
    def has_bfloat16(self) -> bool:
        """Whether it is known to multiply bfloat16 as fast as float16."""
        return bool(self.architecture) or (self.compute_capability or (0, 0)) >= hardware.BFLOAT16_FROM

    def tflops(self, per_clock: int) -> str:
        """A rate per multiprocessor and clock in words, with what the profile states of both."""
        short, unit = ("CU", "compute units") if self.architecture else ("SM", "SMs")
        if not self.clock_khz or not self.multiprocessors_count:
            return f"{per_clock} operations per {short} and clock"
        total = per_clock * self.multiprocessors_count * self.clock_khz / 1e9
        return (
            f"{total:.1f} TFLOP/s: {per_clock} operations per {short} and clock × "
            f"{self.multiprocessors_count} {unit} × {self.clock_khz / 1e6:.2f} GHz"
        )


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
    clock, units = _positive(device, "clock_rate"), _positive(device, "core_count")
    bandwidth, version = _positive(device, "memory_bandwidth"), device.recorded_version
    alike = models(device.vendor, version, units, device.memory_bytes, bandwidth, clock)
    name = device.name_text or inferred_name(alike)
    amd = hardware.amd_architecture(name, version, units) if device.vendor == "AMD" else None
    return DeviceInfo(
        host=host.host,
        device=device.device,
        name=name,
        vendor=device.vendor,
        compute_capability=device.compute_capability,
        architecture=amd,
        memory_bytes=device.memory_bytes,
        memory_bandwidth=bandwidth and hardware.memory_rate(bandwidth, amd),
        clock_khz=clock,
        multiprocessors_count=units,
        kernels_count=int(device.is_kernel().sum()),
        events_count=int(work.sum()),
        participates=device.participates,
        busy_ratio=busy.total_ns / (end - begin) if end > begin else 0.0,
    )


def _positive(device: DeviceTrace, stat: str) -> int | None:
    value = device.stats.get(stat)
    return int(value) if isinstance(value, int | float) and 0 < value < _MOST else None
