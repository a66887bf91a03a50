"""Renders the report as one self-contained HTML file without scripts, for light, dark and print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.words import between_ms, count, gpu, ms, number_text, percent
from tfperf_plugin.judging.verdicts import Finding, Fix, Row
from tfperf_plugin.report.model import Block, Budget, Claim, Division, FindingWords, Report
from tfperf_plugin.report.options import tried_line
from tfperf_plugin.report.panels.budget import DRAWN_ACCOUNTS, WORDS, left_blocks, row, times_of
from tfperf_plugin.report.panels.gpus import FEW
from tfperf_plugin.report.panels.sections import checks
from tfperf_plugin.report.render.blocks import html_block, html_sections
from tfperf_plugin.report.render.lines import (
    ICON,
    lead,
    no_finding,
    phases_line,
    projection,
    reliance,
    run_line,
    size,
    threshold_text,
    words_of,
)
from tfperf_plugin.report.render.markup import Markup, link, table, tag, text
from tfperf_plugin.report.tables import table_of
from tfperf_plugin.report.timeline.step import StepTimeline

_STYLE: Final = Path(__file__).with_name("html.css").read_text(encoding="utf-8")
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


def to_html(report: Report, step: StepTimeline | None = None) -> str:
    """The report as an HTML document, with ``step`` in time order. Names from the profile are escaped."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", text(f"{report.run} · tfperf")),
        Markup(f"<style>\n{_STYLE}</style>"),
    )
    body = tag("body", _HATCH, tag("main", _sections(report, step)))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _sections(report: Report, step: StepTimeline | None) -> Iterator[Markup]:
    yield _p(run_line(report), "note")
    yield tag("section", _verdict(report), class_="verdict")
    if line := tried_line(report.tried):
        yield _p(line, "tried")
    for omitted in report.omitted:
        yield _p(omitted.sentence, "note")
    if report.trust:
        yield tag("section", _h2("How far this profile can be trusted"), map(_note, report.trust))
    if report.budget:
        bar = _budget(report, report.budget)
        yield tag("section", _h2(report.budget.heading), bar, id="budget", class_="budget")
    if step:
        yield tag("section", _h2("One step in time order"), _timeline(step), id="timeline", class_="budget")
    back = tag("a", text("Back to the budget"), href="#budget") if report.budget else _NOTHING
    yield tag("section", _h2("What to change, by saving and confidence"), _findings(report, back))
    yield from html_sections(report)
    if training := table_of(report, "training"):
        yield tag("section", _h2(training.title), html_block(training))
    yield tag("section", _h2("All checks"), _checks(report))
    yield tag("footer", _p(_footer(report), "note"))


def _verdict(report: Report) -> Iterator[Markup]:
    first = lead(report)
    yield tag("dl", [tag("div", tag("dt", text(k)), tag("dd", text(v))) for k, v in first.times])
    yield _p(report.whole.sentence if report.whole else "", "advice")
    badge = _badge(first.finding) if first.finding else _NOTHING
    yield tag("p", text(f"{first.asks} "), badge, class_="note")
    yield tag("h1", text(first.action))
    yield _p(first.size, "note")
    yield _p(first.cause, "advice")
    if first.command:
        yield _copied(first.command, "Command")
    if first.finding:
        words = first.words.agent
        yield tag("details", tag("summary", text("Copy for agent")), _copied(words, "Text for an agent"))
    yield _p(report.verdict.compute, "note")
    level, reasons = reliance(report)
    yield tag("p", text("Evidence: "), tag("b", text(level)), class_="note")
    yield tag("ul", [tag("li", text(reason)) for reason in reasons])


def _note(note: Finding) -> Markup:
    parts = [_p(note.summary), _evidence(note.evidence), _fix(note.fix, "h3")]
    folded = [_p(f"It also explains: {inner.title}. {inner.summary}") for inner in note.explains]
    return tag("details", tag("summary", _badge(note), text(f" {note.title}")), *parts, folded)


# ------------------------------------------------------------------------------------- budget


def _copied(words: str, name: str) -> Markup:
    """Text that a click selects as a whole."""
    return tag("pre", tag("code", text(words)), class_="copied", tabindex="0", role="group", aria_label=name)


def _budget(report: Report, found: Budget) -> Iterator[Markup]:
    gpus, mean = _bars(report)[:FEW], None if report.steps.groups else found.divisions[0]
    full = max(*(one.step_ns for one in found.divisions), *(ns for _, ns, _ in gpus), 1)
    yield _p(found.divisions[0].about, "note")
    if len(gpus) > 1:
        yield _choice("mean", "Mean GPU", checked="")
        yield _choice("gpus", "Each GPU")
    for one in found.divisions:
        yield _now(one, full, id="now" if mean else None)
    yield tag("div", _gpus(gpus, report.ledger.devices_total if report.ledger else 0, full), class_="gpus")
    for claim in found.claims:
        yield _claim(report, claim, mean, full)
    if found.claims and mean:
        fixed, time, gain = projection(found)
        yield _row("Projected", fixed, left_blocks(found), full, time, gain, id="projected")
    for one in found.divisions:
        yield from _legend(one, "" if mean else one.name)
    if found.held:
        yield _p(found.held, "note")
    if found.stays:
        yield tag("p", tag("b", text("What stays: ")), text(found.stays), class_="note")
    if found.rare:
        yield tag("p", tag("b", text("Where a rare long step goes")), class_="note")
        yield _now(found.rare, found.rare.step_ns)
        yield from _legend(found.rare, "")
    if line := phases_line(report):
        yield _p(line, "note")
    if mean:
        yield tag("details", tag("summary", text("The numbers as a table")), _numbers(report, mean))


