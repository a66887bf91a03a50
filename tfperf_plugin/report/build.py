"""From a run to its report: reads, analyses, judges, and puts everything into the model."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.artifacts.allreduce import find_allreduce
from tfperf_plugin.artifacts.collectives import find_collectives
from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.artifacts.pipelines import Pipelines
from tfperf_plugin.artifacts.starts import Starts
from tfperf_plugin.engine.inputs import Inputs
from tfperf_plugin.engine.rule import Missing
from tfperf_plugin.engine.run import Outcome, run_rules
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.ledger import ACCOUNTS, Ledger, make_ledger
from tfperf_plugin.report import model
from tfperf_plugin.report.allreduce import allreduce_card
from tfperf_plugin.report.headline import headline
from tfperf_plugin.report.key_numbers import key_numbers
from tfperf_plugin.rules import RULES, by_hand
from tfperf_plugin.runs import HostFile, Run
from tfperf_plugin.steps import HostSteps, Steps, find_steps
from tfperf_plugin.trace.build import build
from tfperf_plugin.trace.intervals import Ints
from tfperf_plugin.trace.model import HostTrace, Trace
from tfperf_plugin.version import __version__
from tfperf_plugin.xspace import Anomalies, XSpace, read

# Steps listed in the report; more are counted but not listed.
STEPS_CAP = 200

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Options:
    """What the user can state: number of ``parameters``, ``bandwidth_gbps`` per GPU in 10^9 bytes/s."""

    parameters: int | None = None
    bandwidth_gbps: float | None = None


def _silent(stage: str, share: float) -> None:
    """Tells nobody."""


def build_report(run: Run, options: Options = Options(), progress: Progress = _silent) -> model.Report:
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
        space = _read(file, anomalies)
        clock.enter("trace", 0.7 * (index + 0.7) / len(run.hosts))
        hosts.append(build(file.host, space, anomalies))
    trace = Trace(run.name, tuple(hosts))
    if not any(len(h.events.start_ns) or any(len(d.start_ns) for d in h.devices) for h in hosts):
        raise NotJudgeable(
            f"Run {run.name} holds no events of a GPU or a host thread. "
            "Profile while training runs and try again."
        )
    clock.enter("steps", 0.7)
    steps = find_steps(trace)
    clock.enter("ledger", 0.75)
    calls = [find_collectives(h, s) for h, s in zip(trace.hosts, steps.hosts, strict=True)]
    ledger = make_ledger(trace.hosts, steps.hosts, calls)
    clock.enter("rules", 0.85)
    inputs = Inputs(trace, steps, ledger)
    outcome = run_rules(RULES, inputs)
    clock.enter("report", 0.95)
    return _assemble(trace, inputs, options, outcome, anomalies, clock)


def _read(file: HostFile, anomalies: Anomalies) -> XSpace:
    try:
        return read(file.path.read_bytes(), anomalies)
    except UnreadableInput as error:
        raise UnreadableInput(f"Host {file.host}: {error}") from error


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
    options: Options,
    outcome: Outcome,
    anomalies: Anomalies,
    clock: _Clock,
) -> model.Report:
    ledger = inputs.ledger
    devices: Devices = inputs.get(Devices)
    kernels = inputs.get(Kernels)
    starts = inputs.get(Starts)
    first, advice = headline(trace, inputs.steps, ledger, outcome.findings)
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
        steps=_steps(inputs.steps, ledger),
        ledger=_ledger(ledger) if ledger else None,
        key_numbers=key_numbers(trace, ledger, devices, None if isinstance(kernels, Missing) else kernels),
        trust=outcome.trust,
        findings=outcome.findings,
        passed=outcome.passed,
        not_applicable=outcome.not_applicable,
        missing_data=outcome.missing_data,
        manual=by_hand.ROWS,
        errors=outcome.errors,
        allreduce=_allreduce(trace, ledger, options),
        stagger=None if isinstance(starts, Missing) else _stagger(starts),
        input=_input(inputs.get(Pipelines)),
        anomalies=tuple(model.Anomaly(a.name, a.count, a.severity, a.sentence) for a in anomalies.rows()),
        timing=clock.stages(),
    )


def _steps(steps: Steps, ledger: Ledger | None) -> model.Steps:
    lengths = [h.end_ns[h.judged] - h.begin_ns[h.judged] for h in steps.hosts]
    every = np.sort(np.concatenate(lengths)) if lengths else np.empty(0, np.int64)
    items = sorted(
        (item for host in steps.hosts for item in _items(host, ledger)), key=lambda i: (i.begin_ms, i.host)
    )
    return model.Steps(
        count=steps.judged_count,
        source=steps.source,
        mean_ns=int(every.sum()) // len(every) if len(every) else 0,
        p50_ns=_percentile(every, 50),
        p95_ns=_percentile(every, 95),
        max_ns=int(every[-1]) if len(every) else 0,
        items=tuple(items[:STEPS_CAP]),
        items_total=len(items),
        items_cap=STEPS_CAP,
    )


def _percentile(ordered: Ints, percent: int) -> int:
    """Nearest-rank percentile, so that it is a step that happened."""
    if not len(ordered):
        return 0
    return int(ordered[max(0, -(-len(ordered) * percent // 100) - 1)])


def _items(host: HostSteps, ledger: Ledger | None) -> list[model.StepItem]:
    mine = next((h for h in ledger.hosts if h.host == host.host), None) if ledger else None
    items = []
    for k in range(min(len(host), STEPS_CAP)):
        devices = tuple(
            model.StepDevice(
                d.device, {a: int(ns) for a, ns in zip(ACCOUNTS, d.sums_ns[k], strict=True) if ns}
            )
            for d in (mine.devices if mine else ())
        )
        items.append(
            model.StepItem(
                number=int(host.number[k]),
                host=host.host,
                begin_ms=int(host.begin_ns[k]) / 1e6,
                end_ms=int(host.end_ns[k]) / 1e6,
                judged=bool(host.judged[k]),
                note=_note(host, k),
                devices=devices,
            )
        )
    return items


def _note(host: HostSteps, k: int) -> str:
    if host.warm_up[k]:
        return "left out: it traces or compiles"
    if host.interrupted[k]:
        return "left out: other work follows before the next step"
    if not host.complete[k]:
        missing = "end was not recorded" if k == len(host) - 1 else "begin was not recorded on the GPU"
        return f"partial: its {missing}" if host.judged[k] else f"left out: its {missing}"
    return ""


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


def _allreduce(trace: Trace, ledger: Ledger | None, options: Options) -> model.AllReduce | None:
    times = find_allreduce(trace, ledger) if ledger else None
    return allreduce_card(times, options.parameters, options.bandwidth_gbps) if times else None


def _stagger(starts: Starts) -> model.Stagger | None:
    if not starts.hosts:
        return None
    host = max(starts.hosts, key=lambda h: int(np.median(h.spread_ns)))
    earliest = host.first_ns.min(axis=0)
    earliest_launch = np.where(host.launch_ns >= 0, host.launch_ns, np.iinfo(np.int64).max).min(axis=0)
    items = tuple(
        model.StaggerItem(
            step=int(host.number[k]),
            host=host.host,
            device=host.names[i],
            first_launch_ns=int(host.launch_ns[i, k] - earliest_launch[k])
            if host.launch_ns[i, k] >= 0
            else None,
            first_kernel_ns=int(host.first_ns[i, k] - earliest[k]),
            last_kernel_ns=int(host.last_ns[i, k] - earliest[k]),
        )
        for k in range(min(len(host.step), STEPS_CAP))
        for i in range(len(host.names))
    )
    return model.Stagger(host.order, int(np.median(host.spread_ns)), host.cost_ns + host.wait_ns, items)


def _input(pipelines: Pipelines) -> model.Input | None:
    if not pipelines.rows:
        return None
    rows = tuple(
        model.Iterator(
            r.name, r.kind, r.calls_count, r.total_ns, r.self_ns, r.parallelism, r.autotune,
            r.buffered_elements, r.buffer_limit, r.name in pipelines.path,
        )
        for r in pipelines.rows
    )  # fmt: skip
    return model.Input(rows, pipelines.path, pipelines.bottleneck.name if pipelines.bottleneck else None)
