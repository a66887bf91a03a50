"""The compiled decoder and the one in NumPy: equal columns and equal anomalies, whatever the bytes are."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.oracles import fingerprint
from tests.readers.xspace.raw import content, event, line, number, plane
from tests.readers.xspace.strategies import spaces
from tests.readers.xspace.test_hostile import small_file
from tests.readers.xspace.test_small_parts import FILES, PARTS, cpu_s
from tfperf_plugin.arrays import native
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import compiled, read, reader
from tfperf_plugin.readers.xspace.decoded import Names


@pytest.fixture(scope="module", autouse=True)
def decoder() -> None:
    """In place of that of all other tests of this folder: each of these runs both decoders itself."""
    if compiled.library() is None:
        pytest.skip("nothing was compiled: there was no C compiler when this was installed")


def everything(data: bytes, compiled: str, block_bytes: int = reader.BLOCK_BYTES) -> list[Any]:
    """All that a file holds, in the order of its columns, or why it is refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(native.COMPILED, compiled)
        patch.setattr(reader, "BLOCK_BYTES", block_bytes)
        anomalies = Anomalies()
        try:
            return [*fingerprint(read(data, anomalies)), anomalies.rows()]
        except UnreadableInput as error:
            return [str(error)]


def patched(data: bytes, at: int, patch: bytes) -> bytes:
    at %= len(data)
    return data[:at] + patch + data[at + len(patch) :]


def assert_equal(data: bytes) -> None:
    assert everything(data, "yes") == everything(data, "no")


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(spaces())
def test_whatever_a_profile_holds(data: bytes) -> None:
    assert_equal(data)


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(spaces(), st.integers(20, 200), st.integers(0, 10_000), st.binary(max_size=8))
def test_however_small_the_blocks_are_in_which_it_is_read(
    data: bytes, block_bytes: int, at: int, patch: bytes
) -> None:
    for file in (data, patched(data, at, patch)):
        for setting in ("yes", "no"):
            assert everything(file, setting, block_bytes) == everything(file, setting)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(spaces(), st.integers(0, 10_000), st.binary(max_size=8))
def test_overwritten_parts(data: bytes, at: int, patch: bytes) -> None:
    assert_equal(patched(data, at, patch))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.binary(max_size=40), max_size=4), st.binary(max_size=30))
def test_any_bytes_as_events_stats_and_lines(parts: list[bytes], tail: bytes) -> None:
    assert_equal(plane(line(*parts, event(*parts), event(*(content(4, part) for part in parts)))))
    assert_equal(plane(content(3, *(content(4, part) for part in parts), tail)))


def test_flipped_bits() -> None:
    data = small_file()
    for place in range(0, 8 * len(data), 29):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        assert_equal(bytes(flipped))


@pytest.mark.parametrize("name", ["GPU-multi-worker", "jax-mi300x", "tf-cpu-input"])
def test_real_profiles_whole_and_damaged(name: str, real_profile: Callable[[str], Path]) -> None:
    (path,) = real_profile(name).glob("*.xplane.pb")
    data = path.read_bytes()
    assert_equal(data)
    random_bytes = random.Random(5)
    for _ in range(2):
        damaged = bytearray(data)
        for _ in range(max(20, len(data) // 1000)):
            damaged[random_bytes.randrange(len(data))] = random_bytes.randrange(256)
        # What breaks the outermost messages refuses the file; the rest has to survive the damage.
        damaged[: len(data) // 50] = data[: len(data) // 50]
        assert_equal(bytes(damaged))


def test_lines_of_few_events_begin_at_different_times() -> None:
    one, far = content(4, event(start_ps=1000)), 1 << 62
    lines = [content(3, number(3, at), one * (at % 3)) for at in range(100)]
    assert_equal(plane(*lines, content(3, number(3, far), one), *lines, content(3, number(3, 5), one * 300)))


def test_nothing_outside_of_the_file_is_read() -> None:
    library, names = compiled.library(), Names({})
    for bounds in ([[0, 5]], [[3, 2]]):
        with pytest.raises(ValueError, match="outside"):
            compiled.decode(library, 0, b"1234", np.array(bounds, np.uint32), 0, names, names)
    found = array("I")
    assert compiled.find_events(library, b"\x22\x01", 0, 99, found) == (0, 0)
    assert not found


def test_what_was_built_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_VERSION", 0)
    monkeypatch.setenv(native.COMPILED, "yes")
    with pytest.raises(ImportError, match="not built"):
        compiled.library()
    monkeypatch.delenv(native.COMPILED)
    assert compiled.library() is None


def test_events_with_more_stats_than_there_is_room_for_at_first() -> None:
    """Up to as many as an event may have, in two lines; each of them as often as it is there."""
    names = [content(5, number(1, id), content(2, content(2, b"%d" % id))) for id in (1, 2, 3)]
    stats = [content(4, number(1, 1 + at % 3), number(3 + at % 2, at)) for at in range(256)]
    events = [content(4, number(2, size), *stats[:size]) for size in range(0, 256, 3)]
    lines = [content(3, number(1, id), *events[id:]) for id in (1, 2)]
    data = content(1, content(2, b"/host:CPU"), *names, *lines)

    assert_equal(data)
    assert read(data, Anomalies()).planes[0].stat_names == {"1", "2", "3"}


@pytest.mark.slow
@pytest.mark.parametrize("make", FILES)
def test_the_compiled_decoder_is_never_half_as_fast(
    make: Callable[[int], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, taken_s = make(4 * PARTS), {}
    for setting in ("yes", "no"):
        monkeypatch.setenv(native.COMPILED, setting)
        taken_s[setting] = cpu_s(data)

    assert taken_s["yes"] < 2 * taken_s["no"]
