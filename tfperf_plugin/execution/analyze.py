"""From a run to its report: reads, analyses, judges, and puts everything into the model."""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts import lanes
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, mean_step_ns, merged_all
from tfperf_plugin.analysis.artifacts.devices import Devices
from tfperf_plugin.analysis.artifacts.estimate import Stated
from tfperf_plugin.analysis.artifacts.hosts import HostRow, Hosts
from tfperf_plugin.analysis.artifacts.idle import Idle
from tfperf_plugin.analysis.artifacts.lanes import Lanes
from tfperf_plugin.analysis.artifacts.outliers import Outliers
from tfperf_plugin.analysis.artifacts.stalls import Stalls
from tfperf_plugin.analysis.communication import awaited_until, join_hosts
from tfperf_plugin.analysis.evidence import Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger, joined_ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.errors import NotJudgeable, TfperfError, UnreadableInput
from tfperf_plugin.execution.hosts import (
    KEPT_BYTES,
    FirstLook,
    Joined,
    Summary,
    first_look,
    forget,
    second_look,
)
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES, by_hand
from tfperf_plugin.readers.logdir import HostFile, Run
from tfperf_plugin.readers.xspace import Anomalies
from tfperf_plugin.recording.record import StoredRecord, TrainingFacts, read_records
from tfperf_plugin.recording.record import facts as training_facts
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.panels.allreduce import allreduce_card
from tfperf_plugin.report.panels.gpus import gpus, in_short, slowest_first
from tfperf_plugin.report.panels.headline import headline
from tfperf_plugin.report.panels.idle import idle_accounts
from tfperf_plugin.report.panels.input import input_report
from tfperf_plugin.report.panels.key_numbers import key_numbers
from tfperf_plugin.report.panels.stagger import stagger_card
from tfperf_plugin.report.panels.steps import step_report
from tfperf_plugin.report.panels.timeline import Arrays, timeline_arrays
from tfperf_plugin.report.panels.views import host_op_table, kernel_table, memory, op_table, phases
from tfperf_plugin.report.panels.whatif import replay_arrays
from tfperf_plugin.report.panels.workload import workload
from tfperf_plugin.report.render.omitted import omitted_rows
from tfperf_plugin.report.rows import row_of
from tfperf_plugin.report.tried import tried_rows, values
from tfperf_plugin.version import __version__

# Steps of all hosts together in the comparison of hosts.
HOST_STEPS_CAP = 4000

ARRAYS_EVENTS: Final = 4_000_000
"""Timelines are kept of the first hosts that have at most so many GPU events together, and what predictions
need of a run that has no more: arrays of the rest would be larger than the whole cache."""
POLL_S: Final = 0.1
# Shares of the work that are done before the stages of a run of one host.
_SHARES: Final = {"xspace": 0.0, "trace": 0.45, "steps": 0.6, "ledger": 0.65, "rules": 0.75}

T = TypeVar("T")


