"""The budget and the tables after the findings, as rows and sentences for text, Markdown and HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE
from tfperf_plugin.analysis.artifacts.input.stages import PASSING_ON
from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, ms, multiple, percent
from tfperf_plugin.report.model import AllReduce, Budget, HostTimes, Kernel, KeyNumbers, Ledger, Op, Report
from tfperf_plugin.report.model import Iterator as Stage
from tfperf_plugin.report.panels.compute import ABOVE_BOUND
from tfperf_plugin.report.render.plain import short

# At most so many hosts (slow ones first, then by lateness), ops and iterators; the report holds more.
HOSTS_LISTED: Final = 16
TOP_OPS: Final = 5
NAME_BYTES: Final = 80
STAGES_LISTED: Final = 24
_KIND_WORDS: Final = {
    "matrix": "matrix products",
    "memory": "memory-bound kernels",
    "small": "small kernels",
    "other": "other kernels",
}
_PHASE_WORDS: Final = {
    "forward": "forward pass",
    "loss": "loss",
    "backward": "backward pass",
    "optimizer": "optimizer",
    "other": "not told by names",
}
# How to state what estimates start from.
_STATE: Final = {
    "parameters": "give --parameters, like 25.6M",
    "bandwidth of one GPU": "give --bandwidth, like 'NVLink 3'",
}
Rows = tuple[tuple[str, str, str], ...]


def claim_rows(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """The budget in rows for text and Markdown: (rank, what, time, share); none without a ledger.

    Where steps differ, findings are not of one group's step: what they claim is an average over all steps.
    """
    found, groups = report.budget, report.steps.groups
    if found is None:
        return ()
    beside = {words.id: words.beside for words in report.words}
    average = "averaged over all steps" if groups else ""
    now = [
        ("", f"Now, {one.basis}", ms(one.step_ns or group_ns), "" if groups else "100 %")
        for one, group_ns in zip(found.divisions, (g.p50_ns for g in groups) if groups else (0,), strict=True)
    ]
    claims = [
        (
            str(claim.rank),
            ", ".join(filter(None, (report.findings[claim.rank - 1].title, average, beside[claim.id]))),
            f"−{ms(claim.ns)}",
            "" if groups else percent(claim.ns / max(1, found.divisions[0].step_ns)),
        )
        for claim in found.claims
    ]
    if groups or not claims:
        return (*now, *claims)
    held_ns = found.projected_ns - sum(block.ns for block in found.divisions[0].blocks if not block.owner)
    held = [("", "Held by the input pipeline", f"+{ms(held_ns)}", "")] if held_ns else []
    fixed, time, gain = projection(found)
    return (*now, *claims, *held, ("", f"Projected, {fixed}", time, gain))


def projection(found: Budget) -> tuple[str, str, str]:
    """("with 1 of 1 finding fixed", "22.1 ms", "1.36×")."""
    now, left = found.divisions[0].step_ns, found.projected_ns
    return found.fixed, f"{'≥ ' if found.bound else ''}{ms(left)}", multiple(now / left) if left else ""


def accounts_of(report: Report) -> Iterator[tuple[str, Rows]]:
    """Where the time goes, as a title and (account, time, share): in a usual step or, where steps differ, in
    one of each group; and in a rare long one.
    """
    if report.ledger is None:
        return
    rare = report.steps.rare
    what = "the recorded time" if not report.steps.unit else "a usual step" if rare else "a step"
    tables = [(f"a step goes: {g.name}", g.accounts) for g in report.steps.groups if g.accounts]
    tables = tables or [(f"{what} goes", report.ledger.accounts)]
    for name, accounts in [*tables, *([("a rare long step goes", rare.accounts)] if rare else [])]:
        rows = ((ACCOUNT_WORDS[a.id], ms(a.ns), percent(a.ratio)) for a in accounts if a.ns)
        yield f"Where {name}", tuple(rows)


def idle_rows(report: Report) -> Rows:
    """Why the GPUs are idle: (time, account, sentence)."""
    shown = [row for row in report.idle if row.sentence]
    return tuple((ms(row.ns), ACCOUNT_WORDS[row.account], row.sentence) for row in shown)


def tables(report: Report) -> Iterator[tuple[str, Rows, str]]:
    """The tables after the findings: (title, rows, sentence)."""
    if rows := compute_rows(report):
        yield "How good the compute is", rows, above_line(report)
    if rows := op_rows(report):
        yield "The ops that take most of the GPUs' time", rows, ""
    if report.memory:
        yield "GPU memory", (), report.memory.devices[0].said
    if report.input and (stages := input_rows(report)):
        yield "Input pipeline, work per batch of each stage", stages, report.input.sentence
    if report.allreduce:
        rows = allreduce_rows(report.allreduce)
        yield allreduce_title(report.allreduce), rows, report.allreduce.difference
    if hosts := host_rows(report):
        yield "Hosts, each one's own part of a step", hosts, ""


def compute_rows(report: Report) -> Rows:
    """MFU with its basis, and what compute needs: (name, value, words); none if no kernel was judged."""
    parts = report.ledger.compute_parts if report.ledger else ()
    if not parts and report.key_numbers.mfu_ratio is None:
        return ()
    split = _split(report.ledger) if report.ledger and parts else ()
    return (*_utilization(report.key_numbers), *split)


def _utilization(numbers: KeyNumbers) -> Iterator[tuple[str, str, str]]:
    basis = numbers.mfu_basis.replace(f" ({PEAKS_SOURCE})", "")
    if numbers.mfu_ratio is None:
        yield "Model FLOPs utilization (MFU)", "not known", basis
        return
    rate = f"{_quantity((numbers.flops_per_s or 0) / 1e12)} " if numbers.flops_per_s else ""
    yield "Model FLOPs utilization (MFU)", percent(numbers.mfu_ratio), rate + basis
    if numbers.hfu_ratio is not None:
        yield "Hardware FLOPs utilization (HFU)", percent(numbers.hfu_ratio), "with recomputed operations"


def _split(ledger: Ledger) -> Iterator[tuple[str, str, str]]:
    floor, peak = ledger.compute_floor_ns or 0, ledger.compute_peak_ns or 0
    yield "needed", ms(floor), f"at rates that good libraries reach; {ms(peak)} at the data sheet's"
    yield "could be won", ms(sum(part.recoverable_ns for part in ledger.compute_parts)), ""
    if unknown := sum(part.not_judged_ns for part in ledger.compute_parts):
        yield "not judged", ms(unknown), ""
    for part in ledger.compute_parts:
        times = (part.floor_ns, "needed"), (part.recoverable_ns, "to win"), (part.not_judged_ns, "not judged")
        if any(ns for ns, _ in times):
            words = ", ".join(f"{ms(ns)} {word}" for ns, word in times if ns)
            yield _KIND_WORDS[part.kind], ms(sum(ns for ns, _ in times)), words


def above_line(report: Report) -> str:
    """How many ops ran faster than their bound; "" if none did."""
    above = next((row.count for row in report.anomalies if row.name == ABOVE_BOUND), 0)
    verb, are = ("runs", "is") if above == 1 else ("run", "are")
    return f"{count(above, 'op')} {verb} faster than the bound and {are} not judged." if above else ""


def op_rows(report: Report) -> Rows:
    """The ops with the most kernel time, and kernels without one: (name, time per step, share and bound)."""
    if report.ops is None:
        return ()
    found = [(op.ns, op.name, _describe_op(op)) for op in report.ops.rows if op.name]
    alone = defaultdict[str, list[Kernel]](list)
    for kernel in report.kernels.rows if report.kernels else ():
        if not kernel.op:
            alone[kernel.name].append(kernel)
    for name, same in alone.items():
        share = percent(sum(kernel.ratio for kernel in same))
        words = f"{share} of kernel time, a kernel without an op"
        found.append((sum(kernel.ns for kernel in same), short(name, NAME_BYTES), words))
    found.sort(key=lambda row: -row[0])
    return tuple((name, ms(ns), words) for ns, name, words in found[:TOP_OPS])


def _describe_op(op: Op) -> str:
    phase = "" if op.phase == "other" else _PHASE_WORDS[op.phase]
    bound = describe_bound(op)
    # Together they would not fit a line.
    what = ", ".join(filter(None, (f"{percent(op.ratio)} of kernel time", phase, "" if bound else op.type)))
    return "; ".join(filter(None, (what, bound)))


def describe_bound(op: Op) -> str:
    """Rate, share of the bound and time to win: "412 TFLOP/s, 31 % of its bound (compute), 2.1 ms to win".

    "" where nobody knows.
    """
    if op.not_judged == ABOVE:
        return "faster than its bound, so not judged"
    if op.floor_ns is None or op.peak_ns is None or not op.judged_ns:
        return ""
    rates = {
        "compute": f"{_quantity((op.flops or 0) / op.judged_ns / 1e3)} TFLOP/s, ",
        "memory": f"{_quantity((op.bytes or 0) / op.judged_ns)} GB/s, ",
    }
    # A bound below a nanosecond has no share.
    share = f"{percent(op.peak_ns / op.judged_ns)} of its bound ({op.bound_by})"
    bound = share if op.peak_ns else f"bound by {op.bound_by}"
    win = f", {ms(op.judged_ns - op.floor_ns)} to win" if op.judged_ns > op.floor_ns else ""
    return f"{rates.get(op.bound_by, '')}{bound}{win}"


def _quantity(value: float) -> str:
    """Three digits: "1,307", "19.9", "0.62"."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def phases_line(report: Report) -> str:
    """Compute time by phase in one line; "" if the phases are unknown."""
    if report.phases is None or not report.phases.items:
        return ""
    parts = [f"{_PHASE_WORDS[p.id]} {ms(p.ns)} ({percent(p.ratio)})" for p in report.phases.items if p.ns]
    return f"Compute by phase: {', '.join(parts)}"


