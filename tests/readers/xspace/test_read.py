"""The reader against a slow decode by protobuf of the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from demo.xspace_writer import Ref, SpaceBuilder, Stats
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


def test_stats_of_planes_and_of_event_names() -> None:
    space = SpaceBuilder("host")
    numbers: Stats = {"memory_size": 1 << 63, "count": -5, "ratio": 0.5}
    plane = space.plane("/device:GPU:3", 3, {**numbers, "device_vendor": Ref("Nvidia"), "raw": b"\xff"})
    plane.line(1, "Stream #1").event("fusion", 0, 1)
    plane.event_metadata_stats("fusion", {"hlo_category": "loop fusion", "flops": 12})

    read_back = read_plane(space)

    assert read_back.stats == {**numbers, "device_vendor": "Nvidia", "raw": b"\xff"}
    assert read_back.event_stats == {"fusion": {"hlo_category": "loop fusion", "flops": 12}}
