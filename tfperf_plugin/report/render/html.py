"""Renders the report as one self-contained HTML file without scripts, for light, dark and print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, between_ms, count, gpu, ms, percent
from tfperf_plugin.judging.verdicts import Finding, Fix, Row
from tfperf_plugin.report.model import Account, IdleAccount, Ledger, Report
from tfperf_plugin.report.panels.gpus import FEW
from tfperf_plugin.report.render.html_style import DRAWN_ACCOUNTS, STYLE
from tfperf_plugin.report.render.markup import Markup, link, table, tag, text
from tfperf_plugin.report.render.one_gpu import phases_line
from tfperf_plugin.report.render.text import (
    ICON,
    basis,
    gain,
    number_text,
    reasons,
    tables,
    threshold_text,
    which_hosts,
)
from tfperf_plugin.report.render.verdict import acts_on, verdict
from tfperf_plugin.report.tried import tried_line

_BAR: Final = 1000
_NOTHING: Final = Markup("")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
# Hatches idle and waiting time, so that a bar does not depend on color alone.
_HATCH: Final = Markup(
    '<svg class="unseen" aria-hidden="true"><defs><pattern id="idle" width="7" height="7" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="7" class="hatch">'
    "</rect></pattern></defs></svg>"
)


def to_html(report: Report) -> str:
    """The report as an HTML document. Names from the profile are escaped."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", text(f"{report.run} · tfperf")),
        Markup(f"<style>{STYLE}</style>"),
    )
    body = tag("body", _HATCH, tag("main", _sections(report)))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _sections(report: Report) -> Iterator[Markup]:
    yield _p(f"Run {report.run} · {which_hosts(report)} · {basis(report)}", "note")
    yield tag("section", _verdict(report), class_="verdict")
    if line := tried_line(report.tried):
        yield _p(line, "tried")
    for omitted in report.omitted:
        yield _p(omitted.sentence, "note")
    yield from _trust(report.trust)
    if report.ledger:
        yield tag("section", _h2("Where a step goes"), _ledger(report, report.ledger))
    yield tag("section", _h2("What to change, by saving and confidence"), _findings(report.findings))
    for title, rows, sentence in tables(report):
        cells = [(text(label), text(value), text(words)) for label, value, words in rows]
        yield tag("section", _h2(title), table(("What", "Value", ""), cells, (1,)), _p(sentence))
    if report.training:
        yield tag("section", _h2("What the training wrote down"), _training(report))
    yield tag("section", _h2("All checks"), _checks(report))
    yield tag("footer", _p(_footer(report), "note"))


def _verdict(report: Report) -> Iterator[Markup]:
    found = verdict(report)
    times = [(found.unit, found.now), ("After fix 1", found.after)]
    yield tag("dl", [tag("div", tag("dt", text(k)), tag("dd", text(v))) for k, v in times if v])
    badge = _badge(found.first) if found.first else _NOTHING
    yield tag("p", text(f"{found.asks} "), badge, class_="note")
    yield tag("h1", text(found.action))
    if found.first:
        name = "" if acts_on(report) else f" · {found.first.action or found.first.title}"
        yield _p(f"{gain(found.first.saving)}{found.first.confidence} confidence{name}", "note")
    yield _p(found.cause, "advice")
    if found.first and found.first.command:
        yield tag("pre", tag("code", text(found.first.command)), tabindex="0")
    yield _p(found.compute, "note")
    yield tag("p", text("Evidence: "), tag("b", text(found.evidence)), class_="note")
    yield tag("ul", [tag("li", text(f"{'✓' if ok else '!'} {words}")) for ok, words in reasons(report)])


def _trust(notes: Sequence[Finding]) -> Iterator[Markup]:
    if notes:
        yield tag("section", _h2("How far this profile can be trusted"), map(_note, notes))


def _note(note: Finding) -> Markup:
    parts = [_p(note.summary), _evidence(note.evidence), _fix(note.fix)]
    folded = [_p(f"It also explains: {inner.title}. {inner.summary}") for inner in note.explains]
    return tag("details", tag("summary", _badge(note), text(f" {note.title}")), *parts, folded)


# ------------------------------------------------------------------------------------- ledger


def _ledger(report: Report, ledger: Ledger) -> Iterator[Markup]:
    yield _bar("An average step", ledger.accounts, ledger.step_ns)
    rows = [_account(account) for account in _drawn(ledger.accounts)]
    yield table(("", "Account", "Time", "Share"), rows, (2, 3))
    if line := phases_line(report):
        yield _p(line, "note")
    if len(ledger.devices) > 1:
        several = len(report.hosts) > 1
        bars = [
            tag(
                "li",
                text(f"{d.host} {gpu(d.device)}" if several else gpu(d.device)),
                _bar(gpu(d.device), d.accounts, d.step_ns),
            )
            for d in ledger.devices[:FEW]
        ]
        more = len(ledger.devices) - FEW
        rest = _p(f"{count(more, 'more GPU')} in the JSON report.", "note") if more > 0 else _NOTHING
        yield tag("h3", text("Each GPU" if more <= 0 else "The GPUs that work longest, without waiting"))
        yield tag("ul", bars, class_="gpus")
        yield rest
    if why := [row for row in report.idle if row.sentence]:
        yield tag("h3", text("Why the GPUs are idle"))
        yield tag("ul", map(_why, why))


def _account(account: Account) -> tuple[Markup, ...]:
    key = tag("span", class_=f"key {_css(account.id)}")
    return key, text(ACCOUNT_WORDS[account.id]), text(ms(account.ns)), text(percent(account.ratio))


def _why(row: IdleAccount) -> Markup:
    return tag("li", text(f"{ms(row.ns)} {ACCOUNT_WORDS[row.account]}: {row.sentence}"))


