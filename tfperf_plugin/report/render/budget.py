"""The step budget, as in the tab: which nanoseconds each finding claims, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, gpu, ms, percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import Account, Ledger, Report, StepGroup
from tfperf_plugin.report.render.verdict import is_thin, multiple

# The tab's order and constants (frontend/src/accounts.ts, panels/budget/logic.ts).
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
"""Account, or part of compute → name of its color, in the order of a bar: late starts lie right."""
WORDS: Final = ACCOUNT_WORDS | {
    "compute.floor": "Compute at the GPU’s limit",
    "compute.recoverable": "Compute that could be won",
    "compute.not_judged": "Compute not judged",
}
SUMMED: Final = "Where the time goes, summed, not in time order."
# Claimed compute is taken from what could be won, before what nobody judged.
_COMPUTE: Final = ("compute.recoverable", "compute.not_judged", "compute.floor", "compute")
LEGEND_RATIO: Final = 0.005
_STAYS_RATIO: Final = 0.05
_ALONE_RATIO: Final = 0.5
# The verdict predicts the step without the first finding, so its row explains smaller differences.
_FIRST_RATIO: Final = 0.9


class Block(NamedTuple):
    """Time of one account as a bar draws it. ``owner``: rank of the finding that claims it, 0 for none."""

    account: str
    ns: int
    begin_ns: int
    owner: int = 0


class Claim(NamedTuple):
    """A finding and its blocks; ``rank`` counts from 1."""

    finding: Finding
    rank: int
    ns: int
    blocks: tuple[Block, ...]


class Budget(NamedTuple):
    """``now``: from the left, time that no finding claims, then the claims in reverse order of findings."""

    step_ns: int
    now: tuple[Block, ...]
    claims: tuple[Claim, ...]

    @property
    def projected(self) -> tuple[Block, ...]:
        """The blocks that no finding claims."""
        return tuple(block for block in self.now if not block.owner)

    @property
    def projected_ns(self) -> int:
        """The step without what findings claim."""
        return total(self.projected)


def budget(ledger: Ledger, findings: Sequence[Finding]) -> Budget:
    """What the accounts hold and the findings claim, no nanosecond twice."""
    left = _divided(ledger)
    end, claims = ledger.step_ns, []
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
            claims.append(Claim(finding, rank, ns, row(taken, end, rank)))
    claimed = [block for claim in reversed(claims) for block in claim.blocks]
    return Budget(ledger.step_ns, (*row(left), *claimed), tuple(claims))


def _divided(ledger: Ledger) -> dict[str, int]:
    """The accounts, with compute cut into its parts where its work is known."""
    times = {account.id: account.ns for account in ledger.accounts}
    if ledger.compute_parts:
        del times["compute"]
        for part in ledger.compute_parts:
            for name in ("floor", "recoverable", "not_judged"):
                id_ = f"compute.{name}"
                times[id_] = times.get(id_, 0) + getattr(part, f"{name}_ns")
    return times


def row(times: Mapping[str, int], begin_ns: int = 0, owner: int = 0) -> tuple[Block, ...]:
    """Blocks beside each other."""
    blocks = []
    for id_ in DRAWN_ACCOUNTS:
        if ns := times.get(id_, 0):
            blocks.append(Block(id_, ns, begin_ns, owner))
            begin_ns += ns
    return tuple(blocks)


def times_of(accounts: Iterable[Account]) -> dict[str, int]:
    """Account → ns."""
    return {account.id: account.ns for account in accounts}


def total(blocks: Iterable[Block]) -> int:
    """The time of the blocks."""
    return sum(block.ns for block in blocks)


def block_words(block: Block, step_ns: int) -> str:
    """ "Launch skew: 4.0 ms, 13 % of the step, claimed by 1"."""
    claimed = f", claimed by {block.owner}" if block.owner else ""
    return (
        f"{WORDS[block.account]}: {ms(block.ns)}, {percent(block.ns / max(1, step_ns))} of the step{claimed}"
    )


def heading(report: Report) -> str:
    """The title of the budget, which calls nothing a step that is none."""
    return "Step budget" if report.steps.unit else "Recorded time"


def basis(report: Report, ledger: Ledger) -> str:
    """Of what the budget is: "mean of 9 steps × 4 GPUs"."""
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


def projection(report: Report, found: Budget) -> tuple[str, str, str]:
    """("Projected, with 1 of 1 finding fixed", "22.1 ms", "1.36×") if all findings are fixed."""
    claims, left = len(found.claims), found.projected_ns
    least = "≥ " if is_thin(report) else ""
    gain = multiple(found.step_ns / left) if left else ""
    return f"Projected, with {claims} of {count(claims, 'finding')} fixed", f"{least}{ms(left)}", gain


def alone_words(finding: Finding, rank: int, ns: int) -> str:
    """ "only after others: alone it brings 13 µs", where a finding brings much less by itself."""
    alone = finding.saving.alone_ns if finding.saving else None
    if alone is None or alone >= (_FIRST_RATIO if rank == 1 else _ALONE_RATIO) * ns:
        return ""
    brings = f"alone it brings {ms(alone) if alone > 0 else 'nothing'}"
    if rank == 1:
        return brings
    return f"only after {'1' if rank == 2 else 'others'}: {brings}"


def _unexplained(account: str) -> bool:
    """Whether no finding says why a GPU is idle; a note on the capture tells of start-up."""
    return account.startswith("idle.") and account != "idle.startup"


def stays_words(report: Report, found: Budget) -> str:
    """What is idle that no finding claims; "" if it is little, or if what was recorded is no step."""
    if not report.steps.unit:
        return ""
    idle = sorted((b for b in found.projected if _unexplained(b.account)), key=lambda b: -b.ns)
    ns = total(idle)
    if ns < _STAYS_RATIO * found.step_ns:
        return ""
    thin, left = is_thin(report), found.projected_ns
    named = [f"{WORDS[b.account]} {ms(b.ns)}" for b in idle if b.ns >= LEGEND_RATIO * found.step_ns]
    of = f"the projected {'≥ ' if thin else ''}{ms(left)}" if found.claims else ms(left)
    more = " Ten whole steps may show its cause." if thin else ""
    return f"{ms(ns)} of {of} is idle that no finding explains: {', '.join(named)}.{more}"


def bars(report: Report) -> tuple[tuple[str, int, tuple[Block, ...]], ...]:
    """A bar for each GPU: (name, ns, blocks)."""
    devices = report.ledger.devices if report.ledger else ()
    several = len(report.hosts) > 1
    return tuple(
        (gpu(d.device, d.host if several else ""), d.step_ns, row(times_of(d.accounts))) for d in devices
    )


def accounts_of(report: Report) -> tuple[tuple[str, tuple[Account, ...]], ...]:
    """Where the time goes, with a title: in a usual step or, where steps differ, in one of each group; and in
    a rare long one.
    """
    if report.ledger is None:
        return ()
    groups = tuple((f"Where a step goes: {g.name}", g.accounts) for g in report.steps.groups if g.accounts)
    rare = report.steps.rare
    what = "the recorded time" if not report.steps.unit else "a usual step" if rare else "a step"
    usual = groups or ((f"Where {what} goes", report.ledger.accounts),)
    return (*usual, ("Where a rare long step goes", rare.accounts)) if rare else usual


def claim_rows(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """The budget in rows for text and Markdown: (rank, what, time, share); none without a ledger.

    Where steps differ, findings are not of one group's step: what they claim is an average over all steps.
    """
    ledger = report.ledger
    if ledger is None:
        return ()
    found, groups = budget(ledger, report.findings), report.steps.groups
    average = "averaged over all steps" if groups else ""
    claims = [
        (
            str(claim.rank),
            ", ".join(filter(None, (c.title, average, alone_words(c, claim.rank, claim.ns)))),
            f"−{ms(claim.ns)}",
            "" if groups else percent(claim.ns / max(1, found.step_ns)),
        )
        for claim in found.claims
        for c in (claim.finding,)
    ]
    if groups:
        now = [("", f"Now, {group_basis(group)}", ms(group.step_ns or group.p50_ns), "") for group in groups]
        return (*now, *claims)
    last = [("", *projection(report, found))] if claims else []
    return (("", f"Now, {basis(report, ledger)}", ms(found.step_ns), "100 %"), *claims, *last)
