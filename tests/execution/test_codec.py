"""What goes in comes out, for every type that processes exchange; and nothing else comes out."""

from __future__ import annotations

import functools
import types
import typing
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.equality import equal
from tests.strategies import Recording, recordings
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, View
from tfperf_plugin.execution.analyze import Analysis
from tfperf_plugin.execution.codec import BadMessage, decode, encode, signature
from tfperf_plugin.execution.hosts import PARTS, HostSurvey, HostTask, Parts, Summary
from tfperf_plugin.readers.logdirs.runs import HostFile, Run
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import Options

EXCHANGED = (HostSurvey, HostTask, Summary, Analysis, Options, Run, HostFile)
PART_TYPES = {kind: signature(part)[1] for kind, part in PARTS.items()}
TEXTS = st.text(max_size=6) | st.sampled_from(("", "<b>", '"', "\0", "__class__", "1"))


@functools.cache
def of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a declared type, made without knowing how messages are."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    leaves: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(-(1 << 63), (1 << 64) - 1),
        float: st.floats(allow_nan=False),
        bool: st.booleans(),
        str: TEXTS,
        type(None): st.none(),
        PurePath: st.sampled_from((Path("/logs/a"), Path("b c/\udcff"))),
        datetime: st.datetimes(),
    }
    if kind in leaves:
        return leaves[kind]
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(of, arguments))
    if hasattr(origin, "__value__"):  # NDArray from NumPy 2.5 on, where Python is new enough
        return of(origin.__value__[arguments])
    if origin is np.ndarray:
        (scalar,) = typing.get_args(arguments[1])
        dtype = np.dtype("<U3" if scalar is Any else scalar)
        one = of(str).map(lambda text: text[:3].rstrip("\0")) if dtype.kind == "U" else None
        return arrays.arrays(
            dtype, arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3), elements=one
        )
    if origin in (dict, Mapping):
        return st.dictionaries(of(arguments[0]), of(arguments[1]), max_size=2)
    if origin is Counter:
        return st.dictionaries(of(arguments[0]), of(int), max_size=2).map(Counter)
    if origin is frozenset:
        return st.frozensets(of(arguments[0]), max_size=2)
    if origin is tuple and arguments[1:] == (...,):
        return st.lists(of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of, arguments))
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return st.deferred(lambda: st.builds(kind, **{n: of(t) for n, t in typing.get_type_hints(kind).items()}))


@pytest.mark.parametrize("kind", [*EXCHANGED, *PART_TYPES], ids=lambda kind: kind.__name__)
def test_what_goes_in_comes_out(kind: Any) -> None:
    declared = PART_TYPES.get(kind, kind)

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(of(declared))
    def check(value: Any) -> None:
        assert equal(decode(b"".join(encode(value)), declared), value)

    check()


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(recordings())
def test_parts_of_recordings_come_out(recording: Recording) -> None:
    found = recording.analyse()
    view = View(found.host, found.steps, found.ledger.hosts[0] if found.ledger else None, RunFacts(9, True))
    parts = Parts(*(part(view) for part in PARTS.values()))

    assert equal(decode(b"".join(encode(parts)), Parts), parts)


Numbers = np.ndarray[Any, np.dtype[np.int64]]


class Exchanged(Record, frozen=True):
    """A record, as others that are exchanged."""

    number: int
    words: tuple[str, ...] = ()


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_messages_are_refused_or_hold_what_was_asked_for(data: st.DataObject) -> None:
    kind = tuple[dict[str, int], Numbers, tuple[float, ...], Exchanged]
    value = {"a": 1, "b": 2}, np.arange(5), (1.5, 2.0), Exchanged(1, ("a",))
    message = bytearray(b"".join(encode(value)))
    for _ in range(data.draw(st.integers(1, 3))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    del message[len(message) - data.draw(st.sampled_from((0, 0, 1, 30))) :]
    try:
        numbers, array, floats, record = decode(message, kind)
    except BadMessage:
        return
    assert all(type(k) is str and type(v) is int for k, v in numbers.items())
    assert array.dtype == np.int64 and array.nbytes <= len(message)
    assert all(type(x) is float for x in floats)
    assert type(record) is Exchanged and type(record.number) is int


def message(table: Any, value: Any, after: bytes = bytes(8)) -> bytes:
    """A message, whatever it claims."""
    text = msgspec.msgpack.encode((table, value))
    return len(text).to_bytes(8, "little") + text + after


def test_such_a_message_is_read() -> None:
    assert decode(message([("<i8", [1])], 0), Numbers).tolist() == [0]


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ([("<i8", [10**12])], 0),
        ([("<i8", [10**12, 0])], 0),
        ([("|O", [1])], 0),
        ([("<i8,<i8", [1])], 0),
        ([("<U0", [5])], 0),
        ([("<i8", [-1])], 0),
        ([("<i8", [True])], 0),
        ([("<i8", [1])], 1),
        ([("<i8", [1])], -1),
        ([("<i8", [1])], "0"),
        ([("<i8", [1])], None),
        ([("<u8", [1])], 0),
        ([("<f8", [1])], 0),
        ([("<i8", [1], 1)], 0),
        ([], 0),
        ({}, 0),
    ],
)
def test_hostile_arrays_are_refused(table: Any, value: Any) -> None:
    with pytest.raises(BadMessage):
        decode(message(table, value), Numbers)


LIST_OF_4_G, MAP_OF_4_G, BYTES_OF_4_G = (
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
)


@pytest.mark.parametrize(
    "text", [LIST_OF_4_G, MAP_OF_4_G, BYTES_OF_4_G, LIST_OF_4_G * 900, b"\x91" * 100_000, b"\xc1", b""]
)
@pytest.mark.parametrize("kind", [Numbers, tuple[int, ...], dict[str, int], frozenset[int], Exchanged, Parts])
def test_hostile_texts_are_refused(text: bytes, kind: Any) -> None:
    for content in (text, b"\x92\x90" + text):
        with pytest.raises(BadMessage):
            decode(len(content).to_bytes(8, "little") + content, kind)
    with pytest.raises(BadMessage):
        decode((1 << 63).to_bytes(8, "little") + text, kind)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"number": "1"},
        {"number": 1.5},
        {"number": True},
        {"number": 1, "more": 2},
        {"number": 1, "__class__": "subprocess.Popen"},
        {"number": 1, "words": [1]},
    ],
)
def test_records_of_other_keys_or_types_are_refused(value: dict[str, Any]) -> None:
    assert decode(message([], {"number": 1}, b""), Exchanged) == Exchanged(1)
    with pytest.raises(BadMessage):
        decode(message([], value, b""), Exchanged)


@pytest.mark.parametrize(
    "value", [object(), 1j, Path.open, pytest.Session, np.array([object()]), 1 << 64, "\ud800"]
)
def test_other_things_cannot_be_sent(value: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        encode(value)
