"""The timeline of a step: rows that add up, merging that keeps sums, and steps that are named once."""

from __future__ import annotations

import time

import numpy as np
import pytest

from demo.build import build
from tfperf_plugin.analysis.artifacts.timeline_rows import HOST_ROWS, HOST_WORK, NOTHING, Lane, Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import EMPTY, Ints
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.readers.logdir import find_runs
from tfperf_plugin.report.options import BadOptionError
from tfperf_plugin.report.panels.timeline import (
    CODES,
    Arrays,
    TimelineRow,
    Window,
    merged,
    parse_window,
    timeline,
    timeline_arrays,
)

MS = 1_000_000
RUNS = ("gpu_stagger", "input_bound", "slow_host", "eager_execution", "step_outliers")


@pytest.fixture(scope="module")
def analyses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Analysis]:
    folder = tmp_path_factory.mktemp("runs")
    build(folder, list(RUNS))
    return {run.name.split("/")[0]: analyze_run(run) for run in find_runs(str(folder))}


def host_steps(name: str, begin_ns: Ints, end_ns: Ints, number: Ints | None = None) -> HostSteps:
    count = len(begin_ns)
    flags = np.ones(count, np.bool_)
    return HostSteps(
        name, "markers", np.arange(count) if number is None else number, begin_ns, end_ns, begin_ns, end_ns,
        flags, ~flags, ~flags, EMPTY, "train", 0, (),
    )  # fmt: skip


def one_row(begin_ns: Ints, end_ns: Ints, code: Ints) -> Arrays:
    """A GPU with these pieces in one step."""
    lane = Lane(0, "GPU:0", True, begin_ns, end_ns, code.astype(np.int16))
    steps = host_steps("host", begin_ns[:1], end_ns[-1:])
    return timeline_arrays(Lanes((lane,), (steps,), (steps.number,), (np.zeros(1, np.int64),)))


def synthetic(count: int, seed: int = 0) -> tuple[Ints, Ints, Ints]:
    """Pieces without gaps, most of them short, some long."""
    random = np.random.default_rng(seed)
    length = random.integers(1, 3000, count) * np.where(random.random(count) < 0.01, 100, 1)
    end = np.cumsum(length) + 5 * MS
    return end - length, end, random.integers(0, len(ACCOUNTS), count)


def spans_of(row: TimelineRow) -> tuple[Ints, Ints, Ints]:
    return np.array(row.begin_ns), np.array(row.end_ns), np.array(row.code)


@pytest.mark.parametrize("window", [(0, None), (3 * MS, 40 * MS), (7 * MS + 13, 7 * MS + 5001)])
def test_sums_of_merged_rows_are_those_of_their_pieces(window: tuple[int, int | None]) -> None:
    begin, end, code = synthetic(100_000)
    low, high = window[0], window[1] if window[1] is not None else int(end[-1] - begin[0])

    (row,) = timeline(one_row(begin, end, code), Window("0", None, *window)).rows

    length = np.clip(end - begin[0], low, high) - np.clip(begin - begin[0], low, high)
    expected = {ACCOUNTS[i]: int(length[code == i].sum()) for i in range(len(ACCOUNTS))}
    assert row.sums_ns == {account: ns for account, ns in expected.items() if ns}
    first, last, codes = spans_of(row)
    assert (first[0], last[-1]) == (low, high)
    np.testing.assert_array_equal(first[1:], last[:-1])
    assert sum(row.pieces) == row.pieces_count == int((length > 0).sum())
    assert len(codes) <= 5000


def test_a_hundred_thousand_pieces_are_usable() -> None:
    arrays = one_row(*synthetic(100_000))
    begun = time.perf_counter()

    answer = timeline(arrays, Window("0"))

    assert time.perf_counter() - begun < 2
    assert answer.merged_below_ns > 0
    assert 500 < len(answer.rows[0].code) <= 5000


def test_a_merged_span_belongs_to_what_holds_most_of_it_and_long_ones_stay() -> None:
    begin = np.array([0, 10, 30, 40, 1040, 1050, 1055])
    end = np.array([10, 30, 40, 1040, 1050, 1055, 1100])
    code = np.array([0, 3, 0, 5, 0, NOTHING, 0])

    spans = merged(begin, end, code, 100)

    assert list(zip(spans.begin_ns, spans.end_ns, spans.code, spans.pieces, strict=True)) == [
        (0, 40, 0, 3),
        (40, 1040, 5, 1),
        (1040, 1100, 0, 3),
    ]


def test_a_finer_window_shows_what_was_merged() -> None:
    begin, end, code = synthetic(100_000)
    arrays = one_row(begin, end, code)

    (row,) = timeline(arrays, Window("0", None, 20 * MS, 21 * MS)).rows

    inside = (end - begin[0] > 20 * MS) & (begin - begin[0] < 21 * MS)
    assert row.pieces == [1] * int(inside.sum())
    assert row.code == code[inside].tolist()


