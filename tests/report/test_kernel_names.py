"""Kernels by name: each is one row, and nothing is lost or counted twice against the rows that it sums."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.reports import make_report, rows
from tfperf_plugin.analysis.artifacts.compute.bounds import UNKNOWN, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.ops import KernelOfOp, Ops, ops_of
from tfperf_plugin.analysis.artifacts.compute.phases import Phase
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.kernels import ROWS_CAP, kernel_tables
from tfperf_plugin.trace.roles import KernelClass, Precision


def bound(total_ns: int, floor_ns: int, not_judged: str = "") -> OpBound:
    numbers = dict.fromkeys(
        (name for name, kind in OpBound.__annotations__.items() if kind in ("int", int)), 0
    )
    numbers |= {"total_ns": total_ns, "judged_ns": total_ns, "floor_ns": floor_ns, "peak_ns": floor_ns // 2}
    if not_judged:
        numbers |= {"judged_ns": 0, "floor_ns": 0, "peak_ns": 0}
    return OpBound(
        **numbers, name="", not_judged=not_judged, format="", matrix=False, work=None, kernel="", details="",
        bound_ns={} if not_judged else {"memory": total_ns}, kernel_class=KernelClass.OTHER,
        longest=Place("", 0, 0, ""),
    )  # fmt: skip


@st.composite
def kernels(draw: st.DrawFn) -> tuple[Ops, Bounds]:
    """Few names, ops and configurations, so that many rows share them."""
    keys = st.tuples(
        st.sampled_from("abc"), st.sampled_from("uvwxyz"), st.sampled_from(["", "regs:8", "regs:9"])
    )
    rows = []
    for name, op, details in draw(st.lists(keys, min_size=1, max_size=20, unique=True)):
        count, least = draw(st.integers(1, 9)), draw(st.integers(1, 1_000))
        most = least + draw(st.integers(0, 1_000))
        kind = (
            name,
            f"{op}:Op",
            Phase.FORWARD if op < "x" else Phase.BACKWARD,
            KernelClass.OTHER,
            Precision.FP32,
        )
        rows.append(KernelOfOp(*kind, details, Times(count, count * (least + most) // 2, least, most)))
    rows.sort(key=lambda r: (-r.times.total_ns, r.name, r.op, r.details))
    found = ops_of(rows, draw(st.integers(1, 4)))
    floors = {
        ("", op.name): bound(
            op.times.total_ns,
            draw(st.integers(0, op.times.total_ns)),
            draw(st.sampled_from(["", "", UNKNOWN])),
        )
        for op in found.ops
    }
    return found, Bounds(floors, found.total_ns, found.windows_count, found.total_ns)


def made(found: Ops, bounds: Bounds) -> Callable[[str], list[Any]]:
    """The rows of each table."""
    tables = kernel_tables(found, Kernels((), 1), bounds)
    report = replace(make_report(), sections=(model.Section("kernels", "", "", "", tables),))
    return lambda id: rows(report, id)


@given(kernels())
def test_a_name_sums_its_rows(drawn: tuple[Ops, Bounds]) -> None:
    found, bounds = drawn
    of = made(replace(found, windows_count=1), bounds)
    names, launches = of("kernels"), of("launches")

    assert len({row.name for row in names}) == len(names)
    assert [row.ns for row in names] == sorted((row.ns for row in names), reverse=True)
    assert sum(row.configurations for row in names) == len(launches)
    for row in names:
        same = [one for one in launches if one.name == row.name]
        assert row.ns == sum(one.ns for one in same)
        assert row.count_per_step == sum(one.count_per_step for one in same)
        assert (row.min_ns, row.max_ns) == (min(o.min_ns for o in same), max(o.max_ns for o in same))
        by_op: defaultdict[str, int] = defaultdict(int)
        for one in same:
            by_op[one.op] += one.ns
        assert (by_op[row.op], row.ops) == (max(by_op.values()), len(by_op))
        assert set(row.phase.split(", ")) == {one.phase for one in same}
        registers = {one.registers for one in same}
        assert row.registers == (registers.pop() if len(registers) == 1 else None)
    assert abs(sum(row.ratio for row in names) - 1) < 1e-9


@given(kernels())
def test_bounds_are_those_of_ops_with_one_kernel(drawn: tuple[Ops, Bounds]) -> None:
    found, bounds = drawn
    one_step = replace(found, windows_count=1)
    launched: defaultdict[str, set[str]] = defaultdict(set)
    for kernel in found.kernels:
        launched[kernel.op].add(kernel.name)
    of = made(one_step, bounds)
    judged = [row for row in of("ops") if not row.not_judged and len(launched[f"{row.name}:{row.type}"]) == 1]
    names = of("kernels")
    for field in ("floor_ns", "peak_ns", "judged_ns"):
        mine = [getattr(row, field) for row in names if row.floor_ns is not None]
        assert sum(mine) == sum(getattr(row, field) for row in judged)
    assert all(
        (row.judged_ns or 0) <= row.ns and (row.floor_ns or 0) <= (row.judged_ns or 0) for row in names
    )
    assert all((row.bound_by == "memory") == (row.floor_ns is not None) for row in names)


@given(kernels())
def test_an_average_step_loses_less_than_a_nanosecond_a_row(drawn: tuple[Ops, Bounds]) -> None:
    found, bounds = drawn
    names = made(found, bounds)("kernels")
    total = found.total_ns / found.windows_count
    assert total - len(names) < sum(row.ns for row in names) <= total
    assert len(names) <= ROWS_CAP
