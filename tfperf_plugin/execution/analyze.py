"""From a run to its report: reads and analyzes each host, runs the rules, and assembles the report."""

from __future__ import annotations

import contextlib
import logging
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from datetime import timezone
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts import timeline_rows
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, mean_step_ns, merged_all
from tfperf_plugin.analysis.collectives import awaited_until
from tfperf_plugin.analysis.communication import join_hosts
from tfperf_plugin.analysis.ledger import joined_ledger
from tfperf_plugin.analysis.pace import Written
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.errors import (
    Canceled,
    FileChanged,
    NotJudgeable,
    TfperfError,
    UnreadableInput,
    lacks_memory,
)
from tfperf_plugin.execution.cache import Analysis as Analysis
from tfperf_plugin.execution.hosts import (
    KEPT_BYTES,
    HostSurvey,
    HostTask,
    Summary,
    analyze_host,
    forget,
    survey_host,
)
from tfperf_plugin.execution.limits import TimeUp
from tfperf_plugin.execution.stages import Progress as Progress
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.readers.anomalies import Anomaly
from tfperf_plugin.readers.base import Source
from tfperf_plugin.readers.logdirs.finding import beside
from tfperf_plugin.readers.logdirs.runs import HostFile, Run, stamp_of
from tfperf_plugin.readers.scalars import event_files, read_scalars
from tfperf_plugin.recording.record import TrainingFacts, read_records
from tfperf_plugin.recording.resources import Recorded, read_resources
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.assemble import assemble, left_out, omitted_rows
from tfperf_plugin.report.options import Options, tried_rows, values
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render.agent import with_agent_texts
from tfperf_plugin.report.timeline.arrays import Arrays, timeline_arrays

ARRAYS_EVENTS: Final = 4_000_000
"""Timelines are kept for the first hosts up to this total number of GPU events. Larger arrays would exceed
the whole cache."""
POLL_S: Final = 0.1
# Local time differs from UTC by less.
_ZONES_S: Final = 15 * 3600.0
# Share of the work done before each stage, for a run of one host.
_SHARES: Final = {"read": 0.0, "trace": 0.45, "steps": 0.6, "ledger": 0.65, "rules": 0.75}

_log = logging.getLogger(__name__)
T = TypeVar("T")
_UNSTATED = Options()


