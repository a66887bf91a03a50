"""From planes to columns: lines, launches, nesting, ops and copies of both generations of profiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.xspace_writer import LineBuilder, Ref, SpaceBuilder, StatValue
from tests.readers.xspace.hlo import BF16, F32, array, instruction, one_collective, program
from tests.strategies import ADD, ALL_REDUCE, GEMM, Recording, analyse
from tfperf_plugin.readers.xspace import hlo
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role


def _gpu(space: SpaceBuilder, number: int = 0) -> DeviceTrace:
    return analyse(space.to_bytes()).host.devices[number]


def _parents(host: HostTrace) -> dict[str, str | None]:
    events = host.events
    names = [events.names[n] for n in events.name.tolist()]
    pairs = zip(names, events.parent.tolist(), strict=True)
    return {name: names[parent] if parent >= 0 else None for name, parent in pairs}


@st.composite
def _trees(draw: st.DrawFn) -> list[tuple[str, int, int, str | None]]:
    """Events of one thread as (name, begin, end, parent), nested as calls are."""
    rows: list[tuple[str, int, int, str | None]] = []

    def add(begin: int, end: int, parent: str | None, depth: int) -> None:
        cuts = sorted(draw(st.sets(st.integers(begin, end), max_size=8)))
        for low, high in zip(cuts[::2], cuts[1::2], strict=False):
            name = f"e{len(rows)}"
            rows.append((name, low, high, parent))
            if depth and high - low > 2:
                add(low + 1, high - 1, name, depth - 1)

    add(0, 400, None, 3)
    return rows


@given(_trees())
def test_nested_calls_find_their_callers(rows: list[tuple[str, int, int, str | None]]) -> None:
    recording = Recording()
    for name, begin, end, _ in reversed(rows):
        recording.host(name, begin, end)

    assert _parents(recording.analyse().host) == {name: parent for name, _, _, parent in rows}


def test_a_launch_is_joined_by_its_correlation_id() -> None:
    recording = Recording(2)
    recording.launch(1, GEMM, (50, 60), 70, 90, call="cuLaunchKernel")
    recording.launch(0, GEMM, (10, 20), 30, 40, call=GEMM)  # as old collectors name launches
    recording.run(0, GEMM, 45, 50)
    recording.run(0, GEMM, 55, 60, correlation_id=999)
    host = recording.analyse().host

    assert host.devices[0].launch.tolist() == [host.events.start_ns.tolist().index(10), -1, -1]
    assert host.devices[1].launch.tolist() == [host.events.start_ns.tolist().index(50)]


def test_planes_of_one_gpu_are_one() -> None:
    """Their names and stats have numbers of their own; of what belongs to the GPU the first counts."""
    space = SpaceBuilder("worker")
    first = space.plane("/device:GPU:0", stats={"memory_size": 5, "vendor": "a"}).line(7, "Stream #7")
    first.event(GEMM, 100, 5, tf_op="dense/MatMul:MatMul", correlation_id=3)
    second = space.plane("/device:GPU:00", stats={"memory_size": 6, "clock_rate": 7}).line(7, "Stream #7")
    second.event(ADD, 50, 5, buffer_size=9)
    second.event(GEMM, 200, 5, memcpy_details="kind_src:pageable size:40", tf_op="dense/Mul:Mul")
    space.plane("/device:GPU:0")
    (device,) = analyse(space.to_bytes()).host.devices

    assert device.start_ns.tolist() == [50, 100, 200]
    assert [device.names[name] for name in device.name.tolist()] == [ADD, GEMM, GEMM]
    assert device.names == (GEMM, ADD)
    assert [device.ops[op] if op >= 0 else None for op in device.op.tolist()] == [
        None, "dense/MatMul:MatMul", "dense/Mul:Mul",
    ]  # fmt: skip
    assert device.collective_output.tolist() == [True, False, False]
    assert device.copy_bytes.tolist() == [-1, -1, 40]
    assert (device.stream.tolist(), device.streams) == ([1, 0, 1], ("Stream #7", "Stream #7"))
    assert device.stats == {"memory_size": 5, "vendor": "a", "clock_rate": 7}


def test_derived_lines_and_counters_are_no_work() -> None:
    space = SpaceBuilder("worker")
    gpu = space.plane("/device:GPU:0")
    gpu.line(-559038733, "XLA Modules").event("module", 0, 90)
    gpu.line(3, "_counters_").event("power_mw", 10, 0, value=250.0)

    assert len(_gpu(space).start_ns) == 0
    assert not _gpu(space).participates


def test_the_op_of_old_and_new_collectors() -> None:
    space = SpaceBuilder("worker")
    stream = space.plane("/device:GPU:0").line(7, "Stream #7(Compute)")
    stream.event("new", 0, 5, tf_op="dense/MatMul:MatMul")
    stream.event("levels", 10, 5, {"level 0": "dense/Add:Add", "annotation": "dense/Add:Add#id=1#"})
    stream.event("old", 20, 5, annotation="dense/Mul:Mul#shape=(float[3])#::inner")
    stream.event("none", 30, 5)
    device = _gpu(space)

    ops = [device.ops[o] if o >= 0 else None for o in device.op.tolist()]
    assert ops == ["dense/MatMul:MatMul", "dense/Add:Add", "dense/Mul:Mul", None]


def test_copies_of_three_collectors() -> None:
    space = SpaceBuilder("worker")
    stream = space.plane("/device:GPU:0").line(7, "Stream #7(MemcpyH2D)")
    details = (
        "kind_src:pageable kind_dst:device size:4096 dest:0 async:1",
        "kind_src:pinned kind_dst:device size:12 dest:0 async:1",
        "size:7 dest:0 async:1",
        "kind:Unknown size:8 dest: async:",
        "nothing known",
    )
    for index, text in enumerate(details):
        stream.event("MemcpyH2D", index * 10, 5, memcpy_details=text)
    device = _gpu(space)

    assert device.copy_bytes.tolist() == [4096, 12, 7, 8, -1]
    assert device.copy_pageable.tolist() == [1, 0, -1, -1, -1]
    assert device.copy_destination.tolist() == [0, 0, 0, -1, -1]


def test_amd_numbers_are_no_compute_capability() -> None:
    space = SpaceBuilder("worker")
    stats = {"compute_cap_major": 9, "compute_cap_minor": 4, "memory_size": 1 << 34}
    space.plane("/device:GPU:0", stats=stats).line(1, "Stream #1(Kernel)").event("k.kd", 0, 5)
    space.plane("/device:GPU:1", stats={**stats, "device_vendor": "AMD"})
    space.plane("/device:GPU:2", stats={**stats, "device_vendor": "Nvidia"})
    devices = analyse(space.to_bytes()).host.devices

    assert [d.vendor for d in devices] == ["AMD", "AMD", "NVIDIA"]
    assert [d.compute_capability for d in devices] == [None, None, (9, 4)]
    assert devices[2].memory_bytes == 1 << 34


def test_iterators_and_allocations_become_tables() -> None:
    recording = Recording()
    recording.host(
        "Iterator::Prefetch", 0, 50, id=4, parent_id=3, autotune="true", buffered_elements=1, buffer_limit=8
    )
    recording.host("Iterator::Prefetch::Map", 10, 20, id=5, parent_id=4, parallelism=2)
    recording.host(
        "MemoryAllocation", 30, 30, "other",
        allocator_name="\0PU_0_bfc", bytes_allocated=7, bytes_available=3, peak_bytes_in_use=9,
    )  # fmt: skip
    recording.host(
        "MemoryAllocation", 31, 31, "other",
        allocator_name="\0pu_host_bfc", bytes_allocated=2, bytes_available=8, peak_bytes_in_use=2,
    )  # fmt: skip
    host = recording.analyse().host

    iterators = host.iterators
    assert (iterators.iterator_id.tolist(), iterators.parent_id.tolist()) == ([4, 5], [3, 4])
    assert (iterators.autotune.tolist(), iterators.parallelism.tolist()) == ([1, -1], [-1, 2])
    assert (iterators.buffered_elements.tolist(), iterators.buffer_limit.tolist()) == ([1, -1], [8, -1])
    memory = host.memory
    assert (memory.time_ns.tolist(), memory.allocated_bytes.tolist()) == ([30, 31], [7, 2])
    assert (memory.available_bytes.tolist(), memory.peak_bytes.tolist()) == ([3, 8], [9, 2])
    assert set(memory.allocators) == {"GPU_0_bfc", "\0pu_host_bfc"}  # as on Windows


def test_the_gpus_are_in_the_order_of_their_numbers() -> None:
    space = SpaceBuilder("worker")
    for number in (10, 2, 0):
        space.plane(f"/device:GPU:{number}")
    space.plane("/device:TPU:1")

    assert [d.device for d in analyse(space.to_bytes()).host.devices] == ["GPU:0", "GPU:2", "GPU:10"]


def _programs(space: SpaceBuilder, stat: str = "Hlo Proto", **protos: bytes) -> None:
    """Stores XLA's programs; ``step_3`` becomes ``step(3)``, as profilers name them."""
    plane = space.plane("/host:metadata")
    for name, proto in protos.items():
        plane.event_metadata_stats(f"{name.replace('_', '(')})", {stat: proto})