def input_rows(report: Report) -> Rows:
    """The pipeline that steps wait for, as (stage, time per batch, words); empty unless input-bound."""
    found = report.input
    if found is None or not any(f.id == "input-bound" for f in report.findings) or not found.pipelines:
        return ()
    rows = [found.iterators[i] for i in found.pipelines[0].iterators][:STAGES_LISTED]
    return tuple((f"{'  ' * i.depth}{i.written}", ms(i.batch_ns), _describe_stage(i)) for i in rows)


def _describe_stage(row: Stage) -> str:
    parts = [] if row.stage == PASSING_ON else [row.stage]
    if row.at_once > 1:
        parts.append(f"{row.at_once} calls at a time")
    if row.buffer_limit is not None:
        parts.append(f"{row.buffered_elements or 0} of {row.buffer_limit} ready")
    if row.filtered_ratio:
        parts.append(f"drops {percent(row.filtered_ratio)}")
    if row.is_bottleneck:
        parts.append("bottleneck")
    return ", ".join(parts)


def allreduce_rows(card: AllReduce) -> Rows:
    """The known numbers of the AllReduce card, and how to state those that estimates start from."""
    rows = []
    for one in card.numbers:
        if one.value not in ("not known", "not recorded"):
            rows.append((one.term, one.value, one.known))
        elif one.term in _STATE:
            rows.append((one.term, one.value, "; ".join(filter(None, (one.known, _STATE[one.term])))))
    return tuple(rows)


