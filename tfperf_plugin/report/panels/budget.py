"""The step budget: which time of a step each finding claims, and what is left; or the time on the CPU."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.startup import MARKED_RATIO
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, listing, ms, percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import (
    Account,
    Block,
    Budget,
    Claim,
    Division,
    HostTime,
    Ledger,
    Report,
    StepGroup,
)
from tfperf_plugin.report.panels.quality import is_loose, is_thin
from tfperf_plugin.report.projection import projected_ns

DRAWN_ACCOUNTS: Final = {
    "compute": "compute",
    "compute.floor": "compute",
    "compute.recoverable": "recoverable",
    "compute.not_judged": "unknown",
    "communication.transfer": "transfer",
    "communication.wait": "wait",
    "copy.h2d": "copy",
    "copy.d2h": "copy",
    "copy.d2d": "copy",
    "idle.input": "input",
    "idle.launch": "launch",
    "idle.dispatch": "launch",
    "idle.compile": "compile",
    "idle.startup": "compile",
    "idle.host_op": "host-op",
    "idle.sync": "sync",
    "idle.between_steps": "between",
    "idle.unknown": "unknown",
    "idle.stagger": "stagger",
}
"""Account, or part of compute → name of its color, in the order of a bar: late starts lie right.
``frontend/src/accounts.ts`` has the same."""
WORDS: Final = ACCOUNT_WORDS | {
    "compute.floor": "Compute at the GPU’s limit",
    "compute.recoverable": "Compute that could be won",
    "compute.not_judged": "Compute not judged",
}


# Claimed compute is taken from what could be won, before what nobody judged.
_COMPUTE: Final = ("compute.recoverable", "compute.not_judged", "compute.floor", "compute")
# A legend lists accounts from this share of the step on.
_LEGEND_RATIO: Final = 0.005
_STAYS_RATIO: Final = 0.05
# What keeps the step longer by less than this share of it gets no sentence.
_HELD_RATIO: Final = 0.005
_SUMMED: Final = "Where the time goes, summed, not in time order."
_ONCE: Final = "No nanosecond is claimed twice."
_GROUPS: Final = "Steps differ: each group has a budget of its own."
_AVERAGED: Final = "Savings of findings are averages over all steps."
_RARE: Final = "Findings claim time of usual steps."


def budget(report: Report) -> Budget | None:
    """The budget of a report; ``None`` without a ledger."""
    ledger, steps = report.ledger, report.steps
    if ledger is None:
        return None
    now, claims = _claimed(ledger, report.findings)
    every = [claim.id for claim in claims]
    told = steps.unit and not steps.groups and not any(note.severity == "critical" for note in report.trust)
    if steps.groups:
        about = " ".join((_SUMMED, _GROUPS, *([_AVERAGED] if claims else [])))
        divisions = tuple(_of_group(group, about, group.name) for group in steps.groups)
    else:
        name = "Mean GPU" if ledger.devices_total != 1 else "Usual step" if steps.rare else "Mean step"
        about = " ".join((_SUMMED, *([_ONCE] if claims else [])))
        divisions = (_division(name, _basis(report, ledger), about, ledger.step_ns, now, _hidden(ledger)),)
    return Budget(
        heading="Step budget" if steps.unit else "Recorded time",
        divisions=divisions,
        rare=_of_group(steps.rare, f"{_SUMMED} {_RARE}", "Rare long step") if steps.rare else None,
        claims=claims,
        projected_ns=projected_ns(report, every),
        fixed=fixed(claims, claims),
        bound=is_loose(report, [claim.rank for claim in claims]),
        held=held(report, every),
        # Where no step was recorded, the verdict says why GPUs are idle; where events are missing, nothing.
        stays=_stays(now, ledger, is_thin(report)) if told else "",
    )


def fixed(chosen: Sequence[Claim], claims: Sequence[Claim]) -> str:
    """ "with 1 of 2 findings fixed"; "with findings 1 and 3 fixed" if others of the report save no time."""
    ranks = [str(claim.rank) for claim in chosen]
    if not ranks or len(claims) == max(claim.rank for claim in claims):
        return f"with {len(ranks)} of {count(len(claims), 'finding')} fixed"
    return f"with finding{'' if len(ranks) == 1 else 's'} {listing(ranks, len(ranks))} fixed"


def held(report: Report, without: Collection[str]) -> str:
    """Says that the input pipeline keeps the step longer than the time left without these findings, or ""."""
    if report.ledger is None or report.input is None or report.input.needed_ns is None:
        return ""
    step_ns, needed_ns = report.ledger.step_ns, report.input.needed_ns
    saved_ns = sum(f.saving.ns for f in report.findings if f.id in without and f.saving and f.saving.accounts)
    held_ns = projected_ns(report, without) - max(0, step_ns - saved_ns)
    if held_ns <= _HELD_RATIO * step_ns:
        return ""
    return (
        f"The input pipeline needs {ms(needed_ns)} for the batch of a step. "
        f"If it were faster, the step would be {ms(held_ns)} shorter."
    )


def left_blocks(found: Budget) -> tuple[Block, ...]:
    """The blocks of the mean step once all findings are fixed."""
    mean = found.divisions[0]
    left = tuple(block for block in mean.blocks if not block.owner)
    held_ns = found.projected_ns - _total(left)
    return (*left, *row({"idle.input": held_ns}, mean.step_ns, _total(left)))


# ---------------------------------------------------------------------------------- blocks


def _claimed(ledger: Ledger, findings: Sequence[Finding]) -> tuple[tuple[Block, ...], tuple[Claim, ...]]:
    """The blocks of the average step, and the claims on them."""
    left = _divided(ledger)
    end, claims, claimed = ledger.step_ns, [], []
    for rank, finding in enumerate(findings, 1):
        taken: dict[str, int] = {}
        for account, wanted in (finding.saving.accounts if finding.saving else {}).items():
            for id_ in _COMPUTE if account == "compute" else (account,):
                ns = min(left.get(id_, 0), max(0, wanted))
                left[id_] = left.get(id_, 0) - ns
                taken[id_] = taken.get(id_, 0) + ns
                wanted -= ns
        if ns := sum(taken.values()):
            end -= ns
            claims.append(Claim(finding.id, rank, ns, end))
            claimed.append(row(taken, ledger.step_ns, end, rank))
    blocks = [block for blocks in reversed(claimed) for block in blocks]
    return (*row(left, ledger.step_ns), *blocks), tuple(claims)


def _divided(ledger: Ledger) -> dict[str, int]:
    """The accounts, with compute cut into its parts where its work is known."""
    times = times_of(ledger.accounts)
    if ledger.compute_parts:
        del times["compute"]
        for part in ledger.compute_parts:
            for name in ("floor", "recoverable", "not_judged"):
                id_ = f"compute.{name}"
                times[id_] = times.get(id_, 0) + getattr(part, f"{name}_ns")
    return times


def row(times: Mapping[str, int], step_ns: int, begin_ns: int = 0, owner: int = 0) -> tuple[Block, ...]:
    """Blocks beside each other."""
    blocks = []
    claimed = f", claimed by {owner}" if owner else ""
    for id_ in DRAWN_ACCOUNTS:
        if ns := times.get(id_, 0):
            words = f"{WORDS[id_]}: {ms(ns)}, {percent(ns / max(1, step_ns))} of the step{claimed}"
            blocks.append(Block(id_, ns, begin_ns, owner, words))
            begin_ns += ns
    return tuple(blocks)


def times_of(accounts: Iterable[Account]) -> dict[str, int]:
    """Account → ns."""
    return {account.id: account.ns for account in accounts}


def _total(blocks: Iterable[Block]) -> int:
    return sum(block.ns for block in blocks)


# ------------------------------------------------------------------------------- divisions


def _of_group(group: StepGroup, about: str, name: str) -> Division:
    blocks = row(times_of(group.accounts), group.step_ns)
    return _division(name, group_basis(group), about, group.step_ns, blocks, "")


def _division(
    name: str, basis: str, about: str, step_ns: int, blocks: tuple[Block, ...], hidden: str
) -> Division:
    sums: dict[str, int] = {}
    for block in blocks:
        sums[block.account] = sums.get(block.account, 0) + block.ns
    every = sorted(sums.items(), key=lambda item: -item[1])
    small = [ns for _, ns in every if ns < _LEGEND_RATIO * step_ns]
    listed = every if len(small) < 2 else every[: -len(small)]
    active = sum(ns for id_, ns in every if not id_.startswith("idle.") and id_ != "communication.wait")
    return Division(
        name,
        basis,
        about,
        step_ns,
        blocks,
        legend=tuple(Account(id_, ns, ns / max(1, step_ns)) for id_, ns in listed),
        rest=f"{len(small)} more below 0.5 %: {ms(sum(small))}" if len(small) > 1 else "",
        active_ratio=active / max(1, step_ns),
        hidden=hidden,
    )


def _basis(report: Report, ledger: Ledger) -> str:
    steps, gpus = report.steps.count, ledger.devices_total
    if not report.steps.unit:
        return "the recorded time"
    usual = "usual step" if report.steps.rare else "step"
    of = f"one {usual}" if steps == 1 else f"mean of {count(steps, usual)}"
    return f"{of} × {count(gpus, 'GPU')}" if gpus > 1 else of


def group_basis(group: StepGroup) -> str:
    """ "mean of 4 long steps", or "mean of 9 steps of worker-3"."""
    if not group.name.endswith(" steps"):
        return f"mean of {count(group.count, 'step')} of {group.name}"
    members = count(group.count, group.name.removesuffix("s"))
    return members if group.count == 1 else f"mean of {members}"


def _hidden(ledger: Ledger) -> str:
    every = (ledger.hidden_communication_ns, "communication"), (ledger.hidden_copy_ns, "copies")
    hidden = [f"{ms(ns)} {what}" for ns, what in every if ns]
    return f"{' and '.join(hidden)} hidden" if hidden else ""


def startup_ns(ledger: Ledger) -> int:
    """Start-up in the average step, which later steps do not have; 0 if it is too little to say."""
    ns = times_of(ledger.accounts).get("idle.startup", 0)
    return ns if ns >= MARKED_RATIO * ledger.step_ns else 0


def _stays(now: Iterable[Block], ledger: Ledger, thin: bool) -> str:
    starts, step_ns = startup_ns(ledger), ledger.step_ns
    start = f"{ms(starts)} of start-up, which later steps do not have." if starts else ""
    idle = [b for b in now if not b.owner and b.account.startswith("idle.") and b.account != "idle.startup"]
    idle.sort(key=lambda block: -block.ns)
    if _total(idle) < _STAYS_RATIO * step_ns:
        return start
    named = ", ".join(f"{WORDS[b.account]} {ms(b.ns)}" for b in idle if b.ns >= _LEGEND_RATIO * step_ns)
    more = " Ten whole steps may show more of it." if thin else ""
    unclaimed = f"{ms(_total(idle))} of idle time that no finding counts as saved: {named}.{more}"
    return " ".join(filter(None, (start, unclaimed)))


# -------------------------------------------------------------------------------- a model on the CPU

KINDS_CAP: Final = 8
# Kinds of ops below this share of the step are not listed.
_KIND_RATIO: Final = 0.01
_PARTS: Final = (
    ("host.ops", "Ops on the CPU"),
    ("host.between", "Framework between ops"),
    ("idle.input", "Input wait"),
    ("host.rest", "Python, callbacks and the rest"),
)
_ABOUT: Final = (
    "Summed, not in time order. Below, how long any op of a kind runs; kinds run beside each other."
)


def host_time(compute: HostCompute, late: LateInput) -> HostTime | None:
    """The parts of the step, and the kinds of ops; ``None`` if the model did not run on the CPU."""
    step_ns = compute.step_ns
    if not compute.on_cpu or not compute.kinds or not step_ns:
        return None
    parts = compute.divided(late.lost_ns)
    begins = accumulate(parts, initial=0)
    return HostTime(
        basis=f"mean of {count(compute.steps_count, 'step')}" if compute.steps_count else "the recorded time",
        about=_ABOUT,
        step_ns=step_ns,
        blocks=tuple(
            Block(id_, ns, begin, 0, f"{words}: {ms(ns)}, {percent(ns / step_ns)} of the step")
            for (id_, words), ns, begin in zip(_PARTS, parts, begins, strict=False)
            if ns
        ),
        kinds=tuple(
            Account(kind, ns, ns / step_ns)
            for kind, ns in compute.kinds[:KINDS_CAP]
            if ns >= _KIND_RATIO * step_ns
        ),
    )
