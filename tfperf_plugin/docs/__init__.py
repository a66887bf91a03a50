"""The rules' pages: what a rule says about itself, as sections, and the finished pages beside this file.

``demo/pages.py`` writes the pages (Markdown) from these sections and from the demo runs; ``tfperf explain``
prints the sections; the tab's route ``page`` serves the pages, and those of ``docs`` on how right they are
and how compute is judged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tfperf_plugin.analysis.evidence import Unit
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.engine.words import gigabytes, ms, percent
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Group, Link, Snippet
from tfperf_plugin.records import Record

DOCS: Final = Path(__file__).parent
FOLDER: Final = DOCS / "rules"
INDEX: Final = "index"
ACCURACY: Final = "accuracy"
FIRST_FINDINGS: Final = "first-findings"
COMPUTE: Final = "compute"
RECORDING: Final = "recording"
MEASURED: Final = "How it is measured"
GROUP_TITLES: Final[dict[Group, str]] = {
    "capture": "Can this profile be trusted?",
    "input": "Input",
    "one_gpu": "One GPU",
    "precision": "Precision",
    "several_gpus": "Several GPUs",
}

_FILES: Final = {
    **{name: FOLDER / f"{name}.md" for name in (INDEX, *(rule.id for rule in RULES))},
    **{name: DOCS / f"{name}.md" for name in (ACCURACY, FIRST_FINDINGS, COMPUTE, RECORDING)},
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


def sections(rule: Rule) -> tuple[Section, ...]:
    """What the rule's page says, but for the example."""
    causes = tuple(other for other in RULES if other.id in rule.explained_by)
    effects = tuple(other for other in RULES if rule.id in other.explained_by)
    found = [
        Section("Why it matters", (rule.why,)),
        Section(
            MEASURED,
            (rule.measured,),
            thresholds=tuple(
                (t.name, f"{t.side} {amount(t.default, t.unit)}".lstrip(), t.source) for t in rule.thresholds
            ),
        ),
        Section(
            "What to do",
            (rule.fix.summary,),
            rule.fix.actions,
            numbered=True,
            snippets=rule.fix.snippets,
            links=rule.fix.links,
        ),
        Section("Limits", items=rule.limits),
    ]
    if rule.jax:
        jax = rule.jax
        found.insert(
            3, Section("What to do in JAX", (jax.summary,), jax.actions, numbered=True, snippets=jax.snippets)
        )
    if causes:
        found.append(
            Section("Explained by", ("Where one of these covers it, it is shown below that.",), rules=causes)
        )
    if effects:
        found.append(
            Section("Explains", ("Where it covers one of these, that is shown below it.",), rules=effects)
        )
    return (*found, Section("Guide", links=(Link(rule.guide.section, rule.guide.url),)))


def read(name: str) -> str | None:
    """The page of this name (a rule's id, ``index``, or one of ``docs``) as Markdown; else ``None``.

    The name is only looked up: it never becomes part of a path.
    """
    path = _FILES.get(name)
    return path.read_text(encoding="utf-8") if path and path.is_file() else None


def amount(value: float, unit: Unit) -> str:
    """A number with its unit, in words."""
    if unit == "ratio":
        return percent(value)
    if unit == "ns":
        return ms(value)
    if unit == "bytes":
        return gigabytes(value)
    if value >= 1e9:  # so many are operations
        return f"{value / 1e9:g} GFLOP"
    return f"{value:g} {unit}" if unit in ("GB/s", "times") else f"{value:g}"
