"""The budget as rows and sentences, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator

from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, ms, multiple, percent
from tfperf_plugin.report.model import Budget, Report
from tfperf_plugin.report.panels.kernels import PHASE_WORDS

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


def phases_line(report: Report) -> str:
    """Compute time by phase in one line; "" if the phases are unknown."""
    if report.phases is None or not report.phases.items:
        return ""
    parts = [f"{PHASE_WORDS[p.id]} {ms(p.ns)} ({percent(p.ratio)})" for p in report.phases.items if p.ns]
    return f"Compute by phase: {', '.join(parts)}"