@pytest.mark.parametrize("name", RUNS)
def test_rows_of_demo_runs_add_up_to_the_report(analyses: dict[str, Analysis], name: str) -> None:
    report, arrays = analyses[name].report, analyses[name].arrays
    items = {(i.host, round(i.begin_ms * 1e6)): i for i in report.steps.items}
    for column in report.steps.columns:
        answer = timeline(arrays, Window(column.id))
        for row in answer.rows:
            first, last, codes = spans_of(row)
            assert (last > first).all()
            assert (first[1:] >= last[:-1]).all()
            if not row.is_gpu:
                allowed = {CODES.index(work) for work in HOST_ROWS[row.name]}
                assert set(codes.tolist()) <= allowed
                continue
            assert sum(row.sums_ns.values()) == row.length_ns
            item = items[row.host, round(row.origin_ms * 1e6)]
            (device,) = (d for d in item.devices if d.device == row.name)
            assert row.sums_ns == device.accounts


@pytest.mark.parametrize("name", RUNS)
def test_columns_average_the_ledger(analyses: dict[str, Analysis], name: str) -> None:
    report = analyses[name].report
    columns = report.steps.columns
    assert len({c.id for c in columns}) == len(columns) == report.steps.columns_total
    assert [c.number for c in columns] == sorted(c.number for c in columns)
    if report.ledger is None:
        assert not any(c.accounts or c.gpus_count for c in columns)
        return
    assert all(sum(c.accounts.values()) == c.step_ns for c in columns)
    judged = [c for c in columns if c.judged]
    mean = sum(c.step_ns * c.gpus_count for c in judged) / sum(c.gpus_count for c in judged)
    assert mean == pytest.approx(report.ledger.step_ns, abs=1)


def test_outliers_are_the_steps_that_the_rule_names(analyses: dict[str, Analysis]) -> None:
    report = analyses["step_outliers"].report
    (finding,) = (f for f in report.findings if f.id == "step-outliers")

    outliers = {c.number for c in report.steps.columns if c.outlier}

    assert outliers >= {place.step for place in finding.where} != set()


def test_hosts_explain_why_gpus_idle(analyses: dict[str, Analysis]) -> None:
    def share(name: str, row: str, work: str) -> float:
        analysis = analyses[name]
        column = next(c for c in analysis.report.steps.columns if c.judged)
        found = timeline(analysis.arrays, Window(column.id)).rows
        shares = [r.sums_ns.get(work, 0) / r.length_ns for r in found if r.name == row]
        return float(max(shares))

    assert share("input_bound", "step", "host.input") > 0.3
    assert share("input_bound", "input", "host.pipeline") > 0.5
    assert share("gpu_stagger", "launches", "host.launch") > 0.3


def test_hosts_are_aligned_at_the_begin_of_the_step(analyses: dict[str, Analysis]) -> None:
    analysis = analyses["slow_host"]
    column = analysis.report.steps.columns[2]

    answer = timeline(analysis.arrays, Window(column.id))
    names = answer.hosts
    (alone,) = {r.host for r in timeline(analysis.arrays, Window(column.id, names[1])).rows}

    assert names == list(analysis.report.hosts)
    assert len({r.origin_ms for r in answer.rows}) == len(names)
    assert all(r.begin_ns[0] == 0 for r in answer.rows if r.is_gpu)
    assert alone == names[1]


def test_steps_whose_number_recurs_have_names_of_their_own() -> None:
    begin = np.arange(4) * MS
    lane = Lane(0, "GPU:0", True, begin, begin + MS, np.zeros(4, np.int16))
    steps = host_steps("host", begin, begin + MS, np.array([1, 2, 1, 2]))
    lanes = Lanes((lane,), (steps,), (steps.number,), (np.array([0, 0, 1, 1]),))

    answer = timeline(timeline_arrays(lanes), Window("1~2"))

    assert answer.rows[0].origin_ms == 2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "names no step"),
        ({"step": "1", "begin_ms": "-1"}, "begin_ms must be a number of milliseconds"),
        ({"step": "1", "end_ms": "nan"}, "end_ms must be a number of milliseconds"),
        ({"step": "1", "begin_ms": "2", "end_ms": "2"}, "must be greater"),
        ({"step": "1", "width": "0"}, "width must be a whole number from 1 to 10000"),
        ({"step": "1", "spans": "1e3"}, "spans must be a whole number"),
    ],
)
def test_windows_that_make_no_sense(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadOptionError, match=sentence):
        parse_window(given)


@pytest.mark.parametrize("step", ["9", "x", "1~0", "0~2", "١", "9" * 30, "<b>"])
def test_steps_that_are_not_there(step: str) -> None:
    with pytest.raises(BadOptionError, match="There is no step"):
        timeline(one_row(*synthetic(10)), Window(step))


def test_hosts_and_profiles_without_steps() -> None:
    with pytest.raises(BadOptionError, match="was not recorded on host 'other'"):
        timeline(one_row(*synthetic(10)), Window("0", "other"))
    with pytest.raises(BadOptionError, match="does not tell where a step begins"):
        timeline(timeline_arrays(Lanes((), (), (), ())), Window("0"))


def test_every_work_of_a_host_has_a_row() -> None:
    assert {work for row in HOST_ROWS.values() for work in row} == set(HOST_WORK)
