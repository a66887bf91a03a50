"""The sections of the report, each with its answer in one sentence, its one number, and its blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import MATCHED_RATIO, AllReduceTimes
from tfperf_plugin.judging.engine.words import gpu, listing, ms, percent, short_name
from tfperf_plugin.judging.verdicts import Row
from tfperf_plugin.report.model import (
    AllReduce,
    Collective,
    Memory,
    Report,
    Section,
    SectionBlock,
    SectionId,
    Sentence,
    Table,
)
from tfperf_plugin.report.panels.communication import (
    WORTH_SAYING_RATIO,
    besides,
    collective_names,
    collective_table,
    counted_ns,
    known_quantities,
    size_table,
    waited_for,
)
from tfperf_plugin.report.panels.compute import compute_blocks
from tfperf_plugin.report.panels.gpus import memory_blocks, peak
from tfperf_plugin.report.panels.hosts import host_table, hosts_answer
from tfperf_plugin.report.panels.input import input_blocks
from tfperf_plugin.report.panels.machine import machine_blocks, machine_section
from tfperf_plugin.report.panels.stragglers import late_table
from tfperf_plugin.report.panels.training import training_section, training_table


def sections(report: Report, tables: Sequence[Table], times: AllReduceTimes | None) -> tuple[Section, ...]:
    """The sections for which the run has data, in the order in which all outputs show them.

    ``tables``: of kernels and ops.
    """
    tables = [table for table in tables if table.rows]
    found = _sections(report, tables, times)
    return tuple(replace(one, blocks=tuple(_blocks(report, one.id, tables))) for one in found)


def _blocks(report: Report, id: SectionId, tables: Sequence[Table]) -> Iterator[SectionBlock]:
    """What a section holds. The lists of checks are part of the report's head."""
    match id:
        case "communication":
            yield from _communication_blocks(report)
        case "hosts":
            yield host_table(report.by_host)
        case "kernels":
            yield from compute_blocks(report)
            for table in tables:
                yield table
                if table.id == "kernels" and report.collectives:
                    yield Sentence(_left_out(report))
        case "input" if report.input:
            yield from input_blocks(report.input, any(one.id == "input-bound" for one in report.findings))
        case "memory" if report.memory:
            yield from memory_blocks(report.memory)
        case "machine" if report.machine:
            yield from machine_blocks(report.machine)
        case "training" if report.training:
            yield training_table(report.training)


def _left_out(report: Report) -> str:
    """What the table of kernels leaves out."""
    found = report.collectives
    time = f"{ms(sum(one.ns for one in found))}{_per_step(report)} on each GPU"
    names = listing([one.name for one in found])
    return f"Kernels of communication are left out: {names}, {time}. See Communication."


def _communication_blocks(report: Report) -> Iterator[SectionBlock]:
    card = report.allreduce
    if any(card is None or one.kind not in card.kinds for one in report.collectives):
        yield collective_table(report.collectives)
    if card:
        yield known_quantities(card)
        if card.difference:
            yield Sentence(card.difference)
        if card.sizes:
            yield size_table(card.sizes)
    if report.stragglers:
        yield late_table(report)


def _sections(report: Report, tables: Sequence[Table], times: AllReduceTimes | None) -> Iterator[Section]:
    not_covered = besides(report.allreduce, report.collectives)
    # Collectives are called, too, so a call of the step's function is named.
    per_step = f" a {report.steps.unit}" if report.steps.unit else ""
    if report.allreduce and (report.allreduce.transfer_ns is not None or not report.collectives):
        text = _exchange(report.allreduce, times, _others(report), per_step)
        yield _communication(report, text, not_covered, per_step)
    elif report.collectives:
        yield _communication(report, _collectives(report.collectives, per_step), not_covered, per_step)
    elif len(report.stragglers) > 1:
        yield replace(_lateness(report), note=not_covered)
    if len(report.by_host) > 1:
        yield Section("hosts", *hosts_answer(report.by_host))
    if tables:
        yield _kernels(report, {table.id: table for table in tables})
    if report.input and report.input.iterators:
        waits = [pipeline.wait_ns for pipeline in report.input.pipelines[:1]]
        yield Section("input", report.input.sentence, ms(waits[0]) if waits else "")
    if report.memory:
        yield _memory(report.memory)
    if report.machine:
        yield machine_section(report.machine)
    yield Section("checks", checks_line(report) + ".", f"{len(report.passed)} passed")
    yield training_section(report)


def _per_step(report: Report) -> str:
    unit = report.steps.unit.split(" of ")[0]
    return f" a {unit}" if unit else ""


def _others(report: Report) -> tuple[Collective, ...]:
    """The kind of collective that takes longer than the AllReduce card's kinds, if one does."""
    counted = counted_ns(report.allreduce, report.collectives)
    return tuple(one for one in report.collectives[:1] if one.ns > counted)


def _communication(report: Report, text: str, note: str, per_step: str) -> Section:
    """It says first how much of the collectives lengthens the step."""
    if not (report.ledger and report.collectives):
        return Section("communication", text, "", note)
    accounts = [one for one in report.ledger.accounts if one.id.startswith("communication.")]
    time, share = ms(sum(one.ns for one in accounts)), percent(sum(one.ratio for one in accounts))
    exposed = f"Exposed communication takes {time}{per_step} ({share})."
    first = exposed if accounts else "Compute hides all communication."
    return Section("communication", f"{first} {text}", time, note)