def _all_reduce(elements: int, element_type: int = F32, name: str = "all-reduce.1") -> bytes:
    shape = array(element_type, elements)
    return one_collective("all-reduce", shape, shape, name)


def _nccl(stream: LineBuilder, at: int, op: str, module: str = "", program: int | None = None) -> None:
    """A kernel of XLA as collectors of today write it."""
    stats: dict[str, StatValue] = {"hlo_op": Ref(op), "tf_op": "psum"}
    if module:
        stats["hlo_module"] = Ref(module)
    if program is not None:
        stats["program_id"] = program
    stream.event(ALL_REDUCE, at, 5, stats)


def test_the_size_of_a_collective_is_in_xlas_program() -> None:
    shape = array(BF16, 1000)
    rows = [
        instruction("grads", "parameter", shape, 1),
        instruction("all-reduce-start.3", "all-reduce-start", shape, 2, [1]),
        instruction("all-reduce-done.3", "all-reduce-done", shape, 3, [2]),
    ]
    space = SpaceBuilder("worker")
    _programs(space, step_3=program(rows))
    for gpu in range(2):
        stream = space.plane(f"/device:GPU:{gpu}").line(7, "Stream #7(Compute)")
        _nccl(stream, 0, "all-reduce-start.3", "step", 3)
        _nccl(stream, 10, "all-reduce-done.3", "step", 3)
        _nccl(stream, 20, "all-reduce-start.4", "step", 3)
        stream.event(ADD, 30, 5, hlo_op=Ref("all-reduce-start.3"), hlo_module=Ref("step"), program_id=3)
        stream.event(ADD, 40, 5, hlo_op=Ref("grads"), hlo_module=Ref("step"), program_id=3)
        _nccl(stream, 50, "all-reduce-start.3", "step", 3)
        stream.event(ALL_REDUCE, 60, 5)

    for gpu in range(2):
        device = _gpu(space, gpu)
        assert device.collective_bytes.tolist() == [2000, -1, -1, 2000, -1, 2000, -1]
        assert [Role(r) for r in device.role.tolist()] == [Role.COLLECTIVE] * 4 + [Role.KERNEL] + [
            Role.COLLECTIVE
        ] * 2