def allreduce_title(card: AllReduce) -> str:
    """The title with the numbers of GPUs, hosts and calls."""
    where = f" on {count(card.hosts_count, 'host')}" if card.hosts_count > 1 else ""
    calls = f", {card.calls_per_step:.3g} {'call' if card.calls_per_step == 1 else 'calls'} per step"
    calls = calls if card.measured_ns is not None else ""
    return f"{card.title} as recorded on {count(card.participants, 'GPU')}{where}{calls}"


def host_rows(report: Report) -> Rows:
    """(Host, its own time in a step, comparison with the others); empty with one host."""
    if len(report.by_host) < 2:
        return ()
    ordered = sorted(report.by_host, key=lambda h: (not h.slow, -(h.late_ns or 0), h.host))
    return tuple((h.host, ms(h.own_ns), _compare_host(h)) for h in ordered[:HOSTS_LISTED])


def _compare_host(host: HostTimes) -> str:
    parts = ["slow"] if host.slow else []
    parts.append(f"waits {ms(host.wait_ns)}")
    if host.late_ns is not None:
        parts.append(f"arrives {ms(host.late_ns)} after the first host")
    if host.clock_source == "collectives" and host.clock_offset_ns is not None:
        late = "later" if host.clock_offset_ns >= 0 else "earlier"
        uncertain = max(1_000, host.clock_uncertainty_ns or 0)
        parts.append(f"its recording begins {ms(abs(host.clock_offset_ns))} {late}, ± {ms(uncertain)}")
    return ", ".join(parts)
