"""The timeline of a step: rows that add up, merging that keeps sums, and steps that are named once."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from demo.build import build
from tests.builders import ALL_REDUCE, Host, inputs
from tests.pace import calm_s
from tfperf_plugin.analysis.artifacts import timeline_rows
from tfperf_plugin.analysis.artifacts.timeline_rows import (
    HOST_ROWS,
    HOST_WORK,
    NOTHING,
    GpuWork,
    Lane,
    Lanes,
)
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.arrays.intervals import EMPTY, Ints
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.judging.verdicts import Finding, Saving
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.options import BadOptionError
from tfperf_plugin.report.panels.steps import step_report
from tfperf_plugin.report.timeline.arrays import CODES, Arrays, timeline_arrays
from tfperf_plugin.report.timeline.step import TimelineRow, Wait, Window, merged, parse_window, timeline

MS = 1_000_000
WAIT = "communication.wait"
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
        flags, ~flags, ~flags, ~flags, EMPTY, "train", 0, (),
    )  # fmt: skip


def work_of(first_kernel_ns: list[int], kernels: int) -> GpuWork:
    """The work of a GPU that runs up to two kernels."""
    begin, none = np.array([0, 600]), np.array([-1, 580])
    return GpuWork(
        np.array([-5] * len(first_kernel_ns)), np.array(first_kernel_ns), begin[:kernels],
        begin[:kernels] + 500, np.arange(kernels, dtype=np.int32), ("a", "b\0")[:kernels], none[:kernels],
        np.array([-1, 0], np.int32)[:kernels], ("python\0",),
    )  # fmt: skip


def one_row(begin_ns: Ints, end_ns: Ints, code: Ints, host: str = "host") -> Arrays:
    """A GPU with these pieces in one step."""
    lane = Lane(0, "GPU:0", True, begin_ns, end_ns, code.astype(np.int16), work_of([0], 1))
    steps = host_steps(host, begin_ns[:1], end_ns[-1:])
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

    assert calm_s(lambda: timeline(arrays, Window("0")), 1) < 2
    answer = timeline(arrays, Window("0"))
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


def test_steps_whose_number_recurs_have_names_of_their_own() -> None:
    begin = np.arange(4) * MS
    lane = Lane(0, "GPU:0", True, begin, begin + MS, np.zeros(4, np.int16), work_of([0, 0, 0, 0], 0))
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


def test_a_finding_owns_all_of_an_account_or_what_lies_in_its_places(analyses: dict[str, Analysis]) -> None:
    report = analyses["gpu_stagger"].report
    assert report.ledger is not None
    wait, compute = (next(a.ns for a in report.ledger.accounts if a.id == x) for x in (WAIT, "compute"))
    place = Place("worker", 10 + 50e-6, 10 + 250e-6, "slow", "GPU:0")
    first, second, most = (
        replace(report.findings[0], id=name, saving=Saving(1, 0, "", accounts=accounts), where=where)
        for name, accounts, where in (
            ("whole", {WAIT: wait}, ()),
            ("part", {WAIT: wait // 2, "compute": compute // 2}, (place,)),
            ("most", {WAIT: wait * 9 // 10}, ()),
        )
    )
    # 0–100 compute, 100–200 waiting, 200–300 compute, 300–400 waiting.
    begin = 10 * MS + np.arange(4) * 100
    arrays = one_row(
        begin, begin + 100, np.array([ACCOUNTS.index("compute"), ACCOUNTS.index(WAIT)] * 2), "worker"
    )

    def claims(*findings: Finding) -> list[tuple[str, int, int]]:
        found = timeline(arrays, Window("0"), replace(report, findings=findings)).claims
        return [(c.finding, c.begin_ns, c.end_ns) for c in found]

    whole = [("whole", 100, 200), ("whole", 300, 400)]
    assert claims(first) == whole
    assert claims(second) == [("part", 50, 250)]
    assert claims(first, second) == [*whole, ("part", 50, 100), ("part", 200, 250)]
    assert claims(second, first) == [("part", 50, 250), ("whole", 300, 400)]
    assert claims(most) == [("most", 100, 200), ("most", 300, 380)]


@pytest.mark.parametrize("name", ["mixed_precision_off", "elementwise_fusion", "small_kernels"])
def test_a_finding_about_kernels_owns_as_much_compute_as_it_claims(tmp_path: Path, name: str) -> None:
    build(tmp_path, [name])
    analysis = analyze_run(find_runs(str(tmp_path))[0])
    report = analysis.report
    finding = next(f for f in report.findings if f.saving and f.saving.kernels)
    assert finding.saving
    step = next(column for column in report.steps.columns if column.judged)

    claims = timeline(analysis.arrays, Window(step.id, width=10_000), report).claims

    claimed = sum(c.end_ns - c.begin_ns for c in claims if c.finding == finding.id)
    assert claimed == pytest.approx(finding.saving.ns, rel=0.1)


@pytest.mark.parametrize("name", RUNS)
def test_claimed_time_has_one_owner(analyses: dict[str, Analysis], name: str) -> None:
    report, arrays = analyses[name].report, analyses[name].arrays
    for column in report.steps.columns:
        answer = timeline(arrays, Window(column.id, late=True, kernels=True), report)
        for index, row in enumerate(answer.rows):
            mine = sorted((c.begin_ns, c.end_ns) for c in answer.claims if c.row == index)
            assert not mine or (row.is_gpu and not row.kernels)
            assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(mine))
            assert all(0 <= begin < end <= row.length_ns for begin, end in mine)


def test_gpus_come_by_lateness_with_the_launch_that_they_waited_for(analyses: dict[str, Analysis]) -> None:
    report, arrays = analyses["gpu_stagger"].report, analyses["gpu_stagger"].arrays

    answer = timeline(arrays, Window("3", late=True), report)

    gpus = [row for row in answer.rows if row.is_gpu]
    assert [row.name for row in gpus] == ["GPU:3", "GPU:2", "GPU:1", "GPU:0"]
    assert [row.name for row in answer.rows[:3]] == list(HOST_ROWS)
    assert answer.others is None
    # The scenario starts each GPU 8/3 ms after the one before; steps differ by some percent.
    assert [row.behind_ns for row in gpus] == pytest.approx([8 * MS, 16 * MS / 3, 8 * MS / 3, 0], rel=0.02)
    assert [(a.from_row, a.to_row) for a in answer.arrows] == [(1, 3), (1, 4), (1, 5), (1, 6)]
    for arrow in answer.arrows:
        row = answer.rows[arrow.to_row]
        item = (
            next(i for i in report.stagger.items if (i.step, i.device) == (3, row.name))
            if report.stagger
            else None
        )
        assert item is not None and item.first_launch_ns is not None
        assert arrow.kernel_ns == round((item.begin_ms - row.origin_ms) * 1e6)
        assert arrow.kernel_ns - arrow.at_ns == item.first_kernel_ns - item.first_launch_ns


def many_gpus(count: int) -> Arrays:
    """Two hosts with ``count`` GPUs each that compute for 1 ms and run two kernels; each begins 10 µs after
    the one before."""
    begin, end = np.array([0]), np.array([MS])
    lanes = [
        Lane(host, f"GPU:{gpu}", True, begin, end, np.zeros(1, np.int16), work_of([10 + 10_000 * gpu], 2))
        for host in range(2)
        for gpu in range(count)
    ]
    steps = tuple(host_steps(host, begin, end) for host in ("left", "right"))
    zero = np.zeros(1, np.int64)
    return timeline_arrays(Lanes(tuple(lanes), steps, (zero, zero), (zero, zero)))


def test_of_many_gpus_few_are_shown_and_the_others_counted() -> None:
    def rows(*keep: str) -> list[tuple[str, str, int | None]]:
        found = timeline(many_gpus(5), Window("0", late=True, keep=keep or None))  # type: ignore[arg-type]
        assert found.others is not None
        assert (found.others.count, found.others.low_ns, found.others.high_ns) == (
            10 - len(found.rows), 0, 30000,
        )  # fmt: skip
        return [(r.host, r.name, r.behind_ns) for r in found.rows]

    few = [
        ("left", "GPU:4", 40000),
        ("right", "GPU:4", 40000),
        ("right", "GPU:2", 20000),
        ("right", "GPU:0", 0),
    ]
    assert rows() == few
    assert rows("right", "GPU:3") == [*few[:2], ("right", "GPU:3", 30000), *few[2:]]


def test_kernels_have_a_row_with_their_names() -> None:
    answer = timeline(many_gpus(1), Window("0", "right", 550, 900, kernels=True))

    accounts, kernels = answer.rows
    assert (accounts.kernels, kernels.kernels) == (False, True)
    assert (kernels.begin_ns, kernels.end_ns, kernels.code) == ([600], [900], [0])
    assert [answer.names[code] for code in kernels.code] == ["b "]
    assert kernels.sums_ns == {}
    assert (accounts.thread, accounts.launched_ns) == ((), ())


def test_kernels_say_who_launched_them_unless_several_are_one_span() -> None:
    answer = timeline(many_gpus(1), Window("0", "left", kernels=True))
    kernels = answer.rows[1]

    assert [answer.names[code] for code in kernels.code] == ["a", "b "]
    assert kernels.thread[0] == kernels.launched_ns[0] == -1
    assert (answer.names[kernels.thread[1]], kernels.launched_ns[1]) == ("python ", 580)
    merged = timeline(many_gpus(1), Window("0", "left", kernels=True, spans=2, width=1)).rows[1]
    assert (merged.pieces, merged.thread, merged.launched_ns) == ([2], (-1,), (-1,))


def test_of_kernels_that_overlap_the_first_is_shown_and_few_events_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = Host("worker", gpus=2).steps(3, 10)
    for gpu in range(2):
        host.kernel(1, 5, gpu, "first", launch=(0.5, 0.6))
        host.kernel(2, 3, gpu, "hidden", stream=8)
        host.kernel(4, 7, gpu, "second", stream=8)

    def works() -> list[GpuWork]:
        (view,) = inputs(host).views
        found = timeline_rows.finish({"worker": timeline_rows.part(view)}, Steps((view.steps,)), None)
        return [lane.work for lane in found.lanes if lane.work]

    one, other = works()
    assert (one.begin_ns.tolist(), one.end_ns.tolist()) == ([1 * MS, 5 * MS], [5 * MS, 7 * MS])
    assert [one.names[code] for code in one.name] == ["first", "second"]
    assert (one.launch_ns[0], one.kernel_ns[0]) == (MS // 2, MS)
    assert (one.launched_ns.tolist(), one.thread.tolist(), one.threads) == (
        [MS // 2, -1],
        [0, -1],
        ("python3",),
    )
    monkeypatch.setattr(timeline_rows, "KERNELS_EVENTS", 3)
    one, other = works()
    assert (len(one.name), len(other.name), other.names) == (2, 0, ())
    assert other.kernel_ns[0] == MS


def test_kernels_that_lie_far_apart_stay_apart() -> None:
    begin = np.array([0, 10, 1000, 1010])

    spans = merged(begin, begin + 5, np.zeros(4, np.int64), 100)

    assert list(zip(spans.begin_ns, spans.end_ns, spans.pieces, strict=True)) == [(0, 15, 2), (1000, 1015, 2)]


@pytest.mark.parametrize("given", [{"order": "early"}, {"lane": "copies"}])
def test_orders_and_lanes_that_do_not_exist(given: dict[str, str]) -> None:
    with pytest.raises(BadOptionError, match="or left out"):
        parse_window({"step": "1", **given})


def test_a_step_without_length_has_no_spans(tmp_path: Path) -> None:
    host = Host()
    for number, (begin, end) in enumerate([(0, 10), (10, 10), (10, 20), (20, 30)]):
        host.stored_step(number, begin, end)
    host.kernel(1, 12)
    host.kernel(13, 25)
    folder = tmp_path / "plugins" / "profile" / "run"
    folder.mkdir(parents=True)
    (folder / "host.xplane.pb").write_bytes(host.to_bytes())
    analysis = analyze_run(find_runs(str(tmp_path))[0])

    found = timeline(analysis.arrays, Window("1", kernels=True), analysis.report)

    assert found.length_ns == 0
    assert not any(row.begin_ns for row in found.rows)


@pytest.mark.parametrize(
    ("begin_ms", "launch_ms", "note"),
    [
        (0, 0, "the whole recording"),
        (30, 0, "the recording without its first 30.0 ms"),
        (30, 30, "the recording from 30.0 ms on"),
    ],
)
def test_a_recording_that_counts_as_one_step_says_from_when_on(
    begin_ms: int, launch_ms: int, note: str
) -> None:
    host = Host()
    host.event("aten::linear", launch_ms, launch_ms + 10)
    for number in range(10):
        at, launch = begin_ms + 10 * number, launch_ms + number
        host.kernel(at, at + 5 + number / 10, name=f"kernel {number}", launch=(launch, launch + 0.1))
    found = inputs(host)
    lanes = timeline_rows.finish({"worker": ()}, found.steps, None)

    assert [column.note for column in step_report(lanes, found.steps, None).columns] == [note]


def turns() -> Host:
    """Two GPUs, of which GPU 1 computes 20 ms longer in even steps and GPU 0 10 ms longer in odd ones."""

    def step(host: Host, at: float) -> None:
        work = (30, 50) if at % 200 == 0 else (40, 30)
        for gpu, ms in enumerate(work):
            host.kernel(at, at + ms, gpu)
            host.kernel(at + ms, at + 60, gpu, ALL_REDUCE, stream=9)

    return Host("worker", gpus=2).trained(6, 100, step)


def test_who_is_late_is_said_of_the_step_in_view_and_each_wait_names_the_gpu_that_it_is_for() -> None:
    given = inputs(turns())
    (view,) = given.views
    lanes = timeline_rows.finish({"worker": timeline_rows.part(view)}, Steps((view.steps,)), given.ledger)
    arrays = timeline_arrays(lanes)

    def late(step: str) -> list[tuple[str, int | None]]:
        answer = timeline(arrays, Window(step, late=True))
        return [(row.name, row.behind_ns) for row in answer.rows if row.is_gpu]

    assert late("2") == [("GPU:1", 20 * MS), ("GPU:0", 0)]
    assert late("3") == [("GPU:0", 10 * MS), ("GPU:1", 0)]
    answer = timeline(arrays, Window("2", late=True))
    gpus = [row.name for row in answer.rows]
    assert answer.waits == [
        Wait(gpus.index("GPU:0"), 30 * MS, 50 * MS, "AllReduce", "worker", "GPU:1", 50 * MS)
    ]
    part = timeline(arrays, Window("2", begin_ns=40 * MS, end_ns=45 * MS))
    assert [(wait.begin_ns, wait.end_ns) for wait in part.waits] == [(40 * MS, 45 * MS)]