def test_a_recorded_size_is_not_replaced() -> None:
    space = SpaceBuilder("worker")
    _programs(space, step_3=_all_reduce(10))
    stream = space.plane("/device:GPU:0").line(7, "Stream #7(Compute)")
    stream.event(ALL_REDUCE, 0, 5, hlo_op="all-reduce.1", hlo_module="step", program_id=3, buffer_size=12)
    stream.event(ALL_REDUCE, 10, 5, hlo_op="all-reduce.1", hlo_module="step", program_id=3)

    assert _gpu(space).collective_bytes.tolist() == [12, 40]


HUGE_ID = (1 << 64) - 9


@pytest.mark.parametrize(
    ("op", "module", "number", "size"),
    [
        ("all-reduce.1", "step", 3, 40),
        ("all-reduce.1", "step", 4, 80),
        ("all-reduce.1", "", 4, 80),
        ("all-reduce.1", "eval", None, 120),
        ("all-reduce.1", "big", HUGE_ID, 160),
        ("only.1", "", None, 200),
        ("all-reduce.1", "step", None, -1),  # one of two
        ("all-reduce.1", "", None, -1),
        ("all-reduce.1", "step", 5, -1),
        ("only.1", "step", 3, -1),
        ("only.1", "lost", 9, -1),  # this program was not stored
    ],
)
def test_the_size_is_that_of_the_only_program_that_fits_what_is_recorded(
    op: str, module: str, number: int | None, size: int
) -> None:
    space = SpaceBuilder("worker")
    protos = {"step_3": _all_reduce(10), "step_4": _all_reduce(20), "eval_5": _all_reduce(30)}
    _programs(space, "hlo_proto", **protos, **{f"big_{HUGE_ID}": _all_reduce(40)})
    _programs(space, other_6=_all_reduce(50, name="only.1"))  # two planes of one name
    _nccl(space.plane("/device:GPU:0").line(7, "Stream #7(Compute)"), 0, op, module, number)

    assert _gpu(space).collective_bytes.tolist() == [size]


def test_what_is_no_program_gives_no_size() -> None:
    space = SpaceBuilder("worker")
    plane = space.plane("/host:metadata")
    values: dict[str, StatValue] = {"step(3)": b"\xff", "eval(4)": "text", f"x({'9' * 5000})": b"", "(": 7}
    for name, value in values.items():
        plane.event_metadata_stats(name, {"Hlo Proto": value})
    _nccl(space.plane("/device:GPU:0").line(7, "Stream #7(Compute)"), 0, "all-reduce.1", "step", 3)

    assert _gpu(space).collective_bytes.tolist() == [-1]


def test_programs_are_read_only_for_collectives_without_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def recorded(proto: bytes) -> dict[str, int]:
        read.append(proto)
        return {}

    monkeypatch.setattr(hlo, "collective_sizes", recorded)
    space = SpaceBuilder("worker")
    _programs(space, step_3=b"a", step_4=b"b")
    for gpu in range(3):
        stream = space.plane(f"/device:GPU:{gpu}").line(7, "Stream #7(Compute)")
        stream.event(ALL_REDUCE, 0, 5, buffer_size=12, hlo_op="all-reduce.1", hlo_module="step", program_id=4)
        stream.event(ADD, 10, 5, hlo_op="fusion.1", hlo_module="step", program_id=4)
        if gpu:
            for number in range(5):
                _nccl(stream, 20 + 10 * number, f"all-reduce.{number}", "step", 3)

    _gpu(space)
    assert read == [b"a"]
