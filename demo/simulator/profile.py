"""Writes what a host recorded as the profiler of its TensorFlow generation would spell it.

``old`` (TensorFlow 2.3 to about 2.12): launches named after their kernel, op names in ``annotation``
and ``level 0``, groups and derived lines stored in the file. ``keras3`` and ``trace`` (today): launches
named after the driver's call, ``tf_op``, no groups, a plane with the wall clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from demo.hlo_writer import Exchange, Fused, Multiplied, MultipliedKind, hlo_proto
from demo.simulator.captured import LINE_BEGIN_NS, Recorded, Window, captured
from demo.simulator.collectives import GRADIENT_BYTES, kernel_name
from demo.simulator.record import DeviceEvent, DeviceWork, HostEvent, LaunchEvent, StatValue, Thread
from demo.simulator.training import Training
from demo.simulator.work import THREADS, Kind
from demo.xspace_writer import LineBuilder, PlaneBuilder, Ref, SpaceBuilder

STREAMS = {"compute": (13, "Compute"), "h2d": (14, "MemcpyH2D"), "d2h": (15, "MemcpyD2H"),
           "side": (16, "Compute"), "nccl": (17, "Compute"), "p2p": (18, "MemcpyP2P"),
           "layers": (19, "Compute")}  # fmt: skip
STREAMS_PER_GPU = 8
DRIVER_CALLS = {"h2d": "cuMemcpyHtoDAsync_v2", "d2h": "cuMemcpyDtoHAsync_v2", "p2p": "cuMemcpyPeerAsync",
                "nccl": "cuLaunchKernelEx", "layers": "cuLaunchKernelEx"}  # fmt: skip
# What old profilers do not say of iterators.
NEW_STATS = {"name", "element_size", "passed", "filtered"}
STEPS_LINE_ID = -559038737
SCOPE_LINE_ID = -559038735
OPS_LINE_ID = -559038734
PAGES, PAGES_LINE_ID = "UM_BYTES_TRANSFER_HTOD", 0x10000001
PRIVILEGES_ERROR = "CUPTI failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"

_ELEMENTS = {"fp32": "f32", "tf32": "f32", "fp16": "f16", "bf16": "bf16"}
_PRODUCT_KINDS: Mapping[Kind, MultipliedKind] = {"forward": "nn", "of input": "nt", "of weights": "tn"}
_CONVOLUTION_KINDS: Mapping[Kind, MultipliedKind] = {
    "forward": "fprop",
    "of input": "dgrad",
    "of weights": "wgrad",
}

Stats = dict[str, StatValue | Ref]


def encode(host: Recorded, training: Training, window: Window, wall_clock_ns: int) -> bytes:
    """The host's profile as an XSpace; its time 0 was at ``wall_clock_ns``, as far as the host knows."""
    return _Encoder(host, training, window, wall_clock_ns).encode()


