"""Renders the report as text for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import between_ms, gpu, number_text
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import FindingWords, Report
from tfperf_plugin.report.options import tried_line
from tfperf_plugin.report.panels.quality import is_thin
from tfperf_plugin.report.panels.sections import checks, checks_line
from tfperf_plugin.report.panels.verdict import goes_line
from tfperf_plugin.report.render.blocks import markdown_paragraphs, markdown_table, shown, text_lines
from tfperf_plugin.report.render.lines import (
    ICON,
    Lead,
    accounts_of,
    claim_rows,
    idle_rows,
    lead,
    no_finding,
    phases_line,
    reliance,
    run_line,
    shell_lines,
    size,
    threshold_text,
    words_of,
)
from tfperf_plugin.report.render.plain import clean as _clean
from tfperf_plugin.report.render.plain import escape as _escape
from tfperf_plugin.report.render.plain import safe as _safe

_COLOR: Final = {"critical": "\x1b[31m", "warning": "\x1b[33m", "info": "\x1b[34m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


# --------------------------------------------------------------------------------------- text


def to_text(report: Report, color: bool) -> str:
    """The report for a terminal; escape sequences only if ``color``."""
    return "\n".join(_clean(line, color) for line in _text(report, color)) + "\n"


def _text(report: Report, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    yield f"{dim}{_safe(run_line(report))}{plain}"
    if line := tried_line(report.tried):
        yield f"{bold}{line}{plain}"
    yield ""
    yield from _verdict_text(report, color)
    for omitted in report.omitted:
        yield f"  {ICON['info']} {_safe(omitted.sentence)}"
    if report.budget:
        yield ""
        yield f"{bold}{report.budget.heading}{plain}"
        yield f"  {dim}{report.budget.divisions[0].about}{plain}"
        for rank, what, time, share in claim_rows(report):
            yield f"  {time:>9}  {share:>6}  {f'{rank}. ' if rank else ''}{_safe(what)}"
        if report.budget.held:
            yield f"  {report.budget.held}"
        if report.budget.stays:
            yield f"  What stays: {report.budget.stays}"
        for title, accounts in accounts_of(report):
            yield ""
            yield f"{bold}{_safe(title)}{plain}"
            yield from (f"  {time:>9}  {share:>6}  {account}" for account, time, share in accounts)
        if line := phases_line(report):
            yield f"  {dim}{_safe(line)}{plain}"
    if why := idle_rows(report):
        yield ""
        yield f"{bold}Why the GPUs are idle{plain}"
        yield from (f"  {time:>9}  {account}: {_safe(sentence)}" for time, account, sentence in why)
    yield ""
    yield f"{bold}What to change, by saving and confidence{plain}"
    if not report.findings:
        yield f"  {no_finding(report)}"
    said = words_of(report)
    for number, finding in enumerate(report.findings, 1):
        badge = _badge(finding, color)
        yield f"{number:>3}. {badge}  {bold}{_safe(finding.title)}{plain}  {dim}[{finding.id}]{plain}"
        yield f"     {size(finding, said[finding.id])}"
        yield f"     {_safe(finding.summary)}"
        for evidence in finding.evidence:
            yield f"       {_safe(evidence.label)}: {_safe(_value(evidence))}"
        for action in finding.fix.actions:
            yield f"     → {_safe(action)}"
        for line in shell_lines(finding):
            yield f"       {'' if line.startswith('#') else '$ '}{_safe(line)}"
        for place in finding.where[:1]:
            where = " ".join(filter(None, (place.host, gpu(place.device or ""))))
            yield f"     {dim}look at {_safe(where)}, {between_ms(place.begin_ms, place.end_ms)}{plain}"
        if finding.guide:
            yield f"     {dim}{finding.guide.section}: {finding.guide.url}{plain}"
        for inner in finding.explains:
            yield f"     explains: {_safe(inner.title)} [{inner.id}]. {_safe(inner.summary)}"
            for action in inner.fix.actions[:1]:
                yield f"       → {_safe(action)}"
    for block in shown(report):
        yield from text_lines(block, bold, dim, plain)
    yield ""
    yield f"{dim}{checks_line(report)}{plain}"
    for error in report.errors:
        yield f"  failed check {error.id}: {_safe(error.reason)}"


def _verdict_text(report: Report, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    first = lead(report)
    (unit, now), *after = first.times
    width = len("Change first") + 2

    def line(head: str, words: str) -> str:
        return f"{dim}{head:<{width}}{plain}{words}"

    if len(unit) >= width:  # a line of its own: the others stay in their column
        yield line(unit, "")
    for of, time in (("" if len(unit) >= width else unit, now), *after):
        yield line(of, f"{bold}{_safe(time)}{plain}")
    if training := report.whole and report.whole.sentence:
        yield line("Training", _safe(training))
    yield line(first.asks, f"{bold}{_safe(first.action)}{plain}")
    if first.finding:
        yield line("", f"{_badge(first.finding, color)} · {_safe(first.size)}")
    if first.cause:
        yield line("", _safe(first.cause))
    if first.command:
        yield line("", f"$ {_safe(first.command)}")
    if goes := goes_line(report.verdict):
        yield line("", _safe(goes))
    level, reasons = reliance(report)
    yield line("Evidence", f"{bold}{level}{plain}")
    for reason in reasons:
        yield f"  {_safe(reason)}"
    for note in report.trust:
        yield f"  {ICON[note.severity]} {_safe(note.title)}. {_safe(note.summary)}"
        if mends(report, note):
            yield f"    → {_safe(note.fix.summary)}"


def _badge(finding: Finding, color: bool) -> str:
    """ "● critical", "▲ warning" or "info"."""
    sign = f"{ICON[finding.severity]} " if finding.severity != "info" else ""
    text = f"{sign}{finding.severity}"
    return f"{_COLOR[finding.severity]}{text}{_PLAIN}" if color else text


def mends(report: Report, note: Finding) -> bool:
    """Whether what helps against a note is said at once."""
    return note.severity == "critical" or (note.severity != "info" and is_thin(report))


def _value(evidence: Evidence) -> str:
    text = number_text(evidence.value, evidence.unit)
    if evidence.threshold is not None:
        text += f" ({threshold_text(evidence)})"
    return text


# ----------------------------------------------------------------------------------- Markdown


def to_markdown(report: Report) -> str:
    """The report as Markdown. Names from the profile are escaped."""
    return "\n\n".join(_markdown(report)) + "\n"


def part_to_markdown(part: Finding, words: FindingWords | None) -> str:
    """One finding, or without ``words`` one note on the recording, as the report's Markdown shows it."""
    if words is None:
        return _markdown_note(part, part.severity == "critical") + "\n"
    return "\n\n".join(_markdown_finding(f"### {_escape(part.title)}", part, words)) + "\n"