def _exchange(
    card: AllReduce, times: AllReduceTimes | None, others: tuple[Collective, ...], per_step: str
) -> str:
    if times is None or card.transfer_ns is None or card.wait_ns is None:
        text = "No collective was recorded"
        if card.guide_ns is not None:
            text += f"; by the guide's estimate AllReduce would take {ms(card.guide_ns)}{per_step}"
        return f"{text}."
    time, names = ms(card.transfer_ns), collective_names(card.kinds) or "AllReduce"
    takes = "take" if len(card.kinds) > 1 else "takes"
    if times.unseen or times.matched_ratio < MATCHED_RATIO:
        return f"{names} {takes} {time}{per_step}, waiting for other GPUs included."
    text = f"Transfer in {names} takes {time}{per_step}"
    if card.ring_bound_ns:
        ratio = card.transfer_ns / card.ring_bound_ns
        text += f", {ratio:{'#.2g' if ratio < 9.95 else ',.0f'}} × the ring bound"
    worth = WORTH_SAYING_RATIO * (card.transfer_ns + card.wait_ns)
    if card.wait_ns >= worth:
        text += "; GPUs wait " + ", ".join(filter(None, (ms(card.wait_ns), waited_for(card))))
    elif card.hidden_ns and card.hidden_ns >= worth:
        text += f"; compute hides {ms(card.hidden_ns)}"
    return f"{_collectives(others, per_step)} {text}." if others else f"{text}."


def _collectives(collectives: tuple[Collective, ...], per_step: str) -> str:
    """What is known of collectives that no estimate covers."""
    time = ms(sum(one.ns for one in collectives))
    takes = "take" if len(collectives) > 1 else "takes"
    names = listing([one.name for one in collectives])
    wait = sum(one.wait_ns or 0 for one in collectives)
    worth = WORTH_SAYING_RATIO * sum(one.ns for one in collectives)
    waits = f", {ms(wait)} of it waiting" if wait >= worth else ""
    return f"{names} {takes} {time}{per_step} on each GPU{waits}."


def _lateness(report: Report) -> Section:
    """What several GPUs without AllReduce still tell: which of them is late."""
    last = report.stragglers[0]
    name = gpu(last.device, last.host if len(report.hosts) > 1 else "")
    text = f"Of {len(report.stragglers)} GPUs, {name} comes last, {ms(last.behind_ns)} behind the first."
    return Section("communication", text if last.behind_ns else "No GPU is late.", ms(last.behind_ns))


def _kernels(report: Report, tables: Mapping[str, Table]) -> Section:
    numbers, parts, chip = report.key_numbers, [], ""
    if numbers.mfu_ratio is not None:
        chip = f"MFU {percent(numbers.mfu_ratio)}"
        parts.append(f"MFU is {percent(numbers.mfu_ratio)}")
    elif report.ledger:
        chip = ms(next((a.ns for a in report.ledger.accounts if a.id == "compute"), 0))
    if judged := numbers.compute_judged_ratio:
        parts.append(f"for {percent(judged)} of compute it is known how fast it could be")
    if "ops" in tables:
        op, *_ = tables["ops"].records()
        kernel, *_ = tables["kernels"].records()
        # PyTorch names no ops: then its kernels tell more.
        what, most = ("op", op) if op.get("name") or op.get("type") else ("kernel", kernel)
        time = f"{ms(most['ns'])}{_per_step(report)} ({percent(most['ratio'])} of kernel time)"
        parts.append(f"the {what} with the most time is {_short(most)}, {time}")
    elif "host_ops" in tables:
        most, *_ = tables["host_ops"].records()
        time = f"{ms(most['self_ns'])}{_per_step(report)}"
        parts.append(f"the op with the most time on the host is {_short(most)}, {time}")
    text = "; ".join(parts)
    return Section("kernels", f"{text[:1].upper()}{text[1:]}.", chip)


def _short(row: dict[str, Any]) -> str:
    """The name of an op, or else its type."""
    return short_name(row.get("name") or row.get("type") or "one without a name")


def _memory(memory: Memory) -> Section:
    fullest = memory.devices[0]
    return Section("memory", f"{peak(memory)}.", percent(fullest.peak_bytes / fullest.capacity_bytes))


def checks(report: Report) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """The checks that are no findings by what became of them; groups without any are left out."""
    groups = (
        ("Passed", report.passed),
        ("Could not be checked", report.missing_data),
        ("Does not apply", report.not_applicable),
        ("To check by hand", report.manual),
        ("Failed checks", report.errors),
    )
    return tuple((title, rows) for title, rows in groups if rows)


def checks_line(report: Report) -> str:
    """How many checks passed, and what became of the others."""
    parts = [f"{len(report.passed)} passed", f"{len(report.missing_data)} could not be checked"]
    others = (
        (report.errors, "failed"),
        (report.not_applicable, "do not apply"),
        (report.manual, "to check by hand"),
    )
    return ", ".join((*parts, *(f"{len(rows)} {words}" for rows, words in others if rows)))
