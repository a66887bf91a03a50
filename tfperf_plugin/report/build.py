"""From a run to its report: reads, analyses, judges, and puts everything into the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tfperf_plugin import runs
from tfperf_plugin.artifacts.allreduce import AllReduceTimes
from tfperf_plugin.artifacts.communication import find_communication
from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.estimate import AllReduceEstimate, Stated
from tfperf_plugin.artifacts.hosts import HostRow, Hosts
from tfperf_plugin.artifacts.idle import Idle
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.artifacts.lanes import Lanes, find_lanes
from tfperf_plugin.artifacts.pipelines import Pipelines
from tfperf_plugin.artifacts.stalls import Stalls
from tfperf_plugin.artifacts.starts import Starts
from tfperf_plugin.engine.inputs import Inputs
from tfperf_plugin.engine.rule import Missing
from tfperf_plugin.engine.run import Outcome, run_rules
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.ledger import Ledger, make_ledger
from tfperf_plugin.report import model
from tfperf_plugin.report.allreduce import allreduce_card
from tfperf_plugin.report.headline import headline
from tfperf_plugin.report.idle import idle_accounts
from tfperf_plugin.report.input import input_report
from tfperf_plugin.report.key_numbers import key_numbers
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.steps import STEPS_CAP, step_report
from tfperf_plugin.report.timeline import Arrays, timeline_arrays
from tfperf_plugin.report.tried import tried_rows, values
from tfperf_plugin.report.views import host_op_table, kernel_table, memory, op_table, phases
from tfperf_plugin.report.whatif import replay_arrays
from tfperf_plugin.report.workload import workload
from tfperf_plugin.rules import RULES, by_hand
from tfperf_plugin.runs import HostFile, Run
from tfperf_plugin.steps import find_steps
from tfperf_plugin.trace.build import build
from tfperf_plugin.trace.model import HostTrace, Trace
from tfperf_plugin.training import StoredRecord, TrainingFacts, read_records
from tfperf_plugin.training import facts as training_facts
from tfperf_plugin.version import __version__
from tfperf_plugin.xspace import Anomalies, XSpace, read

# Steps of all hosts together in the comparison of hosts.
HOST_STEPS_CAP = 4000

Progress = Callable[[str, float], None]


# Nothing stated.
_UNSTATED = Options()


def _silent(stage: str, share: float) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Analysis:
    """A report, and the arrays that answer what may be asked about it later."""

    report: model.Report
    arrays: Arrays


def build_report(run: Run, options: Options = _UNSTATED, progress: Progress = _silent) -> model.Report:
    """The report of ``analyse``."""
    return analyse(run, options, progress).report


def analyse(run: Run, options: Options = _UNSTATED, progress: Progress = _silent) -> Analysis:
    """Analyses one run.

    Args:
        run: from ``runs.find_runs``.
        options: what the user states about the training.
        progress: called with (stage, share of the whole work done before it).

    Raises:
        UnreadableInput: a file of the run is no profile.
        NotJudgeable: the files hold neither GPU work nor host events.
    """
    clock = _Clock(progress)
    anomalies = Anomalies()
    hosts: list[HostTrace] = []
    for index, file in enumerate(run.hosts):
        clock.enter("xspace", 0.7 * index / len(run.hosts))
        hosts.append(_host_trace(file, anomalies, clock, 0.7 * (index + 0.7) / len(run.hosts)))
    trace = Trace(run.name, tuple(hosts))
    if not any(len(h.events.start_ns) or any(len(d.start_ns) for d in h.devices) for h in hosts):
        raise NotJudgeable(
            f"Run {run.name} holds no events of a GPU or a host thread. "
            "Profile while training runs and try again."
        )
    clock.enter("steps", 0.7)
    steps = find_steps(trace)
    clock.enter("ledger", 0.75)
    communication = find_communication(trace.hosts, steps.hosts)
    ledger = make_ledger(trace.hosts, steps.hosts, communication)
    clock.enter("rules", 0.85)
    stated = Stated(options.parameters, options.bandwidth_gbps, options.bandwidth_basis)
    records = read_records(run.records)
    facts = TrainingFacts(tuple(r.content for r in records)) if records else None
    inputs = Inputs(trace, steps, ledger, stated, facts)
    outcome = run_rules(RULES, inputs, values(options.tried))
    clock.enter("report", 0.95)
    lanes = find_lanes(trace, steps, ledger)
    report = _assemble(trace, inputs, lanes, records, outcome, anomalies, clock)
    arrays = {**timeline_arrays(lanes), **replay_arrays(inputs, outcome)}
    return Analysis(replace(report, tried=tried_rows(options.tried)), arrays)


def _host_trace(file: HostFile, anomalies: Anomalies, clock: _Clock, share: float) -> HostTrace:
    """In a function of its own, so that nothing holds on to the decoded file, the largest thing there is."""
    space = _read(file, anomalies)
    clock.enter("trace", share)
    return build(file.host, space, anomalies)


def _read(file: HostFile, anomalies: Anomalies) -> XSpace:
    try:
        return read(runs.read(file), anomalies)
    except UnreadableInput as error:
        hint = (
            " It was written just now; if it is not complete yet, ask again later."
            if runs.is_fresh(file)
            else ""
        )
        raise UnreadableInput(f"Host {file.host}: {error}{hint}") from error


class _Clock:
    """Measures stages and passes progress on."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._spent: dict[str, int] = {}
        self._stage: str | None = None
        self._since = 0

    def enter(self, stage: str, share: float) -> None:
        self._leave()
        self._stage, self._since = stage, time.perf_counter_ns()
        self._progress(stage, share)

    def stages(self) -> tuple[model.Stage, ...]:
        self._leave()
        return tuple(model.Stage(s, ns) for s, ns in self._spent.items())

    def _leave(self) -> None:
        if self._stage is not None:
            spent = time.perf_counter_ns() - self._since
            self._spent[self._stage] = self._spent.get(self._stage, 0) + spent
            self._stage = None


