"""From planes to columns: lines, launches, nesting, ops and copies of both generations of profiles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from demo.xspace_writer import SpaceBuilder
from tests.strategies import GEMM, Recording, analyse
from tfperf_plugin.trace.model import DeviceTrace, HostTrace


def _gpu(space: SpaceBuilder, number: int = 0) -> DeviceTrace:
    return analyse(space.to_bytes()).host.devices[number]


def _parents(host: HostTrace) -> dict[str, str | None]:
    events = host.events
    names = [events.names[n] for n in events.name.tolist()]
    pairs = zip(names, events.parent.tolist(), strict=True)
    return {name: names[parent] if parent >= 0 else None for name, parent in pairs}


def test_the_parent_is_the_innermost_event_around_it_on_its_thread() -> None:
    recording = Recording()
    recording.host("a", 0, 100)
    recording.host("b", 10, 20)
    recording.host("c", 12, 18)
    recording.host("d", 30, 40)
    recording.host("e", 120, 130)
    recording.host("f", 35, 38, "other thread")

    assert _parents(recording.analyse().host) == {
        "a": None,
        "b": "a",
        "c": "b",
        "d": "a",
        "e": None,
        "f": None,
    }


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
        allocator_name="GPU_0_bfc", bytes_allocated=7, bytes_available=3, peak_bytes_in_use=9,
    )  # fmt: skip
    host = recording.analyse().host

    iterators = host.iterators
    assert (iterators.iterator_id.tolist(), iterators.parent_id.tolist()) == ([4, 5], [3, 4])
    assert (iterators.autotune.tolist(), iterators.parallelism.tolist()) == ([1, -1], [-1, 2])
    assert (iterators.buffered_elements.tolist(), iterators.buffer_limit.tolist()) == ([1, -1], [8, -1])
    memory = host.memory
    assert (memory.time_ns.tolist(), memory.allocated_bytes.tolist()) == ([30], [7])
    assert (memory.available_bytes.tolist(), memory.peak_bytes.tolist()) == ([3], [9])
    assert memory.allocators == ("GPU_0_bfc",)


def test_the_gpus_are_in_the_order_of_their_numbers() -> None:
    space = SpaceBuilder("worker")
    for number in (10, 2, 0):
        space.plane(f"/device:GPU:{number}")
    space.plane("/device:TPU:1")

    assert [d.device for d in analyse(space.to_bytes()).host.devices] == ["GPU:0", "GPU:2", "GPU:10"]
