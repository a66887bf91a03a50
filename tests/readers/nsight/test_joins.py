"""Launches and ops as whoever reads the tables row by row would find them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.strategies  # noqa: F401 - the profile of hypothesis
from tests.readers.nsight.writer import Export

PROCESSES = (100, 200)
SPANS = st.tuples(st.integers(0, 40), st.integers(1, 30), st.sampled_from(PROCESSES), st.integers(1, 2))
RANGES = st.lists(st.tuples(SPANS, st.sampled_from(["aten::a", "aten::b", "mine"])), max_size=8)
CALLS = st.lists(st.tuples(SPANS, st.integers(0, 4)), max_size=8)
WORK = st.tuples(st.integers(0, 100), st.integers(1, 20), st.sampled_from(PROCESSES), st.integers(0, 5))


@given(RANGES, CALLS, st.lists(WORK, max_size=8))
def test_launches_and_ops_are_those_of_the_rows(
    tmp_path_factory: pytest.TempPathFactory,
    ranges: list[tuple[tuple[int, int, int, int], str]],
    calls: list[tuple[tuple[int, int, int, int], int]],
    kernels: list[tuple[int, int, int, int]],
) -> None:
    export = Export()
    for (begin, length, process, thread), name in ranges:
        export.range(name, begin, begin + length, process=process, thread=thread)
    for (begin, length, process, thread), correlation in calls:
        export.call("call", begin, begin + length, correlation, process=process, thread=thread)
    for begin, length, process, correlation in kernels:
        export.kernel(begin, begin + length, correlation=correlation, process=process)

    trace = export.trace(tmp_path_factory.mktemp("joins"))

    events = trace.events
    assert len(events.start_ns) == len(ranges) + len(calls)
    found = []
    for gpu in trace.devices:
        assert (gpu.start_ns[1:] >= gpu.start_ns[:-1]).all()
        for begin, end, launch, op in zip(gpu.start_ns, gpu.end_ns, gpu.launch, gpu.op, strict=True):
            called = int(events.start_ns[launch]) if launch >= 0 else -1
            found.append((int(begin), int(end), called, gpu.ops[op] if op >= 0 else ""))
    expected = []
    for begin, length, process, correlation in kernels:
        launches = [span for span, number in calls if span[2] == process and number == correlation]
        op = around(launches[0], ranges) if launches else ""
        expected.append((begin, begin + length, launches[0][0] if launches else -1, op))
    assert sorted(found) == sorted(expected)


def around(call: tuple[int, int, int, int], ranges: list[tuple[tuple[int, int, int, int], str]]) -> str:
    """The op of the range that begins last of those that enclose the call on its thread."""
    begin, length, *where = call
    inner = [
        (span[0], -span[1], index, name)
        for index, (span, name) in enumerate(ranges)
        if name != "mine"
        and [*span[2:]] == where
        and span[0] <= begin
        and begin + length <= span[0] + span[1]
    ]
    return max(inner)[-1] if inner else ""
