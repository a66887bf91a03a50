"""Renders the report as text for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, between_ms, count, gpu, ms, percent
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.report.model import FindingWords, Report
from tfperf_plugin.report.panels.input import input_rows
from tfperf_plugin.report.panels.quality import is_thin
from tfperf_plugin.report.panels.sections import checks_line
from tfperf_plugin.report.render.budget import accounts_of, claim_rows
from tfperf_plugin.report.render.compute import TITLE, above_line, compute_rows
from tfperf_plugin.report.render.lines import after_line, lead, now_line, number_text, size, threshold_text
from tfperf_plugin.report.render.one_gpu import op_rows, phases_line
from tfperf_plugin.report.render.plain import clean as _clean
from tfperf_plugin.report.render.plain import escape as _escape
from tfperf_plugin.report.render.plain import safe as _safe
from tfperf_plugin.report.render.several import Rows, allreduce_rows, allreduce_title, host_rows
from tfperf_plugin.report.tried import tried_line

_COLOR: Final = {"critical": "\x1b[31m", "warning": "\x1b[33m", "info": "\x1b[34m"}
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
HOSTS_NAMED: Final = 8
"""More hosts than these are only counted."""
ICON: Final = {"critical": "●", "warning": "▲", "info": "i"}


# --------------------------------------------------------------------------------------- text


def to_text(report: Report, color: bool) -> str:
    """The report for a terminal; escape sequences only if ``color``."""
    return "\n".join(_clean(line, color) for line in _text(report, color)) + "\n"


def _text(report: Report, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    yield f"{dim}Run {_safe(report.run)} · {_safe(which_hosts(report))} · {_safe(basis(report))}{plain}"
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
        if report.budget.stays:
            yield f"  What stays: {report.budget.stays}"
        for title, accounts in accounts_of(report):
            yield ""
            yield f"{bold}{_safe(title)}{plain}"
            for account in accounts:
                if account.ns:
                    yield f"  {ms(account.ns):>9}  {percent(account.ratio):>6}  {ACCOUNT_WORDS[account.id]}"
        if line := phases_line(report):
            yield f"  {dim}{_safe(line)}{plain}"
    if why := [row for row in report.idle if row.sentence]:
        yield ""
        yield f"{bold}Why the GPUs are idle{plain}"
        for row in why:
            yield f"  {ms(row.ns):>9}  {ACCOUNT_WORDS[row.account]}: {_safe(row.sentence)}"
    yield ""
    yield f"{bold}What to change, by saving and confidence{plain}"
    if not report.findings:
        yield "  Nothing."
    said = {words.id: words for words in report.words}
    for number, finding in enumerate(report.findings, 1):
        badge = _badge(finding, color)
        yield f"{number:>3}. {badge}  {bold}{_safe(finding.title)}{plain}  {dim}[{finding.id}]{plain}"
        yield f"     {size(finding, said[finding.id])}"
        yield f"     {_safe(finding.summary)}"
        for evidence in finding.evidence:
            yield f"       {_safe(evidence.label)}: {_safe(_value(evidence))}"
        for action in finding.fix.actions:
            yield f"     → {_safe(action)}"
        for place in finding.where[:1]:
            where = " ".join(filter(None, (place.host, gpu(place.device or ""))))
            yield f"     {dim}look at {_safe(where)}, {between_ms(place.begin_ms, place.end_ms)}{plain}"
        yield f"     {dim}{finding.guide.section}: {finding.guide.url}{plain}"
        for inner in finding.explains:
            yield f"     explains: {_safe(inner.title)} [{inner.id}]. {_safe(inner.summary)}"
            for action in inner.fix.actions[:1]:
                yield f"       → {_safe(action)}"
    for title, rows, sentence in tables(report):
        yield ""
        yield f"{bold}{_safe(title)}{plain}"
        for label, value, words in rows:
            yield f"  {value:>9}  {_safe(label)}{dim}{f'  {_safe(words)}' if words else ''}{plain}"
        if sentence:
            yield f"  {_safe(sentence)}"
    yield ""
    yield f"{dim}{checks_line(report)}{plain}"
    for error in report.errors:
        yield f"  failed check {error.id}: {_safe(error.reason)}"


def _verdict_text(report: Report, color: bool) -> Iterator[str]:
    bold, dim, plain = (_BOLD, _DIM, _PLAIN) if color else ("", "", "")
    found, first = report.verdict, lead(report)
    width = len("Change first") + 2

    def line(head: str, words: str) -> str:
        return f"{dim}{head:<{width}}{plain}{words}"

    if len(found.unit) >= width:  # a line of its own: the others stay in their column
        yield line(found.unit, "")
    yield line("" if len(found.unit) >= width else found.unit, f"{bold}{_safe(now_line(found))}{plain}")
    if after := first.words.after:
        yield line(after.of, f"{bold}{after_line(after)}{plain}")
    yield line(first.asks, f"{bold}{_safe(first.action)}{plain}")
    if first.finding:
        yield line("", f"{_badge(first.finding, color)} · {_safe(first.size)}")
    if first.cause:
        yield line("", _safe(first.cause))
    if first.finding and first.finding.command:
        yield line("", f"$ {_safe(first.finding.command)}")
    if found.compute:
        yield line("", _safe(found.compute))
    yield line("Evidence", f"{bold}{level(report)}{plain}")
    for ok, words in reasons(report):
        yield f"  {'✓' if ok else '!'} {_safe(words)}"
    for note in report.trust:
        yield f"  {ICON[note.severity]} {_safe(note.title)}. {_safe(note.summary)}"
        if mends(report, note):
            yield f"    → {_safe(note.fix.summary)}"


def _badge(finding: Finding, color: bool) -> str:
    """ "● critical", "▲ warning" or "info"."""
    sign = f"{ICON[finding.severity]} " if finding.severity != "info" else ""
    text = f"{sign}{finding.severity}"
    return f"{_COLOR[finding.severity]}{text}{_PLAIN}" if color else text


def level(report: Report) -> str:
    """ "strong", or another level of the capture's quality."""
    return report.capture_quality.level if report.capture_quality else ""


