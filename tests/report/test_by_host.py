"""A run read host by host says what it says as a whole, whoever reads the hosts, in whatever grouping."""

from __future__ import annotations

import gc
import os
import tracemalloc
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import find_communication, inputs_of, make_ledger
from tests.equality import equal
from tests.logdirs import many_hosts
from tests.strategies import Recording, recordings
from tfperf_plugin.analysis.artifacts.by_host import (
    RunFacts,
    View,
    merged,
)
from tfperf_plugin.analysis.evidence import Place, Places
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution import analyze
from tfperf_plugin.execution import hosts as summary
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.execution.hosts import PARTS, Summary, analyze_host, survey_host
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.text import to_markdown, to_text
from tfperf_plugin.report.timeline.step import Window, timeline


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Four hosts, of which the third is slow."""
    (found,) = finding.find_runs(str(many_hosts(tmp_path_factory.mktemp("many"), 4)))
    return found


@pytest.fixture(scope="module")
def whole(run: Run) -> Analysis:
    return analyze_run(run)


def silent(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
    """Tells nobody."""


class Backwards(Executor):
    """Runs what it is given later, the last one first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self.expected = 4

    def submit(self, work: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, work, args))
        if len(self.waiting) == self.expected:
            for later, call, arguments in reversed(self.waiting):
                later.set_result(call(*arguments))
            self.waiting.clear()
        return future


@pytest.mark.parametrize("kept_bytes", [0, 1 << 30])
def test_the_order_in_which_hosts_are_done_changes_nothing(
    run: Run, whole: Analysis, kept_bytes: int
) -> None:
    found = analyze_run(run, Options(), silent, Backwards(), kept_bytes)

    assert replace(found.report, timing=()) == replace(whole.report, timing=())
    assert equal(dict(found.arrays), dict(whole.arrays))
    assert not summary._kept


@pytest.fixture(scope="module")
def hosts(run: Run) -> list[Summary]:
    looks = [survey_host(file, 0) for file in run.hosts]
    tasks = analyze._tasks(looks, True, (), True)
    return [analyze_host(file, joined) for file, joined in zip(run.hosts, tasks, strict=True)]


def test_merging_hosts_is_associative(hosts: list[Summary]) -> None:
    a, b, c, d = hosts

    in_turn = reduce(merged, hosts)

    assert equal(in_turn, merged(merged(a, b), merged(c, d)))
    assert equal(in_turn, merged(a, merged(b, merged(c, d))))
    assert in_turn.hosts == ("worker000", "worker001", "worker002", "worker003")


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(recordings(), min_size=3, max_size=3))
def test_merging_parts_of_any_hosts_is_associative(recorded: list[Recording]) -> None:
    views = []
    for number, recording in enumerate(recorded):
        found = recording.analyse()
        host = replace(found.host, host=f"worker{number}")
        steps = replace(found.steps, host=host.host)
        ledger = None
        if found.ledger:
            ledger = replace(found.ledger.hosts[0], host=host.host, steps=steps)
        views.append(View(host, steps, ledger, RunFacts(1000, True)))
    for kind, part in PARTS.items():
        a, b, c = map(part, views)
        assert equal(merged(merged(a, b), c), merged(a, merged(b, c))), kind.__name__
        assert equal(merged(a, None), a)


PLACES = st.lists(
    st.builds(
        lambda weight, host, at: (weight, Place(host, at, at + 1.0, "x")),
        st.integers(0, 5), st.sampled_from("abc"), st.integers(0, 3),
    )
).map(Places.of)  # fmt: skip
COUNTS = st.dictionaries(st.sampled_from("abcd"), st.integers(-9, 9))
VALUES = st.tuples(st.integers(), st.booleans(), COUNTS, st.frozensets(st.sampled_from("ab")), PLACES).map(
    lambda v: {"n": v[0], "flag": v[1], "counts": v[2], "names": v[3], "where": v[4]}
)


