"""The words of the report in lines, for text, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, ms, multiple, number_text, percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import AfterWords, Budget, FindingWords, Report
from tfperf_plugin.report.panels.gpus import used_count
from tfperf_plugin.report.panels.kernels import PHASE_WORDS
from tfperf_plugin.report.panels.verdict import now_line

HOSTS_NAMED: Final = 8
"""More hosts than these are only counted."""
ICON: Final = {"critical": "●", "warning": "▲", "info": "i"}


class Lead(NamedTuple):
    """What to change first, or what was found instead."""

    asks: str
    action: str
    cause: str
    command: str  # a line to copy that does it, or tells what nobody knows; "" for none
    finding: Finding | None  # the first one, unless nothing can be judged or it brings no time
    words: FindingWords
    now: tuple[str, str]

    @property
    def times(self) -> list[tuple[str, str]]:
        """The step now and once this is fixed, each with what it is called."""
        after = self.words.after
        return [self.now, *([(after.of, after_line(after))] if after else [])]

    @property
    def size(self) -> str:
        """ "up to 8.0 ms per step (27 %) · high confidence", and what it brings alone or among all."""
        if not self.finding:
            return ""
        once = self.finding.saving is not None and self.finding.saving.once_ns
        more = self.words.most or ("" if once else self.words.beside)
        return " · ".join(filter(None, (size(self.finding, self.words), more)))


def lead(report: Report) -> Lead:
    """What a report says of its first finding."""
    now = report.verdict.unit, now_line(report.verdict)
    words = report.words[0] if report.words else FindingWords("")
    first = report.findings[0] if words.asks or words.most else None
    if first and words.asks:
        action, cause = first.action or first.title, first.cause or first.summary
        return Lead(f"{words.asks} first", action, cause, first.command, first, words, now)
    command = report.measure or (first.command if first else "")
    rest = replace(words, after=None)
    return Lead("Verdict", report.advice, report.verdict.checked, command, first, rest, now)


def words_of(report: Report) -> dict[str, FindingWords]:
    """What the report says of each finding, by its id."""
    return {words.id: words for words in report.words}


def size(finding: Finding, words: FindingWords) -> str:
    """ "up to 8.0 ms per step (27 %) · high confidence"."""
    return " · ".join(filter(None, (words.saving, f"{finding.confidence} confidence")))


def after_line(after: AfterWords) -> str:
    """ "22.1 ms · likely 20.4–23.3 ms · −27 %, 1.36×"."""
    return " · ".join(filter(None, (after.time, after.likely, after.change)))


def no_finding(report: Report) -> str:
    """What stands where findings would."""
    if report.ledger and report.headline:
        return "Not judged: these times tell little of later steps."
    if report.ledger or not any(note.severity == "critical" for note in report.trust):
        return "Nothing."
    what = "Nothing on the GPU" if report.passed else "Nothing"
    return f"{what} could be checked: fix the recording first."


def reliance(report: Report) -> tuple[str, list[str]]:
    """How good the evidence is, "strong", and why, without what notes say: "✓ 7 whole steps"."""
    found = report.capture_quality
    if found is None:
        return "", []
    titles = {note.title for note in report.trust}
    shown = [reason for reason in found.reasons if reason.text not in titles]
    return found.level, [f"{'✓' if reason.ok else '!'} {reason.text}" for reason in shown]


def hosts_words(report: Report) -> str:
    """ "4 hosts", or "4 processes on 1 host"."""
    hosts, machines = len(report.hosts), report.machines_count
    if 0 < machines < hosts:
        return f"{hosts} processes on {count(machines, 'host')}"
    return count(hosts, "host")


def run_line(report: Report, with_hosts: bool = True) -> str:
    """The run, its hosts (their number if there are more than ``HOSTS_NAMED``), the number of steps and the
    GPUs behind the report, and what recorded it unless XProf shows it."""
    few = len(report.hosts) <= HOSTS_NAMED
    hosts = ", ".join(report.hosts) if few else hosts_words(report)
    names = ", ".join(sorted({d.name for d in report.devices if d.name}))
    gpus = f"{used_count(report)} of {count(len(report.devices), 'GPU')}" if report.devices else "no GPU"
    parts = (
        f"Run {report.run}",
        hosts if with_hosts else "",
        count(report.steps.count, "step"),
        f"{gpus} ({names})" if names else gpus,
        report.source if report.viewer != "XProf" else "",
    )
    return " · ".join(filter(None, parts))


def threshold_text(evidence: Evidence) -> str:
    """On which side of its threshold a value lies: "≥ 0.60 ms" or "≤ 40 µs"; nothing without one."""
    if evidence.threshold is None:
        return ""
    side = "threshold"
    if not isinstance(evidence.value, str):
        side = "≤" if evidence.value < evidence.threshold else "≥"
    return f"{side} {number_text(evidence.threshold, evidence.unit)}"


def shell_lines(finding: Finding) -> tuple[str, ...]:
    """The commands that the advice speaks of."""
    codes = (snippet.code for snippet in finding.fix.snippets if snippet.framework == "shell")
    return tuple(line for code in codes if code != finding.command for line in code.split("\n"))


# ------------------------------------------------------------------------------------- budget

Rows = tuple[tuple[str, str, str], ...]


def claim_rows(report: Report) -> tuple[tuple[str, str, str, str], ...]:
    """The budget in rows for text and Markdown: (rank, what, time, share); none without a ledger.

    Where steps differ, findings are not of one group's step: what they claim is an average over all steps.
    """
    found, groups = report.budget, report.steps.groups
    if found is None:
        return ()
    said = words_of(report)
    average = "averaged over all steps" if groups else ""
    now = [
        ("", f"Now, {one.basis}", ms(one.step_ns or group_ns), "" if groups else "100 %")
        for one, group_ns in zip(found.divisions, (g.p50_ns for g in groups) if groups else (0,), strict=True)
    ]
    claims = [
        (
            str(claim.rank),
            ", ".join(filter(None, (report.findings[claim.rank - 1].title, average, said[claim.id].beside))),
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