class _Encoder:
    def __init__(self, host: Recorded, training: Training, window: Window, wall_clock_ns: int) -> None:
        self.host = host
        self.wall_clock_ns = wall_clock_ns
        self.training = training
        self.window = window
        self.old = training.generation == "old"
        self.space = SpaceBuilder(host.name)
        self.captured = captured(host, training, window)
        self.first_step = training.lead_steps

    def encode(self) -> bytes:
        found = self.captured
        # TensorFlow leaves out what does not lie in the recording.
        device = [event for event in found.device if self.window.profile_ns(event.start_ns)]
        if found.dropped:
            self.space.warning(
                f"Detected GPU events dropped on {self.host.name}: Profiler has collected "
                f"{len(found.launches)} driver events and {len(device)} device events. {found.dropped} "
                "events dropped because total device(activity) events reaches max."
            )
        if not self.training.collector.device_events:
            self.space.error(PRIVILEGES_ERROR)
        for text in self.training.collector.warnings:
            self.space.warning(text)
        self._host_plane()
        seen = self.training.visible_gpus
        for gpu in range(self.training.gpus if seen is None else seen):
            self._gpu_plane(gpu, [event for event in device if event.work.gpu == gpu])
        self._programs(device)
        if not self.old:
            stop_ns = self.wall_clock_ns + self.window.last_ns
            times = {"profile_start_time": self.wall_clock_ns, "profile_stop_time": stop_ns}
            self.space.plane("Task Environment", stats=times)
        return self.space.to_bytes()

    # The host.

    def _host_plane(self) -> None:
        plane = self.space.plane("/host:CPU")
        rows: dict[Thread, list[tuple[int, int, str, Stats]]] = {}
        for event in self.captured.host:
            rows.setdefault(event.thread, []).append(self._host_row(event))
        for launch in self.captured.launches:
            rows.setdefault(launch.thread, []).append(self._launch_row(launch))
        if self.captured.marks:
            rows.setdefault(Thread("python"), []).extend(self._marker_rows())
        for thread in sorted(rows, key=lambda thread: (thread.pool, thread.serial)):
            line_id, name = self._thread_name(thread)
            line = plane.line(line_id, name, LINE_BEGIN_NS)
            self._write(line, rows[thread])

    def _thread_name(self, thread: Thread) -> tuple[int, str]:
        bits = Random(f"{self.host.name}/{thread.pool}/{thread.serial}").getrandbits(31 if self.old else 62)
        if thread.pool == "python":
            return bits, "python3" if self.old else "python"
        return bits, f"{thread.pool}/{bits}"

    def _host_row(self, event: HostEvent) -> tuple[int, int, str, Stats]:
        stats = {k: v for k, v in event.stats.items() if not (self.old and k in NEW_STATS)}
        return event.start_ns, event.end_ns, event.name, self._grouped(event.step, _referred(stats))

    def _launch_row(self, launch: LaunchEvent) -> tuple[int, int, str, Stats]:
        work = launch.work
        stats: Stats = {"correlation_id": launch.correlation, "context_id": f"$${work.gpu + 1}"}
        if work.copy:
            stats["memcpy_details"] = Ref(self._copy_details(work))
        if self.old:
            name = self._kernel_name(work)
        else:
            stats["device_id"] = work.gpu
            name = DRIVER_CALLS.get(work.stream, "cuLaunchKernel")
        return launch.start_ns, launch.end_ns, name, self._grouped(work.step, stats)

    def _marker_rows(self) -> Iterable[tuple[int, int, str, Stats]]:
        for step, begin_ns, end_ns in self.captured.marks:
            if self.training.generation == "keras3":
                yield begin_ns, end_ns, "Profiled batch", {"step_num": step}
            else:
                yield begin_ns, end_ns, "train", self._grouped(step, {"step_num": step, "_r": 1})

    def _grouped(self, step: int, stats: Stats) -> Stats:
        """Old profilers stored the group that they gave to every event."""
        return (
            {**stats, "group_id": step - self.first_step} if self.old and step >= self.first_step else stats
        )

    def _write(self, line: LineBuilder, rows: list[tuple[int, int, str, Stats]]) -> None:
        for start_ns, end_ns, name, stats in sorted(rows, key=lambda row: (row[0], -row[1])):
            line.event(name, self.window.profile_ns(start_ns), end_ns - start_ns, stats)

    # The GPUs.

    def _gpu_plane(self, gpu: int, events: Sequence[DeviceEvent]) -> None:
        device = self.training.device
        stats: Stats = {} if self.old else {"device_vendor": "Nvidia", "gpu device name": device.name}
        stats |= {
            "clock_rate": device.clock_khz,
            "core_count": device.multiprocessors,
            "memory_bandwidth": device.memory_bandwidth,
            "memory_size": device.memory_bytes,
            "compute_cap_major": device.compute_capability[0],
            "compute_cap_minor": device.compute_capability[1],
        }
        plane = self.space.plane(f"/device:GPU:{gpu}", gpu, stats)
        for stream, (number, kind) in STREAMS.items():
            rows = [self._device_row(event) for event in events if event.work.stream == stream]
            if rows:
                number += gpu * STREAMS_PER_GPU
                self._write(plane.line(number, f"Stream #{number}({kind})", LINE_BEGIN_NS), rows)
        ahead_ns = self.training.clocks.gpu_error_ns(gpu)
        pages: list[tuple[int, int, str, Stats]] = [
            (begin_ns + ahead_ns, end_ns + ahead_ns, PAGES, {})
            for event in events
            for begin_ns, end_ns in event.migrations_ns()
        ]
        if pages:
            line = plane.line(PAGES_LINE_ID, f"Stream #{PAGES_LINE_ID}(UnifiedMemory)", LINE_BEGIN_NS)
            self._write(line, pages)
        if self.old and events:
            self._derived_lines(plane, [event for event in events if event.work.step >= self.first_step])

    def _programs(self, events: Sequence[DeviceEvent]) -> None:
        """The program of a compiled step, where the shapes of its instructions are."""
        named = {e.work.hlo_op: e.work for e in events if e.work.hlo_op}
        work = {name: w for name, w in named.items() if w.collective}
        computed = [_computed(w) for w in named.values() if not w.collective]
        dtype = self.training.communication.gradient_dtype
        size = GRADIENT_BYTES[dtype]
        exchanges = [
            Exchange(
                name,
                name.rpartition(".")[0],
                dtype,
                w.payload_bytes // size // (self.training.together if w.collective == "all_gather" else 1),
                w.buffer_bytes // size,
            )
            for name, w in work.items()
        ]
        if exchanges or computed:
            proto = hlo_proto(self.training.program, exchanges, computed)
            self.space.plane("/host:metadata").event_metadata_stats(
                f"{self.training.program}(1)", {"Hlo Proto": proto}
            )

    def _device_row(self, event: DeviceEvent) -> tuple[int, int, str, Stats]:
        work = event.work
        ahead_ns = self.training.clocks.gpu_error_ns(work.gpu)
        stats: Stats = {"correlation_id": event.correlation, "context_id": Ref(f"$${work.gpu + 1}")}
        if work.copy:
            stats["memcpy_details"] = Ref(self._copy_details(work))
        else:
            stats["kernel_details"] = Ref(self._kernel_details(work))
        if work.op and self.old:
            stats |= {"annotation": Ref(work.op), "level 0": Ref(work.op), "is_eager": int(work.eager)}
        elif work.op:
            stats |= {"tf_op": Ref(work.op), "is_eager": int(work.eager)}
        if work.shape and self.training.collector.host_level > 2:
            stats["shape"] = Ref(work.shape)
        if work.hlo_op:
            stats |= {"hlo_op": Ref(work.hlo_op), "hlo_module": Ref(self.training.program), "program_id": 1}
        if work.op_name:
            stats["name"] = Ref(work.op_name)
        if work.collective and self.training.communication.launcher == "tensorflow" and not self.old:
            stats |= {"buffer_size": work.buffer_bytes, "collective_type": Ref(work.collective)}
        begin_ns, end_ns = event.start_ns + ahead_ns, event.end_ns + ahead_ns
        return begin_ns, end_ns, self._kernel_name(work), self._grouped(work.step, stats)

    def _kernel_name(self, work: DeviceWork) -> str:
        if work.collective is None:
            return work.name
        communication = self.training.communication
        library = communication.library or ("nccl_old" if self.old else "nccl")
        return kernel_name(library, work.collective, communication.gradient_dtype)

    def _kernel_details(self, work: DeviceWork) -> str:
        place = f"grid:{','.join(map(str, work.grid))} block:{THREADS},1,1"
        if self.old:
            return f"regs:{work.registers} shm:{work.shared_bytes} {place}"
        occupied = 100 * self.training.device.occupancy(THREADS, work.registers, work.shared_bytes)
        needs = f"regs:{work.registers} static_shared:{work.shared_bytes} dynamic_shared:0"
        return f"{needs} {place} occ_pct:{occupied:g}"

    def _copy_details(self, work: DeviceWork) -> str:
        target = work.target if work.copy == "p2p" else work.gpu
        details = f"size:{work.size_bytes} dest:{target} async:1"
        if self.old:
            return details
        host = "pinned" if work.pinned else "pageable"
        source = host if work.copy == "h2d" else "device"
        sink = host if work.copy == "d2h" else "device"
        return f"kind_src:{source} kind_dst:{sink} {details}"

    def _derived_lines(self, plane: PlaneBuilder, events: Sequence[DeviceEvent]) -> None:
        """What old profilers stored: ops, name scopes, and steps from first to last device event."""
        kernels = [event for event in events if event.work.stream == "compute"]
        ops = [
            (event.start_ns, event.end_ns, event.work.op, self._grouped(event.work.step, {}))
            for event in kernels
        ]
        self._write(plane.line(OPS_LINE_ID, "TensorFlow Ops", LINE_BEGIN_NS), ops)
        scopes: list[tuple[int, int, str, Stats]] = []
        for key, members in _runs(kernels):
            scopes.append((members[0].start_ns, members[-1].end_ns, key[1], self._grouped(key[0], {})))
        self._write(plane.line(SCOPE_LINE_ID, "TensorFlow Name Scope", LINE_BEGIN_NS), scopes)
        steps: list[tuple[int, int, str, Stats]] = []
        for step in sorted({event.work.step for event in events}):
            members = [event for event in events if event.work.step == step]
            name = str(step - self.first_step)
            stats = self._grouped(step, {"step_name": name})
            start_ns = min(event.start_ns for event in members)
            steps.append((start_ns, max(event.end_ns for event in members), name, stats))
        self._write(plane.line(STEPS_LINE_ID, "Steps", LINE_BEGIN_NS), steps)


def _computed(device_work: DeviceWork) -> Multiplied | Fused:
    """The instruction that a kernel of XLA computes."""
    work, name = device_work.work, device_work.hlo_op
    product, element = work.product, _ELEMENTS[work.format]
    if product is None:
        return Fused(name, element, work.bytes, device_work.op_name)
    kind = (_CONVOLUTION_KINDS if product.filter else _PRODUCT_KINDS)[product.kind]
    return Multiplied(name, element, kind, product.operands, product.output, device_work.op_name)


def _runs(events: Iterable[DeviceEvent]) -> list[tuple[tuple[int, str], list[DeviceEvent]]]:
    """Neighbours of the same step and outermost name scope."""
    found: list[tuple[tuple[int, str], list[DeviceEvent]]] = []
    for event in events:
        key = (event.work.step, event.work.op.partition("/")[0])
        if not found or found[-1][0] != key:
            found.append((key, []))
        found[-1][1].append(event)
    return found


def _referred(stats: Mapping[str, StatValue]) -> Stats:
    return {name: Ref(value) if isinstance(value, str) else value for name, value in stats.items()}
