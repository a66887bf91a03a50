"""The step budget as rows for text and Markdown, and bars of GPUs for HTML."""

from __future__ import annotations

from tfperf_plugin.judging.engine.words import gpu, ms, multiple, percent
from tfperf_plugin.report.model import Account, Block, Budget, Report
from tfperf_plugin.report.panels.budget import row, times_of


def projection(found: Budget) -> tuple[str, str, str]:
    """("with 1 of 1 finding fixed", "22.1 ms", "1.36×")."""
    now, left = found.divisions[0].step_ns, found.projected_ns
    return found.fixed, f"{'≥ ' if found.bound else ''}{ms(left)}", multiple(now / left) if left else ""


def bars(report: Report) -> tuple[tuple[str, int, tuple[Block, ...]], ...]:
    """A bar for each GPU: (name, ns, blocks)."""
    devices = report.ledger.devices if report.ledger else ()
    several = len(report.hosts) > 1
    return tuple(
        (gpu(d.device, d.host if several else ""), d.step_ns, row(times_of(d.accounts), d.step_ns))
        for d in devices
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
    found, groups = report.budget, report.steps.groups
    if found is None:
        return ()
    alone = {words.id: words.alone for words in report.words}
    average = "averaged over all steps" if groups else ""
    now = [
        ("", f"Now, {one.basis}", ms(one.step_ns or group_ns), "" if groups else "100 %")
        for one, group_ns in zip(found.divisions, (g.p50_ns for g in groups) if groups else (0,), strict=True)
    ]
    claims = [
        (
            str(claim.rank),
            ", ".join(filter(None, (report.findings[claim.rank - 1].title, average, alone[claim.id]))),
            f"−{ms(claim.ns)}",
            "" if groups else percent(claim.ns / max(1, found.divisions[0].step_ns)),
        )
        for claim in found.claims
    ]
    fixed, time, gain = projection(found)
    last = [("", f"Projected, {fixed}", time, gain)] if claims and not groups else []
    return (*now, *claims, *last)