def _bars(report: Report) -> tuple[tuple[str, int, tuple[Block, ...]], ...]:
    """A bar for each GPU: (name, ns, blocks)."""
    devices = report.ledger.devices if report.ledger else ()
    several = len(report.hosts) > 1
    return tuple(
        (gpu(d.device, d.host if several else ""), d.step_ns, row(times_of(d.accounts), d.step_ns))
        for d in devices
    )


def _choice(id_: str, words: str, checked: str | None = None) -> Markup:
    box = tag("input", type="radio", name="whose", id=f"whose-{id_}", checked=checked)
    return tag("label", box, text(f" {words} "))


def _now(one: Division, full: int, **attributes: str | None) -> Markup:
    return _row("Now", one.basis, one.blocks, full, ms(one.step_ns), "", **attributes)


def _row(
    name: str, of: str, blocks: Sequence[Block], full: int, time: str, gain: str = "", **more: str | None
) -> Markup:
    what = tag("div", tag("b", text(name)), tag("small", text(of)))
    bar = _bar(f"{name}, {time}", blocks, full)
    return tag("div", what, bar, _number(time, gain), class_="row", **more)


def _number(time: str, more: str = "") -> Markup:
    return tag("div", tag("b", text(time)), tag("small", text(more)), class_="n")


def _claim(report: Report, claim: Claim, mean: Division | None, full: int) -> Markup:
    """A finding under the time of the ``mean`` step that it claims; without one, its average."""
    finding, words = report.findings[claim.rank - 1], words_of(report)[claim.id]
    badge = tag("span", text(f"{claim.rank} {ICON[finding.severity]}"), class_=f"badge {finding.severity}")
    why = tag("small", text(words.beside or finding.action))
    name = tag("a", tag("b", text(finding.title)), why, href=f"#{finding.id}")
    share = percent(claim.ns / max(1, mean.step_ns)) if mean else "averaged over all steps"
    blocks = [block for block in mean.blocks if block.owner == claim.rank] if mean else []
    bar = _bar("Claims", blocks, full)
    return tag("div", tag("div", badge, name), bar, _number(f"−{ms(claim.ns)}", share), class_="row claim")


def _gpus(gpus: Sequence[tuple[str, int, tuple[Block, ...]]], every: int, full: int) -> Iterator[Markup]:
    for name, ns, blocks in gpus if len(gpus) > 1 else ():
        yield _row(name, "", blocks, full, ms(ns))
    if every > FEW:
        yield _p(
            "The GPUs that work longest, without waiting; "
            f"{count(every - FEW, 'more GPU')} in the JSON report.",
            "note",
        )


def _legend(one: Division, name: str) -> Iterator[Markup]:
    """The accounts of a step; ``name``: of the step, where there are several."""
    if name:
        yield tag("p", tag("b", text(name)), class_="note")
    lines = [
        tag(
            "li",
            tag("span", class_=f"key {_css(account.id)}"),
            text(f" {WORDS[account.id]} "),
            tag("b", text(ms(account.ns))),
            text(f" {percent(account.ratio)}"),
        )
        for account in one.legend
    ]
    if one.rest:
        lines.append(tag("li", text(one.rest)))
    hidden = f" · {one.hidden}" if one.hidden else ""
    lines.append(tag("li", text("GPU active "), tag("b", text(percent(one.active_ratio))), text(hidden)))
    yield tag("ul", lines, class_="legend", aria_label=f"Accounts of {name or one.name}")


def _numbers(report: Report, mean: Division) -> Markup:
    why = {row.account: row.sentence for row in report.idle}
    rows = []
    for id_ in dict.fromkeys(block.account for block in mean.blocks):
        blocks = [block for block in mean.blocks if block.account == id_]
        ns, claimed = sum(b.ns for b in blocks), sum(b.ns for b in blocks if b.owner)
        numbers = ms(ns), percent(ns / max(1, mean.step_ns)), ms(claimed) if claimed else ""
        rows.append([text(words) for words in (WORDS[id_], *numbers, why.get(id_, ""))])
    rows.append([text(words) for words in ("Step", ms(mean.step_ns), "100 %", "", "")])
    return table(("Account", "Now", "Share", "Claimed", "Why"), rows, (1, 2, 3))


def _css(account: str) -> str:
    return f"a-{DRAWN_ACCOUNTS[account]}"


