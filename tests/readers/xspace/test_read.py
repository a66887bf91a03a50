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

    assert read_back.stats == {**numbers, "device_vendor": "Nvidia", "raw": b"\xff"}
    assert read_back.event_stats == {"fusion": {"hlo_category": "loop fusion", "flops": 12}}


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
