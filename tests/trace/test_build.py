"""From planes to columns: lines, launches, nesting, ops and copies of both generations of profiles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.xspace_writer import LineBuilder, Ref, SpaceBuilder, StatValue
from tests.readers.xspace.hlo import F32, array, one_collective
from tests.strategies import ADD, ALL_REDUCE, GEMM, Recording, analyse
from tfperf_plugin.trace.model import DeviceTrace, HostTrace


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
