"""Renders the report as one self-contained HTML file without scripts, for light, dark and print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.words import between_ms, count, gpu, ms, percent
from tfperf_plugin.judging.verdicts import Finding, Fix, Row
from tfperf_plugin.report.model import Ledger, Report
from tfperf_plugin.report.panels.gpus import FEW
from tfperf_plugin.report.render import budget as budgets
from tfperf_plugin.report.render.agent import for_agent
from tfperf_plugin.report.render.budget import DRAWN_ACCOUNTS, WORDS, Block, Budget, Claim
from tfperf_plugin.report.render.html_style import STYLE
from tfperf_plugin.report.render.markup import Markup, link, table, tag, text
from tfperf_plugin.report.render.one_gpu import phases_line
from tfperf_plugin.report.render.text import (
    ICON,
    basis,
    gain,
    most,
    number_text,
    reasons,
    stays,
    tables,
    threshold_text,
    which_hosts,
)
from tfperf_plugin.report.render.verdict import verdict
from tfperf_plugin.report.tried import tried_line

_BAR: Final = 1000
_NOTHING: Final = Markup("")
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
# Hatches idle and waiting time, so that a bar does not depend on color alone; stripes what a finding claims.
_PATTERN: Final = (
    '<pattern id="{0}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="{1}" height="7" class="{0}"></rect></pattern>'
)
_HATCH: Final = Markup(
    '<svg class="unseen" aria-hidden="true"><defs>'
    + _PATTERN.format("idle", 2)
    + _PATTERN.format("striped", 4)
    + "</defs></svg>"
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
        yield tag(
            "section",
            _h2(budgets.heading(report)),
            _budget(report, report.ledger),
            id="budget",
            class_="budget",
        )
    back = tag("a", text("Back to the budget"), href="#budget") if report.ledger else _NOTHING
    yield tag("section", _h2("What to change, by saving and confidence"), _findings(report.findings, back))
    for title, rows, sentence in tables(report):
        cells = [(text(label), text(value), text(words)) for label, value, words in rows]
        yield tag("section", _h2(title), table(("What", "Value", "Note"), cells, (1,)), _p(sentence))
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
        yield _p(f"{gain(found.first.saving)}{found.first.confidence} confidence{most(report)}", "note")
    yield _p(found.cause, "advice")
    if found.first and found.first.command:
        yield _copied(found.first.command, "Command")
    if words := for_agent(report):
        yield tag("details", tag("summary", text("Copy for agent")), _copied(words, "Text for an agent"))
    yield _p(found.compute, "note")
    yield tag("p", text("Evidence: "), tag("b", text(found.evidence)), class_="note")
    yield tag("ul", [tag("li", text(f"{'✓' if ok else '!'} {words}")) for ok, words in reasons(report)])


def _trust(notes: Sequence[Finding]) -> Iterator[Markup]:
    if notes:
        yield tag("section", _h2("How far this profile can be trusted"), map(_note, notes))


def _note(note: Finding) -> Markup:
    parts = [_p(note.summary), _evidence(note.evidence), _fix(note.fix, "h3")]
    folded = [_p(f"It also explains: {inner.title}. {inner.summary}") for inner in note.explains]
    return tag("details", tag("summary", _badge(note), text(f" {note.title}")), *parts, folded)


# ------------------------------------------------------------------------------------- budget


def _copied(words: str, name: str) -> Markup:
    """Text that a click selects as a whole."""
    return tag("pre", tag("code", text(words)), class_="copied", tabindex="0", role="group", aria_label=name)


def _budget(report: Report, ledger: Ledger) -> Iterator[Markup]:
    found = budgets.budget(ledger, report.findings)
    groups, gpus = report.steps.groups, budgets.bars(report)[:FEW]
    rare = (report.steps.rare,) if report.steps.rare else ()
    full = max(found.step_ns, *(g.step_ns for g in groups), *(ns for _, ns, _ in gpus), 1)
    yield _p(budgets.SUMMED + ("" if groups else " No nanosecond is claimed twice."), "note")
    if len(gpus) > 1:
        yield _choice("mean", "Mean GPU", checked="")
        yield _choice("gpus", "Each GPU")
    for group in groups:
        yield _row(
            "Now",
            budgets.group_basis(group),
            budgets.row(budgets.times_of(group.accounts)),
            group.step_ns,
            full,
        )
    if not groups:
        yield _row("Now", budgets.basis(report, ledger), found.now, found.step_ns, full, id="now")
    yield tag("div", _gpus(gpus, ledger.devices_total, full), class_="gpus")
    for claim in found.claims:
        yield _claim(claim, found.step_ns, full, bool(groups))
    if found.claims and not groups:
        what, *number = budgets.projection(report, found)
        name, of = what.split(", ")
        left = found.projected_ns
        yield _row(name, of, found.projected, left, full, number, id="projected")
    for group in groups:
        sums = budgets.times_of(group.accounts)
        yield tag("p", tag("b", text(group.name)), class_="note")
        yield tag("ul", _legend(sums), class_="legend", aria_label=f"Accounts: {group.name}")
    if not groups:
        more = _hidden(ledger)
        yield tag("ul", _legend(_sums(found), more), class_="legend", aria_label="Accounts of the step")
    if words := stays(report):
        yield tag("p", tag("b", text("What stays: ")), text(words), class_="note")
    for group in rare:
        blocks = budgets.row(budgets.times_of(group.accounts))
        yield tag("p", tag("b", text("Where a rare long step goes")), class_="note")
        yield _row("Now", budgets.group_basis(group), blocks, group.step_ns, group.step_ns)
        yield tag(
            "ul",
            _legend(budgets.times_of(group.accounts)),
            class_="legend",
            aria_label=f"Accounts: {group.name}",
        )
    if line := phases_line(report):
        yield _p(line, "note")
    if not groups:
        yield tag("details", tag("summary", text("The numbers as a table")), _numbers(report, found))


def _choice(id_: str, words: str, checked: str | None = None) -> Markup:
    box = tag("input", type="radio", name="whose", id=f"whose-{id_}", checked=checked)
    return tag("label", box, text(f" {words} "))


def _row(
    name: str,
    of: str,
    blocks: Sequence[Block],
    ns: int,
    full: int,
    number: Sequence[str] = (),
    **attributes: str,
) -> Markup:
    time, *more = number or (ms(ns),)
    what = tag("div", tag("b", text(name)), tag("small", text(of)))
    words = "; ".join(budgets.block_words(block, ns) for block in blocks)
    bar = _bar(f"{name}, {time}: {words}", blocks, ns, full)
    return tag("div", what, bar, _number(time, *more), class_="row", **attributes)


def _number(time: str, more: str = "") -> Markup:
    return tag("div", tag("b", text(time)), tag("small", text(more)), class_="n")


def _claim(claim: Claim, step_ns: int, full: int, grouped: bool) -> Markup:
    finding = claim.finding
    badge = tag("span", text(f"{claim.rank} {ICON[finding.severity]}"), class_=f"badge {finding.severity}")
    why = budgets.alone_words(finding, claim.rank, claim.ns) or finding.action
    name = tag("a", tag("b", text(finding.title)), tag("small", text(why)), href=f"#{finding.id}")
    share = "averaged over all steps" if grouped else percent(claim.ns / max(1, step_ns))
    words = "; ".join(budgets.block_words(block, step_ns) for block in claim.blocks)
    bar = _bar(f"Claims {words}", () if grouped else claim.blocks, step_ns, full)
    return tag("div", tag("div", badge, name), bar, _number(f"−{ms(claim.ns)}", share), class_="row claim")


def _gpus(gpus: Sequence[tuple[str, int, tuple[Block, ...]]], every: int, full: int) -> Iterator[Markup]:
    for name, ns, blocks in gpus if len(gpus) > 1 else ():
        yield _row(name, "", blocks, ns, full)
    if every > FEW:
        yield _p(
            "The GPUs that work longest, without waiting; "
            f"{count(every - FEW, 'more GPU')} in the JSON report.",
            "note",
        )


def _legend(sums: Mapping[str, int], more: str = "") -> Iterator[Markup]:
    step = max(1, sum(sums.values()))
    sums = {id_: ns for id_, ns in sums.items() if ns}
    small = [ns for ns in sums.values() if ns < budgets.LEGEND_RATIO * step]
    for id_, ns in sorted(sums.items(), key=lambda item: -item[1]):
        if ns >= budgets.LEGEND_RATIO * step or len(small) == 1:
            key = tag("span", class_=f"key {_css(id_)}")
            yield tag(
                "li", key, text(f" {WORDS[id_]} "), tag("b", text(ms(ns))), text(f" {percent(ns / step)}")
            )
    if len(small) > 1:
        yield tag("li", text(f"{len(small)} more below 0.5 %: {ms(sum(small))}"))
    active = sum(
        ns for id_, ns in sums.items() if not id_.startswith("idle.") and id_ != "communication.wait"
    )
    yield tag("li", text("GPU active "), tag("b", text(percent(active / step))), text(more))


def _hidden(ledger: Ledger) -> str:
    every = (ledger.hidden_communication_ns, "communication"), (ledger.hidden_copy_ns, "copies")
    hidden = [f"{ms(ns)} {what}" for ns, what in every if ns]
    return f" · {' and '.join(hidden)} hidden" if hidden else ""


def _sums(found: Budget) -> dict[str, int]:
    sums: dict[str, int] = {}
    for block in found.now:
        sums[block.account] = sums.get(block.account, 0) + block.ns
    return sums


def _numbers(report: Report, found: Budget) -> Markup:
    why = {row.account: row.sentence for row in report.idle}
    claimed = {id_: sum(b.ns for b in found.now if b.account == id_ and b.owner) for id_ in DRAWN_ACCOUNTS}
    rows = [
        (
            text(WORDS[id_]),
            text(ms(ns)),
            text(percent(ns / max(1, found.step_ns))),
            text(ms(claimed[id_]) if claimed[id_] else ""),
            text(why.get(id_, "")),
        )
        for id_, ns in _sums(found).items()
    ]
    rows.append((text("Step"), text(ms(found.step_ns)), text("100 %"), text(""), text("")))
    return table(("Account", "Now", "Share", "Claimed", "Why"), rows, (1, 2, 3))


def _css(account: str) -> str:
    return f"a-{DRAWN_ACCOUNTS[account]}"


def _bar(label: str, blocks: Sequence[Block], step_ns: int, full: int) -> Markup:
    """Blocks on an axis of ``full`` ns, with a text alternative."""
    parts = []
    for block in blocks:
        place = {
            "x": f"{_BAR * block.begin_ns / full:.2f}",
            "y": "0",
            "width": f"{_BAR * block.ns / full:.2f}",
            "height": "24",
        }
        layers = [tag("rect", class_=_css(block.account), **place)]
        if block.account.startswith("idle.") or block.account == "communication.wait":
            layers.append(tag("rect", class_="over", **place))
        if block.owner:
            layers.append(tag("rect", class_="claimed", **place | {"y": "20", "height": "4"}))
        parts.append(tag("g", tag("title", text(budgets.block_words(block, step_ns))), layers))
    box = f"0 0 {_BAR} 24"
    return tag(
        "svg", parts, role="img", aria_label=label, class_="bar", viewBox=box, preserveAspectRatio="none"
    )


# ----------------------------------------------------------------------------------- findings


def _findings(findings: Sequence[Finding], back: Markup) -> Iterator[Markup]:
    if not findings:
        yield _p("Nothing.")
    for number, finding in enumerate(findings, 1):
        title = tag("h3", text(f"{number}. {finding.title}"))
        yield tag("article", tag("header", title, _badge(finding)), _finding(finding), back, id=finding.id)


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


def _fix(fix: Fix, heading: str = "h4") -> Markup:
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
        tag(heading, text("Do this")),
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
            yield tag("details", summary, tag("ul", map(_check, rows), class_="checks"))


def _check(row: Row) -> Markup:
    return tag("li", tag("b", text(row.title)), _p(row.reason), _p(row.how, "note"))


def _footer(report: Report) -> str:
    took = sum(stage.ns for stage in report.timing)
    analyzed = f", analyzed in {ms(took)}" if took else ""
    return f"tfperf {report.tool_version}{analyzed}"


def _h2(words: str) -> Markup:
    return tag("h2", text(words))


def _p(words: str, kind: str | None = None) -> Markup:
    return tag("p", text(words), class_=kind) if words else _NOTHING