@given(VALUES, VALUES, VALUES)
def test_merging_values_is_associative(a: Any, b: Any, c: Any) -> None:
    assert merged(merged(a, b), c) == merged(a, merged(b, c))
    assert merged(a, b)["counts"] == {
        k: a["counts"].get(k, 0) + b["counts"].get(k, 0) for k in {**a["counts"], **b["counts"]}
    }


def test_what_has_no_meaning_is_not_merged() -> None:
    with pytest.raises(TypeError, match="object cannot be merged"):
        merged(object(), object())


def test_a_file_that_changes_between_the_looks_is_told(run: Run, tmp_path: Path) -> None:
    (changing,) = finding.find_runs(str(many_hosts(tmp_path, 3)))

    def progress(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if stage == "ledger" and hosts == (1, 3):
            os.utime(changing.hosts[2].path, (1, 1))

    with pytest.raises(UnreadableInput, match="Host worker002: the file has changed while it was read"):
        analyze_run(changing, Options(), progress, kept_bytes=0)


def test_rules_ask_for_no_other_places_than_hosts_keep(whole: Analysis) -> None:
    """``Timeline.worst`` of accounts that no host's part holds would be an error of the rule."""
    assert whole.report.errors == ()


def test_memory_grows_by_summaries_not_by_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "ARRAYS_EVENTS", 0)  # timelines, which are limited by themselves

    def peak(count: int) -> int:
        (chosen,) = finding.find_runs(str(many_hosts(tmp_path / str(count), count, steps=9)))
        thresholds = gc.get_threshold()
        gc.set_threshold(50)  # what waits to be collected is not kept
        gc.collect()
        gc.freeze()  # else what other tests left puts full collections off
        gc.collect()
        tracemalloc.start()
        try:
            analyze_run(chosen, kept_bytes=0)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            gc.unfreeze()
            gc.set_threshold(*thresholds)

    peak(1)  # what is made once in a process
    # With fewer hosts the peak is where one of them is decoded.
    grown = (peak(8) - peak(4)) / (8 - 4)

    (one,) = finding.find_runs(str(tmp_path / "1"))
    assert grown < summary._size(summary.decode(one.hosts[0])) / 4


def test_what_is_not_kept_of_a_large_run_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [survey_host(file, 0) for file in run.hosts]
    events = [look.device_events_count for look in looks]
    monkeypatch.setattr(analyze, "ARRAYS_EVENTS", sum(events[:2]))

    found = analyze_run(run)
    (timelines,) = found.report.omitted

    assert timelines.hosts == ("worker002", "worker003")
    assert "kept of 2 of 4 hosts only, without worker002 and worker003" in timelines.sentence
    assert (
        f"{sum(events):,} GPU events" in timelines.sentence and f"{sum(events[:2]):,}" in timelines.sentence
    )
    for words in (to_text(found.report, False), to_markdown(found.report), to_html(found.report)):
        assert timelines.sentence in words
    columns = found.report.steps.columns  # in the middle: all hosts have the step
    answer = timeline(found.arrays, Window(columns[len(columns) // 2].id))
    assert answer.left_out == ["worker002", "worker003"]
    assert {row.host for row in answer.rows} == {"worker000", "worker001"}


def test_summaries_equal_what_events_in_memory_say(run: Run, whole: Analysis) -> None:
    decoded = [summary.decode(file) for file in run.hosts]
    from tfperf_plugin.analysis.steps import Steps
    from tfperf_plugin.judging.engine.run import run_rules
    from tfperf_plugin.judging.rules import RULES

    traces, steps = tuple(d.trace for d in decoded), tuple(d.steps for d in decoded)
    ledger = make_ledger(traces, steps, find_communication(traces, steps))
    outcome = run_rules(RULES, inputs_of(traces, Steps(steps), ledger))

    # Only a complete report projects the step.
    found = [replace(f, after=None) for f in whole.report.findings]
    assert list(outcome.findings) == found
    assert outcome.passed == whole.report.passed
