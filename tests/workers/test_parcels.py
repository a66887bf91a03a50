"""What goes in comes out, for every type that processes exchange; and nothing else comes out."""

from __future__ import annotations

import functools
import types
import typing
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.equality import equal
from tests.strategies import Recording, recordings
from tfperf_plugin import parcels, workers
from tfperf_plugin.artifacts.by_host import RunFacts, View
from tfperf_plugin.engine.inputs import PARTS
from tfperf_plugin.parcels import BadParcel, from_bytes, signature, to_bytes
from tfperf_plugin.report.build import Analysis
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.summary import FirstLook, Joined, Summary
from tfperf_plugin.runs import HostFile, Run

EXCHANGED = (FirstLook, Joined, Summary, Analysis, Options, Run, HostFile)
PART_TYPES = {kind: signature(part)[1] for kind, part in PARTS.items()}
NAMES = {"epath": types.SimpleNamespace(Path=Path)}
TEXTS = st.text(max_size=6) | st.sampled_from(("", "<b>", '"', "\ud800", "\0", "__class__", "1"))


@functools.cache
def of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a declared type, made without knowing how parcels are."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    leaves: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(-(1 << 70), 1 << 70),
        float: st.floats(allow_nan=False),
        bool: st.booleans(),
        str: TEXTS,
        type(None): st.none(),
        Path: st.sampled_from((Path("/logs/a"), Path("b c/\udcff"))),
        datetime: st.datetimes(),
    }
    if kind == dict[type, Any]:
        return st.fixed_dictionaries({}, optional={k: of(t) for k, t in PART_TYPES.items()})
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
        return st.dictionaries(of(arguments[0]), st.integers(), max_size=2).map(Counter)
    if origin is frozenset:
        return st.frozensets(of(arguments[0]), max_size=2)
    if origin is tuple and arguments[1:] == (...,):
        return st.lists(of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of, arguments))
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    names = [f.name for f in fields(kind)] if is_dataclass(kind) else kind._fields
    return st.deferred(
        lambda: st.builds(
            kind, **{n: of(t) for n, t in typing.get_type_hints(kind, localns=NAMES).items() if n in names}
        )
    )


@pytest.mark.parametrize("kind", [*EXCHANGED, *PART_TYPES], ids=lambda kind: kind.__name__)
def test_what_goes_in_comes_out(kind: Any) -> None:
    declared = PART_TYPES.get(kind, kind)

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(of(declared))
    def check(value: Any) -> None:
        assert equal(from_bytes(to_bytes(value, declared), declared), value)

    check()


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(recordings())
def test_parts_of_recordings_come_out(recording: Recording) -> None:
    found = recording.analyse()
    view = View(found.host, found.steps, found.ledger.hosts[0] if found.ledger else None, RunFacts(9, True))
    parts = {kind: part(view) for kind, part in PARTS.items()}

    assert equal(from_bytes(to_bytes(parts, dict[type, Any]), dict[type, Any]), parts)


def test_all_that_workers_do_can_be_sent() -> None:
    for work in workers.TASKS.values():
        kinds, result = signature(work)
        for kind in (*kinds[:2], result):
            parcels._form(kind)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_parcels_are_refused_or_hold_what_was_asked_for(data: st.DataObject) -> None:
    kind = tuple[dict[str, int], np.ndarray[Any, np.dtype[np.int64]], tuple[float, ...]]
    parcel = bytearray(to_bytes(({"a": 1, "b": 2}, np.arange(5), (1.5, 2.0)), kind))
    for _ in range(data.draw(st.integers(1, 3))):
        parcel[data.draw(st.integers(0, len(parcel) - 1))] = data.draw(st.integers(0, 255))
    del parcel[len(parcel) - data.draw(st.sampled_from((0, 0, 1, 30))) :]
    try:
        numbers, array, floats = from_bytes(parcel, kind)
    except BadParcel:
        return
    assert all(type(k) is str and type(v) is int for k, v in numbers.items())
    assert array.dtype == np.int64 and array.nbytes <= len(parcel)
    assert all(type(x) in (int, float) for x in floats)


@pytest.mark.parametrize(
    "text",
    [
        '[0,[["<i8",1000000000000]]]',
        '[0,[["|O",1]]]',
        '[0,[["<i8,<i8",1]]]',
        '[0,[["<U0",5]]]',
        '[0,[["<i8",-1]]]',
        '[0,[["<i8",true]]]',
        "[1,[]]",
        "[-1,[]]",
        '["0",[]]',
        "[0]",
        "[" * 100_000,
        "{}",
        "",
    ],
)
def test_hostile_parcels_are_refused(text: str) -> None:
    kind = np.ndarray[Any, np.dtype[np.int64]]
    with pytest.raises(BadParcel):
        from_bytes(len(text).to_bytes(8, "little") + text.encode() + bytes(8), kind)


@pytest.mark.parametrize(
    "kind", [object, complex, list[int], pytest.Session, Path.open, int | Path | Options]
)
def test_other_types_cannot_be_sent(kind: Any) -> None:
    with pytest.raises(TypeError):
        to_bytes(None, kind)


def test_arrays_of_objects_cannot_be_sent() -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        to_bytes(np.array([object()]), np.ndarray[Any, np.dtype[Any]])
    with pytest.raises(TypeError, match="instead of int64"):
        to_bytes(np.array([1.5]), np.ndarray[Any, np.dtype[np.int64]])