def _markdown(report: Report) -> Iterator[str]:
    """The paragraphs of the report."""
    first = lead(report)
    yield f"# {_escape(first.action)}"
    yield _escape(run_line(report, with_hosts=False))
    yield "\n".join(_markdown_lead(report, first))
    yield _escape(first.cause)
    if first.command:
        yield f"    {_safe(first.command)}"
    if line := tried_line(report.tried):
        yield f"**{_escape(line)}**"
    for omitted in report.omitted:
        yield f"> {_escape(omitted.sentence)}"
    for note in report.trust:
        yield _markdown_note(note, mends(report, note))
    if report.budget:
        yield f"## {report.budget.heading}"
        yield report.budget.divisions[0].about
        yield markdown_table(("", "", "time", "share"), claim_rows(report), numbers=(2, 3))
        if report.budget.held:
            yield _escape(report.budget.held)
        if report.budget.stays:
            yield f"What stays: {_escape(report.budget.stays)}"
        for title, accounts in accounts_of(report):
            yield markdown_table((title, "time", "share"), accounts, numbers=(1, 2))
        if line := phases_line(report):
            yield _escape(line)
    if why := idle_rows(report):
        yield "Why the GPUs are idle:"
        yield "\n".join(f"- {time} {account}: {_escape(sentence)}" for time, account, sentence in why)
    said = words_of(report)
    for number, finding in enumerate(report.findings, 1):
        yield from _markdown_finding(f"## {number}. {_escape(finding.title)}", finding, said[finding.id])
        for inner in finding.explains:
            words = " ".join((inner.summary, *inner.fix.actions[:1]))
            yield f"Explains: **{_escape(inner.title)}.** {_escape(words)}"
    for block in shown(report):
        yield from markdown_paragraphs(block)
    for title, rows in checks(report):
        yield f"<details><summary>{title} ({len(rows)})</summary>"
        yield "\n".join(
            f"- {_escape(row.title)}: {_escape(row.reason)} {_escape(row.how)}".rstrip() for row in rows
        )
        yield "</details>"


def _markdown_lead(report: Report, first: Lead) -> Iterator[str]:
    for of, time in first.times:
        yield f"- {_escape(of)}: **{_escape(time)}**"
    if training := report.whole and report.whole.sentence:
        yield f"- Training: {_escape(training)}"
    if first.finding:
        worth = f"**{first.finding.severity}** · {_escape(first.size)}"
        yield f"- {first.asks}: {_escape(first.action)} · {worth}"
    if goes := goes_line(report.verdict):
        yield f"- {_escape(goes)}"
    level, reasons = reliance(report)
    yield f"- Evidence: **{level}**{''.join(f'; {_escape(reason)}' for reason in reasons)}"


def _markdown_note(note: Finding, mend: bool) -> str:
    fix = f" {_escape(note.fix.summary)}" if mend else ""
    return f"> **{_escape(note.title)}.** {_escape(note.summary)}{fix}"


def _markdown_finding(heading: str, finding: Finding, words: FindingWords) -> Iterator[str]:
    yield heading
    yield f"**{finding.severity}** · {size(finding, words)}"
    yield _escape(finding.summary)
    if finding.evidence:
        yield "**Measured**"
        yield "\n".join(f"- {_escape(one.label)}: {_escape(_value(one))}" for one in finding.evidence)
    if finding.fix.actions:
        yield "**Do**"
        yield "\n".join(f"- [ ] {_escape(action)}" for action in finding.fix.actions)
    if shell := shell_lines(finding):
        yield "\n".join(("```sh", *map(_safe, shell), "```"))
    if finding.guide:
        yield f"Why: [{_escape(finding.guide.section)}]({finding.guide.url})"