def _assemble(
    trace: Trace,
    inputs: Inputs,
    lanes: Lanes,
    records: Sequence[StoredRecord],
    outcome: Outcome,
    anomalies: Anomalies,
    clock: _Clock,
) -> model.Report:
    ledger = inputs.ledger
    devices: Devices = inputs.get(Devices)
    kernels = inputs.get(Kernels)
    starts = inputs.get(Starts)
    idle: Idle = inputs.get(Idle) if ledger else Idle((), ())
    why = idle_accounts(idle, inputs.get(Stalls), outcome.findings, ledger.step_ns) if ledger else ()
    per_call = inputs.facts.steps_per_execution if inputs.facts else None
    first, advice = headline(trace, inputs.steps, ledger, outcome.findings, per_call)
    return model.Report(
        schema_version=model.SCHEMA_VERSION,
        tool_version=__version__,
        run=trace.run,
        headline=first,
        advice=advice,
        hosts=tuple(h.host for h in trace.hosts),
        devices=tuple(
            model.Device(
                d.host,
                d.device,
                d.name,
                ".".join(str(x) for x in d.compute_capability) if d.compute_capability else None,
                d.busy_ratio,
                d.participates,
                d.memory_bytes,
            )
            for d in devices.all
        ),
        steps=step_report(lanes, inputs.steps, ledger),
        ledger=_ledger(ledger) if ledger else None,
        key_numbers=key_numbers(trace, ledger, devices, None if isinstance(kernels, Missing) else kernels),
        trust=outcome.trust,
        findings=outcome.findings,
        passed=outcome.passed,
        not_applicable=outcome.not_applicable,
        missing_data=outcome.missing_data,
        manual=by_hand.ROWS,
        errors=outcome.errors,
        allreduce=_allreduce(inputs),
        stagger=None if isinstance(starts, Missing) else _stagger(starts, devices, inputs.facts),
        input=input_report(inputs.get(Pipelines)),
        anomalies=tuple(model.Anomaly(a.name, a.count, a.severity, a.sentence) for a in anomalies.rows()),
        by_host=() if ledger is None else _by_host(inputs.get(Hosts)),
        training=tuple(
            model.Training(
                r.file.name, r.file.host, r.recorded, tuple(model.Fact(*f) for f in training_facts(r))
            )
            for r in records
        ),
        idle=why,
        launches=tuple(
            model.LaunchLatency(x.host, x.device, x.count, x.median_ns, x.p95_ns) for x in idle.latencies
        ),
        phases=phases(inputs),
        ops=op_table(inputs),
        kernels=kernel_table(inputs),
        host_ops=host_op_table(inputs),
        memory=memory(inputs),
        workload=workload(inputs),
        timing=clock.stages(),
    )


