"""Whatever the bytes are: a result or one clear sentence, in bounded time and memory."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo.xspace_writer import Ref, SpaceBuilder
from tests.readers.xspace.raw import content, event, line, number, plane, stat, varint
from tests.readers.xspace.strategies import spaces
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import Plane, XSpace, read


def small_file() -> bytes:
    space = SpaceBuilder("host")
    gpu = space.plane("/device:GPU:0", stats={"memory_size": 5, "vendor": Ref("Nvidia")})
    stream = gpu.line(7, "Stream #7(Compute)", timestamp_ns=1000)
    stream.event("gemm", 2000, 250, {"id": 3, "op": Ref("dense"), "occupancy": 0.5, "details": "regs:8"})
    stream.event("copy", 3000, 250, {"id": 1 << 63, "raw": b"\x00\xff"})
    stream.aggregate("total", 2, 500)
    gpu.event_metadata_stats("gemm", {"flops": 12})
    space.warning("events dropped")
    return space.to_bytes()


def read_all(data: bytes) -> XSpace[Plane] | None:
    """Reads everything there is, or None where the input is refused."""
    try:
        space = read(data, Anomalies())
    except UnreadableInput as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) < 200
        return None
    for found in space.planes:
        assert isinstance(found.event_stats, dict)
        assert (found.end_ns >= found.start_ns).all()
        for name in found.stat_names:
            found.ints(name)
            found.floats(name)
            found.texts(name)
    return space


def test_a_file_cut_off_anywhere_is_refused() -> None:
    """Only where the cut falls between the parts of a file is what is left a smaller file."""
    data = small_file()
    plane_end = data.index(b"events dropped") - 2

    readable = [size for size in range(len(data)) if read_all(data[:size]) is not None]

    assert all(size >= plane_end for size in readable)
    assert read_all(data) is not None


@pytest.mark.slow
def test_no_flipped_bit_breaks_the_reader() -> None:
    data = small_file()

    for position in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[position] ^= 1 << bit
            read_all(bytes(flipped))


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    read_all(data)
    read_all(plane(content(3, data)))
    read_all(plane(line(data)))
    read_all(plane(line(event(content(4, data)))))


@settings(deadline=None, max_examples=100)
@given(spaces(), st.integers(0, 10_000), st.binary(max_size=8))
def test_no_overwritten_part_breaks_the_reader(data: bytes, at: int, patch: bytes) -> None:
    at %= len(data)
    read_all(data[:at] + patch + data[at + len(patch) :])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"name,duration\nconv2d,3\n" * 10, "not a profile"),
        (b'{"traceEvents": []}', "not a profile"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not a profile"),
        (b"PK\x03\x04" + bytes(30), "not a profile"),
        (b"\x18" + bytes(7) + b"\x8a\x8a\x8a\x8a\x09\x00\x00", "not a profile"),
        (gzip.compress(small_file()), "gzip"),
        (bytes(1000), "not a profile"),
        (content(4, b"host"), "no planes"),
        (content(1, b""), "no planes"),
        (content(7, b"another format"), "no planes"),
        (bytes(1 << 31), "2 GiB"),
        (small_file()[:-2], "cut off.* 2 bytes are missing"),
        (b"\x0a" + varint(1 << 40), "cut off or not a profile: it holds an impossible length"),
        (small_file().decode("utf-8", "replace").encode(), "copied as text"),
    ],
    ids=[
        "empty",
        "csv",
        "json",
        "png",
        "zip",
        "records",
        "gzip",
        "zeros",
        "host",
        "blank",
        "other",
        "large",
        "cut",
        "length",
        "text",
    ],
)
def test_what_is_no_profile_is_refused_in_a_sentence(data: bytes, says: str) -> None:
    with pytest.raises(UnreadableInput, match=says):
        read(data, Anomalies())


def huge_length(key: int) -> bytes:
    return bytes([key]) + varint((1 << 64) - 1)


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a" + varint(1 << 40),
        huge_length(0x0A),
        content(1, huge_length(0x1A)),
        content(1, content(3, huge_length(0x22))),
        content(1, content(3, b"\x22")),
        content(1, content(3, b"\x22\xff")),
        b"\x0a" + b"\xff" * 30,
    ],
)
def test_a_length_beyond_the_file_is_refused(data: bytes) -> None:
    assert read_all(data) is None


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        plane(content(3, content(4, number(1, 1)) * 100_000)),
        plane(line(event(), b"\x22\x00" * 200_000)),
        plane(content(3) * 20_000),
        plane(content(4) * 100_000),
        content(1) * 1000,
        content(7) * 100_000,
    ],
    ids=["events", "stats", "lines", "names", "planes", "unknown"],
)
def test_countless_empty_parts_take_bounded_memory(data: bytes) -> None:
    assert peak_bytes(lambda: read_all(data)) < 40e6


@pytest.mark.parametrize(
    ("part", "count"), [(content(1), 5000), (content(7), 3_000_000)], ids=["planes", "unknown parts"]
)
def test_absurd_counts_are_refused(part: bytes, count: int) -> None:
    assert read_all(part * count) is None


@pytest.mark.parametrize(
    "damage", [lambda text: text[:-4], lambda text: text[:-8] + bytes(8)], ids=["cut", "sum"]
)
def test_damaged_compressed_texts_count_against_the_bound(
    damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thirty texts of 4 MiB, of which each is inflated to its end and then found to be damaged."""
    inflated: list[int] = []

    class Counted:
        def __init__(self, **options: Any) -> None:
            self._inner = decompressobj(**options)

        def decompress(self, data: bytes, most: int) -> bytes:
            inflated.append(most)  # as much as there may be where it raises
            part = self._inner.decompress(data, most)
            inflated[-1] = len(part)
            return part

        def __getattr__(self, name: str) -> object:
            return getattr(self._inner, name)

    decompressobj = zlib.decompressobj
    monkeypatch.setattr(zlib, "decompressobj", Counted)
    texts = [damage(gzip.compress(b"%d" % number + bytes(4 << 20))) for number in range(30)]
    data = plane(line(*(event(stat(content(8, text))) for text in texts)))
    anomalies = Anomalies()

    assert read(data, anomalies).planes[0].texts("stat") is None
    assert sum(inflated) <= 65 << 20
    assert [(row.name, row.count) for row in anomalies.rows()] == [("unreadable-compressed-text", 30)]


def test_compressed_texts_share_one_bound() -> None:
    texts_of_20_mib = [gzip.compress(bytes([letter]) * (20 << 20)) for letter in b"abcd"]
    data = plane(line(*(event(stat(content(8, text))) for text in texts_of_20_mib)))

    texts = read(data, Anomalies()).planes[0].texts("stat")

    assert texts is not None
    assert [text[0] for text in texts.strings] == list("dcb")
    assert {len(text) for text in texts.strings} == {1 << 14}
    assert sorted(texts.codes.tolist())[0] == -1