def reasons(report: Report) -> list[tuple[bool, str]]:
    """Why the evidence is as good as it is, without what notes say."""
    titles = {note.title for note in report.trust}
    every = report.capture_quality.reasons if report.capture_quality else ()
    return [(reason.ok, reason.text) for reason in every if reason.text not in titles]


def mends(report: Report, note: Finding) -> bool:
    """Whether what helps against a note is said at once."""
    return note.severity == "critical" or (note.severity != "info" and is_thin(report))


def tables(report: Report) -> Iterator[tuple[str, Rows, str]]:
    """The tables after the findings: (title, rows, sentence)."""
    if rows := compute_rows(report):
        yield TITLE, rows, above_line(report)
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


def which_hosts(report: Report) -> str:
    """The names of the hosts; their number if there are more than ``HOSTS_NAMED``."""
    few = len(report.hosts) <= HOSTS_NAMED
    return ", ".join(report.hosts) if few else count(len(report.hosts), "host")


def basis(report: Report) -> str:
    """The number of steps and the GPUs behind the report, and what recorded it unless XProf shows it."""
    names = sorted({d.name for d in report.devices if d.name})
    gpus = sum(d.participates for d in report.devices)
    device = f"{gpus} of {count(len(report.devices), 'GPU')}" if report.devices else "no GPU"
    of = f" ({', '.join(names)})" if names else ""
    source = "" if report.viewer == "XProf" else f" · {report.source}"
    return f"{count(report.steps.count, 'step')} · {device}{of}{source}"


def _value(evidence: Evidence) -> str:
    text = number_text(evidence.value, evidence.unit)
    if evidence.threshold is not None:
        text += f" ({threshold_text(evidence)})"
    return text


# ----------------------------------------------------------------------------------- Markdown


def to_markdown(report: Report) -> str:
    """The report as Markdown. Names from the profile are escaped."""
    return "\n".join(_markdown(report)) + "\n"


def part_to_markdown(part: Finding, words: FindingWords | None) -> str:
    """One finding, or without ``words`` one note on the recording, as the report's Markdown shows it."""
    if words is None:
        return _markdown_note(part, part.severity == "critical") + "\n"
    return "\n".join(_markdown_finding(f"### {_escape(part.title)}", part, words)) + "\n"