def _ledger(ledger: Ledger) -> model.Ledger:
    step_ns, average = ledger.step_ns, ledger.average()
    communication, copies = ledger.hidden()
    return model.Ledger(
        step_ns=step_ns,
        accounts=_accounts(average, step_ns),
        compute=_accounts(ledger.compute_classes(), step_ns),
        devices=tuple(
            model.DeviceAccounts(
                host.host, device.device, sum(mine.values()), _accounts(mine, sum(mine.values()))
            )
            for host in ledger.hosts
            for device in host.devices
            for mine in [ledger.average_of(device, host.steps.judged)]
        ),
        hidden_communication_ns=communication,
        hidden_copy_ns=copies,
    )


def _accounts(sums: dict[str, int], step_ns: int) -> tuple[model.Account, ...]:
    return tuple(model.Account(a, ns, ns / step_ns if step_ns else 0.0) for a, ns in sums.items())


def _allreduce(inputs: Inputs) -> model.AllReduce | None:
    times, estimate = inputs.get(AllReduceTimes), inputs.get(AllReduceEstimate)
    if not isinstance(estimate, AllReduceEstimate):
        return None
    return allreduce_card(times if isinstance(times, AllReduceTimes) else None, estimate)


def _stagger(starts: Starts, devices: Devices, facts: TrainingFacts | None) -> model.Stagger | None:
    if not starts.hosts:
        return None
    host = max(starts.hosts, key=lambda h: int(np.median(h.spread_ns)))
    earliest = host.first_ns.min(axis=0)
    items = tuple(
        model.StaggerItem(
            step=int(host.number[k]),
            host=host.host,
            device=host.names[i],
            first_launch_ns=int(host.launch_ns[i, k] - earliest[k]) if host.launch_ns[i, k] >= 0 else None,
            first_kernel_ns=int(host.first_ns[i, k] - earliest[k]),
            last_kernel_ns=int(host.last_ns[i, k] - earliest[k]),
            begin_ms=int(host.first_ns[i, k]) / 1e6,
            end_ms=int(host.last_ns[i, k]) / 1e6,
            idle_ns=int(host.idle_ns[i, k]),
            wait_ns=int(host.waiting_ns[i, k]),
            thread=host.threads[host.thread[i, k]] if host.thread[i, k] >= 0 else "",
        )
        for k in range(min(len(host.step), STEPS_CAP))
        for i in range(len(host.names))
    )
    launch = host.launch_spread_ns
    return model.Stagger(
        host=host.host,
        order=host.order,
        spread_ns=int(np.median(host.spread_ns)),
        launch_spread_ns=None if launch is None else int(np.median(launch)),
        cost_ns=host.cost_ns + host.wait_ns,
        devices=host.start_order,
        one_thread=host.one_thread,
        private_threads=devices.private_threads.get(host.host, False)
        or bool(facts and facts.private_threads),
        items=items,
    )


def _by_host(hosts: Hosts) -> tuple[model.HostTimes, ...]:
    """Steps are listed as far as all hosts together stay below a cap."""
    cap = max(1, HOST_STEPS_CAP // max(1, len(hosts.rows)))
    return tuple(_host_times(h, cap) for h in hosts.rows)


def _host_times(host: HostRow, cap: int) -> model.HostTimes:
    own, wait = (int(x.mean()) if len(x) else 0 for x in (host.own_ns, host.wait_ns))
    rows = zip(host.number[:cap].tolist(), host.own_ns.tolist(), host.wait_ns.tolist(), strict=False)
    return model.HostTimes(
        host=host.host,
        gpus_count=host.gpus_count,
        steps_count=len(host.number),
        step_ns=host.step_ns,
        own_ns=own,
        compute_ns=host.compute_ns,
        input_ns=host.input_ns,
        wait_ns=wait,
        late_ns=host.late_ns,
        clock_offset_ns=host.clock.offset_ns,
        clock_uncertainty_ns=host.clock.uncertainty_ns,
        clock_source=host.clock.source,
        slow=host.slow,
        step_shift=host.clock.step_shift,
        steps=tuple(model.HostStep(n, o, w) for n, o, w in rows),
    )