def _drawn(accounts: Sequence[Account]) -> list[Account]:
    order = list(DRAWN_ACCOUNTS)
    return sorted((a for a in accounts if a.ns), key=lambda a: order.index(a.id))


def _css(account: str) -> str:
    return f"a-{DRAWN_ACCOUNTS[account]}"


def _bar(name: str, accounts: Sequence[Account], step_ns: int) -> Markup:
    """A step as a bar, with a text alternative."""
    drawn = _drawn(accounts)
    words = ", ".join(f"{ACCOUNT_WORDS[a.id]} {percent(a.ratio)}" for a in drawn)
    parts, at = [], 0
    for account in drawn:
        begin, at = at, at + account.ns
        place = {
            "x": f"{_BAR * begin / step_ns:.2f}",
            "y": "0",
            "width": f"{_BAR * account.ns / step_ns:.2f}",
            "height": "24",
        }
        said = tag("title", text(f"{ACCOUNT_WORDS[account.id]}: {ms(account.ns)}, {percent(account.ratio)}"))
        layers = [tag("rect", class_=_css(account.id), **place)]
        if account.id.startswith("idle.") or account.id == "communication.wait":
            layers.append(tag("rect", class_="over", **place))
        parts.append(tag("g", said, layers))
    label = f"{name}, {ms(step_ns)}: {words}"
    box = f"0 0 {_BAR} 24"
    return tag(
        "svg", parts, role="img", aria_label=label, class_="bar", viewBox=box, preserveAspectRatio="none"
    )


# ----------------------------------------------------------------------------------- findings


def _findings(findings: Sequence[Finding]) -> Iterator[Markup]:
    if not findings:
        yield _p("Nothing.")
    for number, finding in enumerate(findings, 1):
        title = tag("h3", text(f"{number}. {finding.title}"))
        yield tag("article", tag("header", title, _badge(finding)), _finding(finding), id=finding.id)


def _finding(finding: Finding) -> Iterator[Markup]:
    yield _p(f"{gain(finding.saving)}{finding.confidence} confidence", "note")
    yield _p(finding.summary)
    yield _evidence(finding.evidence)
    if finding.saving and finding.saving.basis:
        yield _p(f"How the saving was estimated: {finding.saving.basis}", "note")
    yield _places(finding.where)
    yield _fix(finding.fix)
    yield tag("p", text("Why: "), link(finding.guide.section, finding.guide.url), class_="note")
    if finding.explains:
        yield tag("h4", text("This also explains"))
        yield tag("div", map(_folded, finding.explains), class_="folded")


def _folded(finding: Finding) -> Markup:
    summary = tag("summary", _badge(finding), text(f" {finding.title}"))
    return tag("details", summary, _finding(finding), id=finding.id)


def _badge(finding: Finding) -> Markup:
    words = text(f"{ICON[finding.severity]} {finding.severity}")
    return tag("span", words, class_=f"badge {finding.severity}")


def _evidence(evidence: Sequence[Evidence]) -> Markup:
    rows = [
        (
            text(e.label),
            text(number_text(e.value, e.unit)),
            text(threshold_text(e)),
            text(e.source),
        )
        for e in evidence
    ]
    return table(("Evidence", "Value", "Threshold", "Source"), rows, (1, 2))


def _places(places: Sequence[Place]) -> Markup:
    rows = [
        (
            text(p.label),
            text(" ".join(filter(None, (p.host, gpu(p.device or ""), p.stream or "")))),
            text("" if p.step is None else str(p.step)),
            text(between_ms(p.begin_ms, p.end_ms)),
        )
        for p in places
    ]
    return table(("Where", "On", "Step", "On the host's timeline"), rows, (2, 3))


def _fix(fix: Fix) -> Markup:
    code = [
        tag(
            "figure",
            tag("figcaption", text(s.framework)),
            tag("pre", tag("code", text(s.code)), tabindex="0"),
        )
        for s in fix.snippets
    ]
    links = [tag("li", link(x.title, x.url)) for x in fix.links]
    return tag(
        "div",
        tag("h4", text("Do this")),
        _p(fix.summary),
        tag("ol", [tag("li", text(action)) for action in fix.actions]) if fix.actions else _NOTHING,
        code,
        tag("ul", links) if links else _NOTHING,
        class_="fix",
    )


# -------------------------------------------------------------------------------------- rest


def _training(report: Report) -> Markup:
    rows = [(text(fact.label), text(fact.value), text(t.host)) for t in report.training for fact in t.facts]
    return table(("What", "Value", "Host"), rows)


def _checks(report: Report) -> Iterator[Markup]:
    oddities = tuple(Row(a.name, f"{a.name} ({a.count})", a.sentence) for a in report.anomalies)
    for title, rows in (
        ("Failed checks", report.errors),
        ("Passed", report.passed),
        ("Could not be checked", report.missing_data),
        ("Does not apply", report.not_applicable),
        ("To check by hand", report.manual),
        ("Oddities in the file", oddities),
    ):
        if rows:
            summary = tag("summary", text(f"{title} ({len(rows)})"))
            yield tag("details", summary, tag("ul", map(_row, rows), class_="checks"))


def _row(row: Row) -> Markup:
    return tag("li", tag("b", text(row.title)), _p(row.reason), _p(row.how, "note"))


def _footer(report: Report) -> str:
    took = sum(stage.ns for stage in report.timing)
    analyzed = f", analyzed in {ms(took)}" if took else ""
    return f"tfperf {report.tool_version}{analyzed}"


def _h2(words: str) -> Markup:
    return tag("h2", text(words))


def _p(words: str, kind: str | None = None) -> Markup:
    return tag("p", text(words), class_=kind) if words else _NOTHING
