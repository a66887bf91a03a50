"""The reader against a slow decode by protobuf of the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from demo.xspace_writer import Ref, SpaceBuilder, Stats, StatValue
from tests.readers.xspace.reference import assert_same
from tests.readers.xspace.strategies import spaces
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import Plane, read
from tfperf_plugin.readers.xspace.stats import MAX_TEXT_BYTES


def read_plane(space: SpaceBuilder) -> Plane:
    return read(space.to_bytes(), Anomalies()).planes[0]


@settings(deadline=None, max_examples=100)
@given(spaces())
def test_every_column_equals_the_slow_decode(data: bytes) -> None:
    assert_same(read(data, Anomalies()), data)


@pytest.mark.parametrize("name", ["GPU-multi-worker", "jax-mi300x", "tf-cpu-input"])
def test_real_profiles_equal_the_slow_decode(name: str, real_profile: Callable[[str], Path]) -> None:
    (path,) = real_profile(name).glob("*.xplane.pb")
    data = path.read_bytes()
    anomalies = Anomalies()

    assert_same(read(data, anomalies), data)

    assert {row.severity for row in anomalies.rows()} <= {"info"}


def test_events_of_many_chunks_keep_their_stats() -> None:
    """More events than are decoded at once, with events of very different size among them."""
    assert_same(read(many_events(5_000_000), Anomalies()), many_events(MAX_TEXT_BYTES))


def many_events(longest_text: int) -> bytes:
    space = SpaceBuilder("host")
    plane = space.plane("/host:CPU")
    for thread in range(3):
        line = plane.line(thread, f"thread {thread}", timestamp_ns=1000 * thread)
        for number in range(15_000):
            stats: Stats = {"number": number, "text": "x" * (number % 300)} if number % 7 else {}
            line.event(f"op {number % 100}", 1000 * thread + number, 1, stats)
        line.event("huge", 90_000_000, 1, {"text": "y" * longest_text})
    return space.to_bytes()


def test_times_are_whole_nanoseconds_in_which_neighbours_still_touch() -> None:
    space = SpaceBuilder("host")
    line = space.plane("/device:GPU:0").line(1, "Stream #1", timestamp_ns=500)
    for offset_ps, duration_ps in [(0, 1999), (1999, 1), (2000, 999)]:
        line.message.events.add(metadata_id=1, offset_ps=offset_ps, duration_ps=duration_ps)

    plane = read_plane(space)

    assert plane.start_ns.tolist() == [500, 501, 502]
    assert plane.end_ns.tolist() == [501, 502, 502]


def test_events_are_sorted_by_line_start_and_longer_first() -> None:
    space = SpaceBuilder("host")
    plane = space.plane("/host:CPU")
    second, first = plane.line(2, "b"), plane.line(1, "a")
    for name, start_ns, duration_ns in [("late", 20, 5), ("inner", 10, 2), ("outer", 10, 9)]:
        second.event(name, start_ns, duration_ns, {"number": start_ns})
    first.event("other", 0, 1)

    read_back = read_plane(space)

    numbers = read_back.ints("number")
    assert numbers is not None
    assert [read_back.names[code] for code in read_back.event_name] == ["outer", "inner", "late", "other"]
    assert read_back.line.tolist() == [0, 0, 0, 1]
    assert numbers.values.tolist() == [10, 10, 20, 0]
    assert numbers.present.tolist() == [True, True, True, False]


def test_columns_have_the_documented_types() -> None:
    space = SpaceBuilder("host")
    line = space.plane("/host:CPU").line(1, "thread")
    line.event("op", 0, 1, {"int": 1, "float": 1.5, "text": "t"})
    line.event("op", 1, 1)

    plane = read_plane(space)
    ints, floats, texts = plane.ints("int"), plane.floats("float"), plane.texts("text")

    assert ints is not None
    assert floats is not None
    assert texts is not None
    assert {column.dtype.name for column in (plane.start_ns, plane.end_ns)} == {"int64"}
    assert ints.values.dtype.name == "int32"  # all fit
    assert {column.dtype.name for column in (plane.event_name, plane.line, texts.codes)} == {"int32"}
    assert {column.dtype.name for column in (ints.present, floats.present)} == {"bool"}
    assert floats.values.dtype.name == "float64"
    assert np.isnan(floats.values[1])
    assert texts.codes.tolist() == [0, -1]


def test_a_stat_is_found_only_in_columns_of_its_kind() -> None:
    space = SpaceBuilder("host")
    line = space.plane("/host:CPU").line(1, "thread")
    line.event("op", 0, 1, {"int": 7, "float": 1.5, "number in a text": "7"})

    plane = read_plane(space)

    assert plane.stat_names == {"int", "float", "number in a text"}
    assert plane.ints("number in a text") is None
    assert plane.ints("float") is None
    assert plane.texts("int") is None
    assert plane.ints("never seen") is None
    as_float = plane.floats("int")
    assert as_float is not None
    assert as_float.values.tolist() == [7.0]


def test_an_unsigned_number_beyond_int64_wraps_as_on_the_wire() -> None:
    space = SpaceBuilder("host")
    space.plane("/host:CPU").line(1, "thread").event("op", 0, 1, {"hash": (1 << 64) - 1})

    plane = read_plane(space)
    ints, floats = plane.ints("hash"), plane.floats("hash")

    assert ints is not None
    assert floats is not None
    assert ints.values.tolist() == [-1]
    assert floats.values.tolist() == [2.0**64]


def test_texts_are_shared_however_they_are_stored() -> None:
    space = SpaceBuilder("host")
    line = space.plane("/host:CPU").line(1, "thread")
    values: list[StatValue] = ["same", Ref("same"), b"same", Ref("other")]
    for start_ns, value in enumerate(values):
        line.event("op", start_ns, 1, {"text": value})

    texts = read_plane(space).texts("text")

    assert texts is not None
    assert sorted(texts.strings) == ["other", "same"]
    assert [texts.strings[code] for code in texts.codes] == ["same", "same", "same", "other"]


def test_stats_of_planes_and_of_event_names() -> None:
    space = SpaceBuilder("host")
    numbers: Stats = {"memory_size": 1 << 63, "count": -5, "ratio": 0.5}
    plane = space.plane("/device:GPU:3", 3, {**numbers, "device_vendor": Ref("Nvidia"), "raw": b"\xff"})
    plane.line(1, "Stream #1").event("fusion", 0, 1)
    plane.event_metadata_stats("fusion", {"hlo_category": "loop fusion", "flops": 12})

    read_back = read_plane(space)

    assert read_back.id == 3
    assert read_back.stats == {**numbers, "device_vendor": "Nvidia", "raw": b"\xff"}
    assert read_back.event_stats == {"fusion": {"hlo_category": "loop fusion", "flops": 12}}


def test_names_fall_back_to_display_names() -> None:
    space = SpaceBuilder("host")
    plane = space.plane("/host:CPU")
    line = plane.line(1, "", display_name="shown line")
    line.event("", 0, 1, display_name="shown event")
    line.event("stored", 1, 1, display_name="shown")

    read_back = read_plane(space)

    assert read_back.lines[0].name == "shown line"
    assert [read_back.names[code] for code in read_back.event_name] == ["shown event", "stored"]


@pytest.mark.parametrize(
    ("plane", "id", "name", "derived"),
    [
        ("/device:GPU:0", 13, "Stream #13(Compute)", False),
        ("/device:GPU:0", 7, "Steps", True),
        ("/device:GPU:0", 7, "XLA Ops", True),
        ("/device:GPU:0", 7, "Framework Name Scope - from #13", True),
        ("/device:GPU:0", 7, "CUPTI overhead", False),
        ("/host:CPU", 7, "Steps", False),
        ("/host:CPU", 0xDEADBEEF, "anything", True),
        ("/device:GPU:0", -559038737, "anything", True),
        ("/device:GPU:0", -559038730, "anything", True),
        ("/device:GPU:0", 0xDEADBEEE, "anything", False),
    ],
)
def test_lines_made_by_a_profiler_from_others_are_derived(
    plane: str, id: int, name: str, derived: bool
) -> None:
    space = SpaceBuilder("host")
    space.plane(plane).line(id, name)

    assert read_plane(space).lines[0].derived is derived


def test_messages_of_the_profiler_are_kept() -> None:
    space = SpaceBuilder("worker-0")
    space.plane("/host:CPU")
    space.error("CUPTI failed")
    space.warning("events dropped")

    read_back = read(space.to_bytes(), Anomalies())

    assert (read_back.errors, read_back.warnings, read_back.hostnames) == (
        ("CUPTI failed",),
        ("events dropped",),
        ("worker-0",),
    )