class Progress(Protocol):
    """Is told the stage, the share 0..1 of the whole that is done, and (hosts done, hosts) if several."""

    def __call__(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        """May raise to stop the work."""


# Nothing stated.
_UNSTATED = Options()


def _silent(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
    """Tells nobody."""


class Analysis(Record, frozen=True):
    """A report, and the arrays that answer what may be asked about it later."""

    report: model.Report
    arrays: Arrays


def build_report(run: Run, options: Options = _UNSTATED, progress: Progress = _silent) -> model.Report:
    """The report of ``analyse``."""
    return analyse(run, options, progress, with_arrays=False).report


def analyse(
    run: Run,
    options: Options = _UNSTATED,
    progress: Progress = _silent,
    executor: Executor | None = None,
    kept_bytes: int = KEPT_BYTES,
    with_arrays: bool = True,
) -> Analysis:
    """Analyses one run, host by host.

    Args:
        run: from ``runs.find_runs``.
        options: what the user states about the training.
        progress: called with the stage and the share of the whole work done before it, and with (hosts done,
            hosts) where there are several; it may raise to stop the work.
        executor: runs the two looks at each host, each a plain function of small arguments that can be
            pickled; by default they run here, one after another.
        kept_bytes: of what a process has decoded for the first look it keeps so much for the second.
        with_arrays: else there are none, and the report is there earlier.

    Raises:
        UnreadableInput: a file of the run is no profile.
        NotJudgeable: the files hold neither GPU work nor host events.
    """
    clock = _Clock(progress)
    try:
        summary = _summarised(run, clock, executor, kept_bytes, with_arrays)
    finally:
        forget()
    clock.enter("rules", 0.85)
    steps, ledger = Steps(summary.steps), joined_ledger(summary.ledgers)
    stated = Stated(options.parameters, options.bandwidth_gbps, options.bandwidth_basis)
    records = read_records(run.records)
    facts = TrainingFacts(tuple(r.content for r in records)) if records else None
    about = RunFacts(mean_step_ns(summary.steps), clock.training)
    inputs = Inputs(lambda kind: getattr(summary.parts, kind.__name__), steps, ledger, about, stated, facts)
    outcome = run_rules(RULES, inputs, values(options.tried))
    clock.enter("report", 0.95)
    rows = lanes.finish(summary.lanes, steps, ledger)
    summary = replace(summary, lanes={})
    report = _assemble(run.name, inputs, rows, records, outcome, summary, clock)
    omitted = omitted_rows(
        summary.hosts,
        clock.without_timeline,
        ledger is not None and clock.without_replay,
        clock.device_events_count,
        ARRAYS_EVENTS,
    )
    arrays: Arrays = {}
    if with_arrays:
        arrays = timeline_arrays(rows)
        del rows  # beside the replay the largest of what is merged
        arrays |= replay_arrays(summary.replay, inputs, outcome)
    return Analysis(replace(report, tried=tried_rows(options.tried), omitted=omitted), arrays)


def _summarised(
    run: Run, clock: _Clock, executor: Executor | None, kept_bytes: int, with_arrays: bool
) -> Summary:
    """All hosts of the run, merged."""
    alone = len(run.hosts) == 1 and executor is None
    inner: dict[str, Any] = {"enter": clock.inside} if alone else {}
    looks = list(_each(executor, clock, ("xspace", 0.0, 0.55), run.hosts, first_look, [
        ((file, kept_bytes), inner) for file in run.hosts
    ]))  # fmt: skip
    if not any(look.events_count for look in looks):
        raise NotJudgeable(
            f"Run {run.name} holds no events of a GPU or a host thread. "
            "Profile while training runs and try again."
        )
    clock.training = any(look.training for look in looks)
    clock.device_events_count = sum(look.device_events_count for look in looks)
    timelines, replay = _small_enough(looks)
    clock.without_timeline = tuple(h.host for h, kept in zip(run.hosts, timelines, strict=True) if not kept)
    clock.without_replay = not replay
    tasks = _joined(looks, clock.training, with_arrays)
    del looks
    found = _each(executor, clock, ("ledger", 0.6, 0.25), run.hosts, second_look, [
        ((file, joined), inner) for file, joined in zip(run.hosts, tasks, strict=True)
    ])  # fmt: skip
    summary = merged_all(found)
    assert summary is not None  # a run has a host
    return summary


def _joined(looks: Sequence[FirstLook], training: bool, with_arrays: bool) -> list[Joined]:
    """For each host what the others tell about it."""
    steps = [look.steps for look in looks]
    together = join_hosts([look.calls for look in looks], steps, [look.profile_start_ns for look in looks])
    until = awaited_until([look.compute for look in looks], together.hosts)
    facts = RunFacts(mean_step_ns(steps), training)
    timelines, replay = _small_enough(looks)
    return [
        Joined(
            calls,
            until_ns,
            clock,
            facts,
            with_arrays and timeline,
            with_arrays and replay,
            look.file_state,
        )
        for calls, until_ns, clock, timeline, look in zip(
            together.hosts, until, together.clocks, timelines, looks, strict=True
        )
    ]


def _small_enough(looks: Sequence[FirstLook]) -> tuple[list[bool], bool]:
    """Of which hosts the timeline can be kept, and whether all that a prediction needs."""
    events = np.cumsum([look.device_events_count for look in looks])
    replay = len(looks) == 1 or bool(events[-1] <= ARRAYS_EVENTS)
    return [True, *(events[1:] <= ARRAYS_EVENTS).tolist()], replay


def _each(
    executor: Executor | None,
    clock: _Clock,
    stage: tuple[str, float, float],
    hosts: Sequence[HostFile],
    work: Callable[..., T],
    arguments: Sequence[tuple[tuple[Any, ...], dict[str, Any]]],
) -> Iterator[T]:
    """The results in the order of the hosts, each as soon as those before it are there.

    ``stage``: its name, the share of the whole that was done before it, and its own share.
    """
    name, before, share = stage
    count = len(hosts)

    def tell(done: int) -> None:
        clock.enter(name, before + share * done / count, (done, count) if count > 1 else None)

    tell(0)
    if executor is None:
        for done, (args, options) in enumerate(arguments, 1):
            yield work(*args, **options)
            tell(done)
        return
    waiting: dict[Future[T], int] = {}
    arrived: queue.SimpleQueue[Future[T]] = queue.SimpleQueue()
    ready: dict[int, T] = {}
    following = 0
    try:
        for index, (args, _) in enumerate(arguments):
            future = executor.submit(work, *args)
            waiting[future] = index
            # Not concurrent.futures.wait: Ctrl-C within it leaves futures locked, and then the pool waits.
            future.add_done_callback(arrived.put)
        while waiting:
            # In order, so that of several hosts that fail together the first is named.
            for future in sorted(_all_of(arrived), key=waiting.__getitem__):
                index = waiting.pop(future)
                ready[index] = _result(future, hosts[index])
            tell(count - len(waiting))
            while following in ready:
                yield ready.pop(following)
                following += 1
    finally:
        for future in waiting:
            future.cancel()


def _all_of(arrived: queue.SimpleQueue[T]) -> list[T]:
    """All that is there; if nothing is, what comes within ``POLL_S``."""
    found: list[T] = []
    with contextlib.suppress(queue.Empty):
        found.append(arrived.get(timeout=POLL_S))
        while True:
            found.append(arrived.get_nowait())
    return found


def _result(future: Future[T], host: HostFile) -> T:
    try:
        return future.result()
    except TfperfError:
        raise
    except MemoryError as error:
        raise UnreadableInput(
            f"Host {host.host} needs more memory than it may use. Capture fewer steps, or allow "
            "more (tfperf report --memory)."
        ) from error
    except BrokenExecutor as error:
        raise UnreadableInput(
            f"Host {host.host}: the process that read it has ended ({error}). Capture fewer steps."
        ) from error
    except CancelledError as error:
        raise UnreadableInput(f"The work on host {host.host} was cancelled before it was done.") from error


class _Clock:
    """Measures stages and passes progress on; knows, once the hosts were looked at, whether the run trains
    and how many GPU events it has."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._spent: dict[str, int] = {}
        self._stage: str | None = None
        self._since = 0
        self._share = 0.0
        self.training = False
        self.device_events_count = 0
        self.without_timeline: tuple[str, ...] = ()
        self.without_replay = False

    def enter(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        self._leave()
        self._stage, self._since, self._share = stage, time.perf_counter_ns(), share
        if hosts:
            self._progress(stage, share, hosts)
        else:
            self._progress(stage, share)

    def inside(self, stage: str) -> None:
        """A stage of the only host."""
        self._progress(stage, max(self._share, _SHARES[stage]))

    def stages(self, of_hosts: Mapping[str, int]) -> tuple[model.Stage, ...]:
        """Time by stage; that of hosts is summed over them, whoever read them."""
        self._leave()
        spent = {**of_hosts, **{s: self._spent[s] + of_hosts.get(s, 0) for s in ("rules", "report")}}
        return tuple(model.Stage(stage, ns) for stage, ns in spent.items())

    def _leave(self) -> None:
        if self._stage is not None:
            spent = time.perf_counter_ns() - self._since
            self._spent[self._stage] = self._spent.get(self._stage, 0) + spent
            self._stage = None


def _assemble(
    run: str,
    inputs: Inputs,
    rows: Lanes,
    records: Sequence[StoredRecord],
    outcome: Outcome,
    summary: Summary,
    clock: _Clock,
) -> model.Report:
    def panel(show: Callable[..., T | None]) -> T | None:
        """What it shows; ``None`` where the profile lacks the artifacts that its types name."""
        found: T | Missing | NotApplicable | None = inputs.call(show)
        return None if isinstance(found, Missing | NotApplicable) else found

    ledger = inputs.ledger
    devices: Devices = inputs.get(Devices)
    anomalies = Anomalies()
    for a in summary.anomalies:
        anomalies.add(a.name, a.sentence, a.count, a.severity)
    idle: Idle = inputs.get(Idle) if ledger else Idle((), ())
    why = idle_accounts(idle, inputs.get(Stalls), outcome.findings, ledger.step_ns) if ledger else ()
    per_call = inputs.facts.steps_per_execution if inputs.facts else None
    outliers: Outliers | None = inputs.get(Outliers) if ledger else None
    first, advice = headline(devices, inputs.steps, ledger, outcome, outliers, per_call)
    return model.Report(
        schema_version=model.SCHEMA_VERSION,
        tool_version=__version__,
        run=run,
        headline=first,
        advice=advice,
        hosts=summary.hosts,
        devices=inputs.call(gpus),
        steps=step_report(rows, inputs.steps, ledger),
        ledger=panel(_ledger),
        key_numbers=inputs.call(key_numbers),
        trust=outcome.trust,
        findings=outcome.findings,
        passed=outcome.passed,
        not_applicable=outcome.not_applicable,
        missing_data=outcome.missing_data,
        manual=by_hand.ROWS,
        errors=outcome.errors,
        allreduce=panel(allreduce_card),
        stagger=panel(stagger_card),
        input=panel(input_report),
        anomalies=tuple(model.Anomaly(a.name, a.count, a.severity, a.sentence) for a in anomalies.rows()),
        by_host=panel(_by_host) or (),
        training=tuple(
            model.Training(
                r.file.name, r.file.host, r.recorded, tuple(model.Fact(*f) for f in training_facts(r))
            )
            for r in records
        ),
        idle=why,
        launches=tuple(row_of(model.LaunchLatency, latency) for latency in idle.latencies),
        phases=panel(phases),
        ops=panel(op_table),
        kernels=panel(kernel_table),
        host_ops=panel(host_op_table),
        memory=panel(memory),
        workload=inputs.call(workload),
        timing=clock.stages(summary.spent_ns),
        gpus=inputs.call(in_short),
    )


def _ledger(ledger: Ledger) -> model.Ledger:
    step_ns, average = ledger.step_ns, ledger.average()
    communication, copies = ledger.hidden()
    rows = tuple(
        model.DeviceAccounts(
            host.host, device.device, sum(mine.values()), _accounts(mine, sum(mine.values()))
        )
        for host in ledger.hosts
        for device in host.devices
        # Without those that no time went to: of thousands of GPUs they would be half of the report.
        for mine in [{a: ns for a, ns in ledger.average_of(device, host.steps.judged).items() if ns}]
    )
    return model.Ledger(
        step_ns=step_ns,
        accounts=_accounts(average, step_ns),
        compute=_accounts(ledger.compute_classes(), step_ns),
        devices=slowest_first(rows),
        devices_total=len(rows),
        hidden_communication_ns=communication,
        hidden_copy_ns=copies,
    )


def _accounts(sums: dict[str, int], step_ns: int) -> tuple[model.Account, ...]:
    return tuple(model.Account(a, ns, ns / step_ns if step_ns else 0.0) for a, ns in sums.items())


def _by_host(hosts: Hosts) -> tuple[model.HostTimes, ...]:
    """Steps are listed as far as all hosts together stay below a cap."""
    cap = max(1, HOST_STEPS_CAP // max(1, len(hosts.rows)))
    return tuple(_host_times(h, cap) for h in hosts.rows)


def _host_times(host: HostRow, cap: int) -> model.HostTimes:
    own, wait = (int(x.mean()) if len(x) else 0 for x in (host.own_ns, host.wait_ns))
    steps = zip(host.number[:cap].tolist(), host.own_ns.tolist(), host.wait_ns.tolist(), strict=False)
    return row_of(
        model.HostTimes,
        host,
        steps_count=len(host.number),
        own_ns=own,
        wait_ns=wait,
        clock_offset_ns=host.clock.offset_ns,
        clock_uncertainty_ns=host.clock.uncertainty_ns,
        clock_source=host.clock.source,
        step_shift=host.clock.step_shift,
        steps=tuple(model.HostStep(n, o, w) for n, o, w in steps),
    )