def _silent(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
    """Reports no progress."""


def build_report(run: Run, options: Options = _UNSTATED, progress: Progress = _silent) -> model.Report:
    """The report of ``analyze_run``, without arrays."""
    return analyze_run(run, options, progress, with_arrays=False).report


def analyze_run(
    run: Run,
    options: Options = _UNSTATED,
    progress: Progress = _silent,
    executor: Executor | None = None,
    kept_bytes: int = KEPT_BYTES,
    with_arrays: bool = True,
) -> Analysis:
    """Analyses one run, host by host.

    Args:
        run: from ``readers.logdirs.finding.find_runs``.
        options: the user's statements about the training, and trial thresholds.
        progress: see ``Progress``.
        executor: runs the two passes over each host (``hosts.py``); by default, this thread runs them.
        kept_bytes: how many bytes of decoded hosts a process may keep between the passes.
        with_arrays: false saves the time to make the arrays of the result.

    Raises:
        UnreadableInput: no file of the run is a profile; the report leaves out single ones that are none.
        NotJudgeable: the files hold neither GPU nor host events.
    """
    clock, broken = _Clock(progress), _Broken(run.hosts)
    try:
        summary, size = _summarize_hosts(run, clock, executor, kept_bytes, with_arrays, broken)
    finally:
        forget()
    clock.enter("rules", 0.85)
    steps, ledger = Steps(summary.steps), joined_ledger(summary.ledgers)
    records = read_records(run.records)
    facts = TrainingFacts(tuple(r.content for r in records)) if records else None
    anomalies = (*broken.anomalies(), *summary.anomalies)
    losses = tuple(dict.fromkeys(anomaly.sentence for anomaly in anomalies if anomaly.severity != "info"))
    about = RunFacts(
        mean_step_ns(summary.steps), size.training, beside(run), run.path.name, losses, size.source.recorder
    )
    recorded = _recorded(run, steps, size.profile_start_ns)
    inputs = Inputs(
        lambda kind: getattr(summary.parts, kind.__name__), steps, ledger, about, options, facts, recorded
    )
    outcome = run_rules(RULES, inputs, values(options.tried))
    clock.enter("report", 0.95)
    rows = timeline_rows.finish(summary.lanes, steps, ledger)
    written = _written(run, size.profile_start_ns)
    summary = replace(summary, lanes={})
    report = assemble(
        run.name, size.source, summary.hosts, inputs, rows, records, outcome, anomalies, written
    )
    timing = clock.stages(summary.spent_ns)
    omitted = (
        *left_out(broken.said, len(run.hosts)),
        *omitted_rows(summary.hosts, size.without_timeline, size.device_events_count, ARRAYS_EVENTS),
    )
    arrays: Arrays = timeline_arrays(rows) if with_arrays else {}
    report = replace(report, tried=tried_rows(options.tried), omitted=omitted, timing=timing)
    report = with_agent_texts(with_words(report))
    return Analysis(report, arrays)


def _written(run: Run, start_ns: int | None) -> Written:
    """What the training wrote beside the run. Of the start of a profile, a folder's name says the local time,
    which is off by the place of the machine that wrote it."""
    files, begin_ns = read_scalars(event_files(run)), start_ns or run.begin_ns
    if begin_ns is not None:
        return Written(files, begin_ns / 1e9)
    stamp = stamp_of(run)
    return Written(files, stamp.replace(tzinfo=timezone.utc).timestamp() if stamp else None, _ZONES_S)


def _recorded(run: Run, steps: Steps, start_ns: int | None) -> Recorded | None:
    """What the machines did while the profiled training ran, ``None`` if it is not known to be this one.

    Without steps, the start of the profile stands for them.
    """
    zero_ns = start_ns or run.begin_ns
    if zero_ns is None:
        return None
    known = steps.hosts if steps.source != "recording" else ()
    first = next((host for host in known if len(host)), None)
    begin_ns, end_ns = (int(first.begin_ns[0]), int(first.end_ns[-1])) if first else (0, 0)
    hosts = read_resources(run.resources)
    mine = tuple(host for host in hosts if host.problems or host.holds(zero_ns + begin_ns))
    if not mine:
        return None
    return Recorded(mine, (zero_ns + begin_ns, zero_ns + end_ns), len(first) if first else 0)


_COMPUTES: Final = "Profile while the program computes and try again."
# What Nsight Systems says → what to do.
_NOTHING_CAME: Final = (
    ("not supported by this build of Nsight Systems", "Record with a newer release of Nsight Systems."),
    (
        "No CUDA events collected",
        "CUDA was traced, but not called: look at what the program printed, it may have ended early.",
    ),
)


class _Broken:
    """The hosts of a run that cannot be read or analyzed, which cost the other hosts nothing.

    ``said``: host → what is wrong with it, in a sentence.
    """

    def __init__(self, hosts: Sequence[HostFile]) -> None:
        self._hosts = hosts
        self._errors: dict[HostFile, Exception] = {}

    @property
    def said(self) -> dict[str, str]:
        return {host.host: self._sentence(host) for host in self._hosts if host in self._errors}

    def add(self, host: HostFile, error: Exception) -> None:
        """Leaves a host out. Raises what is wrong with the first host if no host is left, and errors that
        may be gone the next time: the file is being written, somebody stopped the work, something ran out."""
        if isinstance(error, Canceled | FileChanged | OSError | SystemError) or lacks_memory(error):
            raise error
        self._errors[host] = error
        if len(self._errors) == len(self._hosts):
            raise next(self._errors[host] for host in self._hosts)
        if not isinstance(error, TfperfError):
            _log.error("host %s could not be analyzed", host.host, exc_info=error)

    def anomalies(self) -> tuple[Anomaly, ...]:
        return tuple(Anomaly("host-left-out", 1, "data_loss", sentence) for sentence in self.said.values())

    def _sentence(self, host: HostFile) -> str:
        error = self._errors[host]
        if isinstance(error, TfperfError):
            return str(error)
        return f"Host {host.host}: tfperf itself failed on it ({type(error).__name__}). Please report this."


class _RunSize(Record, frozen=True):
    """What the surveys of all hosts show: what recorded them and when, whether the run trains, how many GPU
    events it has, and which hosts get no timeline."""

    source: Source
    profile_start_ns: int | None
    training: bool
    device_events_count: int
    without_timeline: tuple[str, ...]


def _holds_nothing(run: Run, messages: Iterable[str]) -> NotJudgeable:
    """Quotes what the recorder says of it, and advises by that."""
    said = dict.fromkeys(text for text in messages if "CUDA" in text or "GPU" in text)
    of_reader = [text for text in said if text.startswith("The file holds no ")]
    quoted = " ".join(f"“{text}”" for text in said if text not in of_reader)
    told = f"The file says: {quoted}" if quoted else ""
    remedies = (remedy for words, remedy in _NOTHING_CAME if words in quoted)
    advice = next(remedies, " ".join((*of_reader, _COMPUTES)))
    nothing = f"Run {run.name} holds no work of a GPU and no op, range or call of CUDA of a host."
    return NotJudgeable(" ".join(filter(None, (nothing, told, advice))))


def _summarize_hosts(
    run: Run,
    clock: _Clock,
    executor: Executor | None,
    kept_bytes: int,
    with_arrays: bool,
    broken: _Broken,
) -> tuple[Summary, _RunSize]:
    """Surveys and analyzes all hosts; merges their summaries. Adds to ``broken``."""
    alone = len(run.hosts) == 1 and executor is None
    survey = partial(survey_host, enter=clock.enter_host) if alone else survey_host
    asked = [(file, kept_bytes) for file in run.hosts]
    found = dict(_map_hosts(executor, clock, ("read", 0.0, 0.55), broken, survey, asked))
    hosts, surveys = tuple(found), tuple(found.values())
    if not any(survey.events_count for survey in surveys):
        raise _holds_nothing(run, (text for survey in surveys for text in survey.messages))
    timelines = _fit_limit(surveys)
    size = _RunSize(
        source=surveys[0].source,
        profile_start_ns=surveys[0].profile_start_ns,
        training=any(survey.training for survey in surveys),
        device_events_count=sum(survey.device_events_count for survey in surveys),
        without_timeline=tuple(h.host for h, kept in zip(hosts, timelines, strict=True) if not kept),
    )
    tasks = _tasks(surveys, size.training, beside(run), with_arrays)
    del found, surveys
    analyze = partial(analyze_host, enter=clock.enter_host) if alone else analyze_host
    joined = list(zip(hosts, tasks, strict=True))
    summaries = _map_hosts(executor, clock, ("ledger", 0.6, 0.25), broken, analyze, joined)
    summary = merged_all(summary for _, summary in summaries)
    assert summary is not None  # a run has a host
    return summary, size


def _tasks(
    surveys: Sequence[HostSurvey], training: bool, others: tuple[str, ...], with_arrays: bool
) -> list[HostTask]:
    """Matches collectives across hosts; one task for each host. ``others``: see ``RunFacts.beside``."""
    steps = [s.steps for s in surveys]
    together = join_hosts([s.calls for s in surveys], steps, [s.profile_start_ns for s in surveys])
    until = awaited_until([s.compute for s in surveys], together.hosts)
    facts = RunFacts(mean_step_ns(steps), training, others)
    return [
        HostTask(calls, until_ns, clock, facts, with_arrays and timeline, survey.file_state)
        for calls, until_ns, clock, timeline, survey in zip(
            together.hosts, until, together.clocks, _fit_limit(surveys), surveys, strict=True
        )
    ]


def _fit_limit(surveys: Sequence[HostSurvey]) -> list[bool]:
    """Whether the timeline of each host can be kept."""
    events = np.cumsum([survey.device_events_count for survey in surveys])
    return [True, *(events[1:] <= ARRAYS_EVENTS).tolist()]


def _map_hosts(
    executor: Executor | None,
    clock: _Clock,
    stage: tuple[str, float, float],
    broken: _Broken,
    work: Callable[..., T],
    asked: Sequence[tuple[HostFile, Any]],
) -> Iterator[tuple[HostFile, T]]:
    """Yields hosts and their results in the order of the hosts, each as soon as all earlier ones are done.

    Args:
        executor: runs ``work``; by default, this thread does.
        stage: its name, the share of the whole work done before it, and its own share.
        broken: takes hosts that fail.
        asked: for each call of ``work`` the host and what else it is given.
    """
    name, before, share = stage
    count = len(asked)

    def tell(done: int) -> None:
        clock.enter(name, before + share * done / count, (done, count) if count > 1 else None)

    tell(0)
    if executor is None:
        for done, (host, given) in enumerate(asked, 1):
            try:
                found = work(host, given)
            except Exception as error:
                broken.add(host, error)
            else:
                yield host, found
            tell(done)
        return
    waiting: dict[Future[T], int] = {}
    arrived: queue.SimpleQueue[Future[T]] = queue.SimpleQueue()
    ready: dict[int, Sequence[tuple[HostFile, T]]] = {}
    following = 0
    try:
        for index, (host, given) in enumerate(asked):
            future = executor.submit(work, host, given)
            waiting[future] = index
            # Ctrl-C inside concurrent.futures.wait would leave futures locked, and the pool would hang.
            future.add_done_callback(arrived.put)
        while waiting:
            # In the order of hosts: if several fail at once, the error names the first.
            for future in sorted(_drain(arrived), key=waiting.__getitem__):
                index = waiting.pop(future)
                ready[index] = _result(future, asked[index][0], broken)
            tell(count - len(waiting))
            while following in ready:
                yield from ready.pop(following)
                following += 1
    finally:
        for future in waiting:
            future.cancel()


def _drain(arrived: queue.SimpleQueue[T]) -> list[T]:
    """Takes all queued items; waits up to ``POLL_S`` for the first."""
    found: list[T] = []
    with contextlib.suppress(queue.Empty):
        found.append(arrived.get(timeout=POLL_S))
        while True:
            found.append(arrived.get_nowait())
    return found


def _result(future: Future[T], host: HostFile, broken: _Broken) -> Sequence[tuple[HostFile, T]]:
    """A host and its result; nothing if the host is broken."""
    try:
        return [(host, future.result())]
    except MemoryError as error:
        raise UnreadableInput(
            f"Host {host.host} needs more memory than it may use. Capture fewer steps, or allow "
            "more (tfperf report --memory)."
        ) from error
    except TimeUp as error:
        raise error.of(f"host {host.host}") from error
    except BrokenExecutor as error:
        raise UnreadableInput(
            f"Host {host.host}: the process that read it has ended ({error}). Capture fewer steps."
        ) from error
    except CancelledError as error:
        raise UnreadableInput(f"The work on host {host.host} was canceled before it was done.") from error
    except Exception as error:
        broken.add(host, error)
        return ()


class _Clock:
    """Measures the time of each stage and reports progress."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._spent: dict[str, int] = {}
        self._stage: str | None = None
        self._since = 0
        self._share = 0.0

    def enter(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        self._leave()
        self._stage, self._since, self._share = stage, time.perf_counter_ns(), share
        self._progress(stage, share, hosts)

    def enter_host(self, stage: str) -> None:
        """Reports a stage of the only host."""
        self._progress(stage, max(self._share, _SHARES[stage]))

    def stages(self, of_hosts: Mapping[str, int]) -> tuple[model.Stage, ...]:
        """Time by stage; stages of hosts are summed over all hosts."""
        self._leave()
        spent = {**of_hosts, **{s: self._spent[s] + of_hosts.get(s, 0) for s in ("rules", "report")}}
        return tuple(model.Stage(stage, ns) for stage, ns in spent.items())

    def _leave(self) -> None:
        if self._stage is not None:
            spent = time.perf_counter_ns() - self._since
            self._spent[self._stage] = self._spent.get(self._stage, 0) + spent
            self._stage = None
