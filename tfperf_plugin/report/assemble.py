"""Assembles the report of a run from artifacts, findings and records, and says what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.artifacts.timeline_rows import Lanes
from tfperf_plugin.analysis.evidence import Missing, NotApplicable
from tfperf_plugin.analysis.pace import Written
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.run import Outcome
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.judging.rules import by_hand
from tfperf_plugin.readers.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.base import Source
from tfperf_plugin.recording.record import StoredRecord
from tfperf_plugin.report import model
from tfperf_plugin.report.model import Omitted
from tfperf_plugin.report.panels.budget import host_time
from tfperf_plugin.report.panels.communication import allreduce_card, collectives
from tfperf_plugin.report.panels.compute import (
    ABOVE_BOUND,
    ABOVE_STEP,
    key_numbers,
    roofline,
)
from tfperf_plugin.report.panels.gpus import gpus, memory, summarize_gpus
from tfperf_plugin.report.panels.headline import Headline, headline, record_again
from tfperf_plugin.report.panels.hosts import by_host
from tfperf_plugin.report.panels.input import input_report
from tfperf_plugin.report.panels.kernels import host_op_tables, kernel_tables, phases
from tfperf_plugin.report.panels.ledger import idle_accounts
from tfperf_plugin.report.panels.ledger import ledger as ledger_of
from tfperf_plugin.report.panels.machine import machine
from tfperf_plugin.report.panels.quality import capture_quality
from tfperf_plugin.report.panels.sections import sections
from tfperf_plugin.report.panels.steps import step_report
from tfperf_plugin.report.panels.stragglers import stagger_card, stragglers
from tfperf_plugin.report.panels.training import hyperparameters, recorded_facts, whole, with_pace
from tfperf_plugin.report.panels.workload import about, workload
from tfperf_plugin.report.tables import row_of
from tfperf_plugin.version import __version__

T = TypeVar("T")


def assemble(
    run: str,
    source: Source,
    hosts: tuple[str, ...],
    inputs: Inputs,
    rows: Lanes,
    records: Sequence[StoredRecord],
    outcome: Outcome,
    found: Sequence[Anomaly],
    written: Written,
) -> model.Report:
    """The report of a run, without ``timing``, ``tried`` and ``omitted``.

    Args:
        run: the run's name.
        source: what recorded it.
        hosts: names of its hosts.
        inputs: all artifacts.
        rows: rows of the timeline.
        records: what the training recorded.
        outcome: the results of the rules.
        found: what readers skipped or guessed, host by host.
        written: what the training wrote for TensorBoard.
    """

    def panel(show: Callable[..., T | None], *given: Any) -> T | None:
        """The result of ``show`` with the values given; ``None`` if the profile lacks an artifact that its
        parameters require."""
        shown: T | Missing | NotApplicable | None = inputs.call(show, *given)
        return None if isinstance(shown, Missing | NotApplicable) else shown

    ledger = inputs.ledger
    devices: Devices = inputs.get(Devices)
    anomalies = Anomalies()
    for a in found:
        anomalies.add(a.name, a.sentence, a.count, a.severity)
    idle: Idle = inputs.get(Idle) if ledger else Idle({}, ())
    lacks = inputs.get(Capture).lacks
    why = idle_accounts(idle, inputs.get(Stalls), outcome.findings, ledger.step_ns, lacks) if ledger else ()
    bounds: Bounds | None = inputs.get(Bounds) if ledger else None
    if bounds:
        anomalies.add(ABOVE_BOUND, "Ops ran faster than their bound and are not judged.", len(bounds.above))
        above = "The operations counted would take longer than the step at the peak; no share of it is shown."
        anomalies.add(ABOVE_STEP, above, int(bounds.above_step))
    numbers: model.KeyNumbers = inputs.call(key_numbers)
    first: Headline = inputs.call(headline, outcome)
    report: model.Report = row_of(
        model.Report,
        outcome,
        schema_version=model.SCHEMA_VERSION,
        tool_version=__version__,
        run=run,
        headline=first.recorded,
        advice=first.advice,
        hosts=hosts,
        devices=inputs.call(gpus),
        steps=step_report(rows, inputs.steps, ledger, first.unit),
        ledger=panel(ledger_of),
        key_numbers=numbers,
        manual=inputs.call(by_hand.rows),
        allreduce=panel(allreduce_card),
        stagger=panel(stagger_card),
        input=panel(input_report),
        anomalies=anomalies.rows(),
        by_host=panel(by_host) or (),
        training=(*recorded_facts(records), *hyperparameters(written)),
        idle=why,
        launches=idle.latencies,
        phases=panel(phases),
        memory=panel(memory),
        workload=inputs.call(workload),
        program=inputs.call(about),
        machines_count=inputs.get(Capture).machines_count,
        timing=(),
        gpus=inputs.call(summarize_gpus),
        roofline=panel(roofline),
        capture_quality=capture_quality(
            devices, inputs.steps, ledger, outcome, inputs.get(Capture), inputs.run.losses
        ),
        stragglers=panel(stragglers) or (),
        collectives=panel(collectives) or (),
        host_time=panel(host_time),
        settled=first.settled,
        record=record_again(inputs.get(Program), source.recorder),
        measure=first.measure,
        source=source.recorder,
        viewer=source.viewer,
        machine=panel(machine, outcome.findings),
    )
    report = inputs.call(with_pace, report, written)
    report = replace(report, whole=inputs.call(whole, report))
    tables = (*(panel(kernel_tables) or ()), *(panel(host_op_tables) or ()))
    return replace(report, sections=inputs.call(sections, report, tables))


# ----------------------------------------------------------------------------------- omitted


def left_out(broken: Mapping[str, str], count: int) -> tuple[Omitted, ...]:
    """The ``broken`` hosts among ``count``, each with what is wrong with it."""
    if not broken:
        return ()
    hosts = tuple(broken)
    are = "is" if len(hosts) == 1 else "are"
    named = f" ({listing(hosts)})" if len(hosts) > 1 else ""
    sentence = f"{len(hosts)} of {count} hosts {are} left out of this report{named}. {broken[hosts[0]]}"
    return (Omitted("host", hosts, sentence),)


def omitted_rows(
    hosts: Sequence[str], without_timeline: Sequence[str], events: int, most: int
) -> tuple[Omitted, ...]:
    """What the report of a run with ``events`` GPU events leaves out if at most ``most`` are kept."""
    if not without_timeline:
        return ()
    left = len(hosts) - len(without_timeline)
    sentence = (
        f"Timelines are kept of {left} of {len(hosts)} hosts only, without "
        f"{listing(tuple(without_timeline))}: the run has {_millions(events)} GPU events, and timelines of "
        f"the first {_millions(most)} are kept. Steps, accounts and findings are of all hosts."
    )
    return (Omitted("timeline", tuple(without_timeline), sentence),)


def _millions(events: int) -> str:
    """A number of events, never rounded to a limit that it exceeds."""
    return f"{events:,}" if events < 1_000_000 or events % 100_000 else f"{events / 1e6:g} million"