def _bar(label: str, blocks: Sequence[Block], full: int) -> Markup:
    """Blocks on an axis of ``full`` ns, with a text alternative."""
    parts = []
    for block in blocks:
        layers = list(_rects(block.account, block.begin_ns, block.ns, full))
        if block.owner:
            layers.append(_claimed(block.begin_ns, block.ns, full))
        parts.append(tag("g", tag("title", text(block.words)), layers))
    return _drawing(f"{label}: {'; '.join(block.words for block in blocks)}", parts)


def _rects(account: str, begin_ns: int, ns: int, full: int) -> Iterator[Markup]:
    place = _place(begin_ns, ns, full)
    yield tag("rect", class_=_css(account), **place)
    if account.startswith("idle.") or account == "communication.wait":
        yield tag("rect", class_="over", **place)


def _claimed(begin_ns: int, ns: int, full: int) -> Markup:
    return tag("rect", class_="claimed", **_place(begin_ns, ns, full) | {"y": "20", "height": "4"})


def _place(begin_ns: int, ns: int, full: int) -> dict[str, str]:
    left, width = (f"{_BAR * length / full:.2f}" for length in (begin_ns, ns))
    return {"x": left, "y": "0", "width": width, "height": "24"}


def _drawing(label: str, parts: Sequence[Markup]) -> Markup:
    box = f"0 0 {_BAR} 24"
    return tag(
        "svg", parts, role="img", aria_label=label, class_="bar", viewBox=box, preserveAspectRatio="none"
    )


# ------------------------------------------------------------------------------------ timeline


def _timeline(step: StepTimeline) -> Iterator[Markup]:
    """The GPUs of a step, each from the start of the step on the clock of its host."""
    yield _p(f"Step {step.step}, from left to right. Stripes below a bar mark what findings claim.", "note")
    several = len({line.host for line in step.rows}) > 1
    for at, line in enumerate(step.rows):
        if not line.is_gpu or line.kernels:
            continue
        parts: list[Markup] = []
        for begin, end, code in zip(line.begin_ns, line.end_ns, line.code, strict=True):
            parts += _rects(step.codes[code], begin, end - begin, step.length_ns)
        mine = [claim for claim in step.claims if claim.row == at]
        parts += [_claimed(c.begin_ns, c.end_ns - c.begin_ns, step.length_ns) for c in mine]
        name = gpu(line.name, line.host if several else "")
        times = "; ".join(f"{WORDS[account]} {ms(ns)}" for account, ns in line.sums_ns.items() if ns)
        late = f"{ms(line.behind_ns)} late" if line.behind_ns else ""
        what = tag("div", tag("b", text(name)))
        bar = _drawing(f"{name}: {times}", parts)
        yield tag("div", what, bar, _number(ms(line.length_ns), late), class_="row")
    if step.others:
        yield _p(f"{count(step.others.count, 'more GPU')} of this step are not drawn.", "note")


# ----------------------------------------------------------------------------------- findings


def _findings(report: Report, back: Markup) -> Iterator[Markup]:
    if not report.findings:
        yield _p(no_finding(report))
    words = words_of(report)
    for number, finding in enumerate(report.findings, 1):
        title = tag("header", tag("h3", text(f"{number}. {finding.title}")), _badge(finding))
        yield tag("article", title, _finding(finding, words), back, id=finding.id)


def _finding(finding: Finding, words: Mapping[str, FindingWords]) -> Iterator[Markup]:
    yield _p(size(finding, words[finding.id]), "note")
    yield _p(finding.summary)
    yield _evidence(finding.evidence)
    if finding.saving and finding.saving.basis:
        yield _p(f"How the saving was estimated: {finding.saving.basis}", "note")
    yield _places(finding.where)
    yield _fix(finding.fix)
    if finding.guide:
        yield tag("p", text("Why: "), link(finding.guide.section, finding.guide.url), class_="note")
    if finding.explains:
        yield tag("h4", text("This also explains"))
        folded = [
            tag(
                "details",
                tag("summary", _badge(inner), text(f" {inner.title}")),
                _finding(inner, words),
                id=inner.id,
            )
            for inner in finding.explains
        ]
        yield tag("div", folded, class_="folded")


def _badge(finding: Finding) -> Markup:
    words = text(f"{ICON[finding.severity]} {finding.severity}")
    return tag("span", words, class_=f"badge {finding.severity}")


def _evidence(evidence: Sequence[Evidence]) -> Markup:
    rows = [
        (text(e.label), text(number_text(e.value, e.unit)), text(threshold_text(e)), text(e.source))
        for e in evidence
    ]
    return table(("Measured", "Value", "Threshold", "Source"), rows, (1, 2))


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


def _checks(report: Report) -> Iterator[Markup]:
    oddities = tuple(Row(a.name, f"{a.name} ({a.count})", a.sentence) for a in report.anomalies)
    for title, rows in (*checks(report), *([("Oddities in the file", oddities)] if oddities else [])):
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
