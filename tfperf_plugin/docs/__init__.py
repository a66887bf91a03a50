"""Pages to read: the pages of rules, which stand beside them, and the guides in this folder.

A rule's file holds what it says; its declaration adds thresholds and which rules explain each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tfperf_plugin.judging import former, rules
from tfperf_plugin.judging.engine import page
from tfperf_plugin.judging.engine.rule import Rule, Threshold
from tfperf_plugin.judging.engine.words import number_text
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Group, Link, Snippet
from tfperf_plugin.records import Record

DOCS: Final = Path(__file__).parent
RULES_FOLDER: Final = Path(rules.__file__).parent
INDEX: Final = "index"
ACCURACY: Final = "accuracy"
FIRST_FINDINGS: Final = "first-findings"
COMPUTE: Final = "compute"
RECORDING: Final = "recording"
FORMATS: Final = "formats"
BY_HAND: Final = "by-hand"
GROUP_TITLES: Final[dict[Group, str]] = {
    "capture": "Can this profile be trusted?",
    "input": "Input",
    "one_gpu": "One GPU",
    "precision": "Precision",
    "several_gpus": "Several GPUs",
    "machine": "The machine and the whole training",
}

_BY_ID: Final = {rule.id: rule for rule in RULES}
_FILES: Final = {
    INDEX: RULES_FOLDER / "README.md",
    BY_HAND: RULES_FOLDER / "by_hand.md",
    **{name: DOCS / f"{name}.md" for name in (ACCURACY, FIRST_FINDINGS, COMPUTE, RECORDING, FORMATS)},
}


class Section(Record, frozen=True):
    """A part of a rule's page; what is empty is left out.

    In the order in which it is shown: ``text``: paragraphs; ``items``: a list, ``numbered`` if its order
    matters; ``thresholds``: (name, side and value with its unit, source); ``snippets``; ``rules``: rules
    that the section refers to; ``links``: where to read on.
    """

    heading: str
    text: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    numbered: bool = False
    thresholds: tuple[tuple[str, str, str], ...] = ()
    snippets: tuple[Snippet, ...] = ()
    rules: tuple[Rule, ...] = ()
    links: tuple[Link, ...] = ()


def introduction(rule: Rule) -> str:
    """Where the rule belongs."""
    if rule.trust:
        return "A note on the recording, not on the training: shown first, never with a saving."
    return f"A finding of the group “{GROUP_TITLES[rule.group]}”."


def sections(rule: Rule) -> Iterator[Section]:
    """What the rule's page says, but for the example."""
    about = rule.page
    yield Section(page.WHY, about.why)
    yield Section(page.MEASURED, about.measured, thresholds=_thresholds(rule))
    for name, advice in about.advice.items():
        first = f"{page.TO_DO} first" if advice.first else page.TO_DO
        yield Section(
            f"{first}: {name}" if name else first, (page.general(advice.summary),), links=advice.links
        )
        for part in advice.parts:
            text = (page.general(part.summary),) if part.summary else ()
            actions = tuple(map(page.general, part.actions))
            snippets = tuple(
                Snippet(s.framework, page.general_code(s.code, s.framework == "shell")) for s in part.snippets
            )
            yield Section(part.audience, text, actions, True, snippets=snippets)
    yield Section(page.LIMITS, items=about.limits)
    yield from _relations(rule)
    yield Section(page.GUIDE, links=tuple(Link(one.section, one.url) for one in about.guides.values()))


def _thresholds(rule: Rule) -> tuple[tuple[str, str, str], ...]:
    return tuple((t.name, limit(t), t.source) for t in rule.thresholds)


def limit(threshold: Threshold) -> str:
    """Side and value of a threshold, with its unit."""
    value, unit = threshold.default, threshold.unit
    # So large a number counts operations.
    words = f"{value / 1e9:g} GFLOP" if unit == "count" and value >= 1e9 else number_text(value, unit)
    return f"{threshold.side} {words}".lstrip()


def _relations(rule: Rule) -> Iterator[Section]:
    causes = tuple(other for other in RULES if other.id in rule.explained_by)
    effects = tuple(other for other in RULES if rule.id in other.explained_by)
    if causes:
        yield Section(
            "Explained by", ("Where one of these covers it, it is shown below that.",), rules=causes
        )
    if effects:
        yield Section("Explains", ("Where it covers one of these, that is shown below it.",), rules=effects)


def read(name: str) -> str | None:
    """The page of this name (a rule's id, ``index``, or one of ``docs``) as Markdown; else ``None``.

    The name is only looked up: it never becomes part of a path.
    """
    if rule := _BY_ID.get(former.rule_of(name)):
        return _whole(rule)
    path = _FILES.get(name)
    return path.read_text(encoding="utf-8") if path and path.is_file() else None


def _whole(rule: Rule) -> str:
    """A rule's page with what its declaration adds."""
    head, measured, rest = page.general(rule.page.text).partition(f"## {page.MEASURED}")
    paragraphs, heading, rest = rest.partition("\n## ")
    title, _, action = head.partition("\n")
    rows = [f"| {_cell(name)} | {value} | {_cell(source)} |" for name, value, source in _thresholds(rule)]
    table = "\n".join(("| threshold | value | source |", "|---|---:|---|", *rows, "")) if rows else ""
    related = "".join(
        f"\n## {part.heading}\n\n{part.text[0]}\n\n"
        + "".join(f"- [{r.title}]({r.id}.md)\n" for r in part.rules)
        for part in _relations(rule)
    )
    return (
        f"{title}\n\n`{rule.id}` · {introduction(rule)} [All rules]({INDEX}.md)\n{action}"
        f"{measured}{paragraphs.rstrip()}\n\n{table}{heading}{rest}{related}"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