def _markdown(report: Report) -> Iterator[str]:
    found, first = report.verdict, lead(report)
    yield f"# {_escape(first.action)}"
    yield ""
    yield f"Run {_escape(report.run)} · {_escape(basis(report))}"
    yield ""
    yield f"- {_escape(found.unit)}: **{_escape(now_line(found))}**"
    if after := first.words.after:
        yield f"- {after.of}: **{_escape(after_line(after))}**"
    if first.finding:
        worth = f"**{first.finding.severity}** · {_escape(first.size)}"
        yield f"- {first.asks}: {_escape(first.action)} · {worth}"
    if found.compute:
        yield f"- {_escape(found.compute)}"
    words = "".join(f"; {'✓' if ok else '!'} {_escape(text)}" for ok, text in reasons(report))
    yield f"- Evidence: **{level(report)}**{words}"
    yield ""
    yield _escape(first.cause)
    if first.finding and first.finding.command:
        yield ""
        yield f"    {_safe(first.finding.command)}"
    if line := tried_line(report.tried):
        yield ""
        yield f"**{_escape(line)}**"
    for omitted in report.omitted:
        yield ""
        yield f"> {_escape(omitted.sentence)}"
    for note in report.trust:
        yield ""
        yield _markdown_note(note, mends(report, note))
    if report.budget:
        yield ""
        yield f"## {report.budget.heading}"
        yield ""
        yield report.budget.divisions[0].about
        yield ""
        yield "| | | time | share |"
        yield "|---|---|---:|---:|"
        for rank, what, time, share in claim_rows(report):
            yield f"| {rank} | {_escape(what)} | {time} | {_escape(share)} |"
        if report.budget.stays:
            yield ""
            yield f"What stays: {_escape(report.budget.stays)}"
        for title, accounts in accounts_of(report):
            yield ""
            yield f"| {_escape(title)} | time | share |"
            yield "|---|---:|---:|"
            for account in accounts:
                if account.ns:
                    share = _escape(percent(account.ratio))
                    yield f"| {ACCOUNT_WORDS[account.id]} | {ms(account.ns)} | {share} |"
        if line := phases_line(report):
            yield ""
            yield _escape(line)
    if why := [row for row in report.idle if row.sentence]:
        yield ""
        yield "Why the GPUs are idle:"
        yield ""
        for row in why:
            yield f"- {ms(row.ns)} {ACCOUNT_WORDS[row.account]}: {_escape(row.sentence)}"
    said = {of.id: of for of in report.words}
    for number, finding in enumerate(report.findings, 1):
        yield ""
        yield from _markdown_finding(f"## {number}. {_escape(finding.title)}", finding, said[finding.id])
        for inner in finding.explains:
            words = " ".join((inner.summary, *inner.fix.actions[:1]))
            yield ""
            yield f"Explains: **{_escape(inner.title)}.** {_escape(words)}"
    for title, table, sentence in tables(report):
        yield ""
        yield f"## {_escape(title)}"
        if table:
            yield ""
            yield "| | | |"
            yield "|---|---:|---|"
        for label, value, words in table:
            yield f"| {_escape(label)} | {_escape(value)} | {_escape(words)} |"
        if sentence:
            yield ""
            yield _escape(sentence)
    for title, rows in (
        ("Passed", report.passed),
        ("Could not be checked", report.missing_data),
        ("Does not apply", report.not_applicable),
        ("To check by hand", report.manual),
        ("Failed checks", report.errors),
    ):
        if rows:
            yield ""
            yield from _markdown_rows(title, rows)


def _markdown_note(note: Finding, mend: bool) -> str:
    fix = f" {_escape(note.fix.summary)}" if mend else ""
    return f"> **{_escape(note.title)}.** {_escape(note.summary)}{fix}"


def _markdown_finding(heading: str, finding: Finding, words: FindingWords) -> Iterator[str]:
    yield heading
    yield ""
    yield f"**{finding.severity}** · {size(finding, words)}"
    yield ""
    yield _escape(finding.summary)
    if finding.evidence:
        yield ""
        yield "**Measured**"
        yield ""
        for evidence in finding.evidence:
            yield f"- {_escape(evidence.label)}: {_escape(_value(evidence))}"
    if finding.fix.actions:
        yield ""
        yield "**Do**"
        yield ""
        for action in finding.fix.actions:
            yield f"- [ ] {_escape(action)}"
    yield ""
    yield f"Why: [{_escape(finding.guide.section)}]({finding.guide.url})"


def _markdown_rows(title: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"<details><summary>{title} ({len(rows)})</summary>"
    yield ""
    for row in rows:
        yield f"- {_escape(row.title)}: {_escape(row.reason)} {_escape(row.how)}".rstrip()
    yield ""
    yield "</details>"
