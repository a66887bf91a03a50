"""Explain one rule: what it says, why, how it is measured, what to do, and what it cannot see."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator

from tfperf_plugin import docs
from tfperf_plugin.cli.output import Output, fit, width_of
from tfperf_plugin.cli.rules import listing, rule_id
from tfperf_plugin.judging.rules import RULES

LONGEST_LINE = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf explain`` takes."""
    parser.add_argument(
        "rule_id",
        metavar="RULE_ID",
        nargs="?",
        help="id or title of one of those that `tfperf rules` lists; without it, that list",
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf explain``. Raises UnknownRuleError."""
    if arguments.rule_id is None:
        return Output(listing())
    id_ = rule_id(arguments.rule_id, {})
    rule = next(rule for rule in RULES if rule.id == id_)
    blocks = [f"{fit(f'{rule.id}: {rule.title}')}\n{_filled(docs.introduction(rule), '')}"]
    blocks += [f"{part.heading}\n" + "\n".join(_lines(part)) for part in docs.sections(rule)]
    return Output("\n\n".join(blocks) + "\n")


def _lines(part: docs.Section) -> Iterator[str]:
    for text in part.text:
        yield _filled(text)
    for number, item in enumerate(part.items, 1):
        yield _filled(item, f"  {number}. " if part.numbered else "  - ")
    for name, value, source in part.thresholds:
        yield _filled(f"{name}: {value} ({source})", "  - ")
    for snippet in part.snippets:
        yield f"\n  {snippet.framework}:"
        yield textwrap.indent(snippet.code, "      ")
    if part.snippets and part.links:
        yield ""
    for rule in part.rules:
        yield _filled(f"{rule.id}: {rule.title}", "  - ")
    for link in part.links:
        yield f"{_filled(link.title)}\n    {link.url}"


def _filled(text: str, lead: str = "  ") -> str:
    """Wraps text; continuation lines are indented to the text of the first line."""
    return textwrap.fill(
        text,
        min(width_of(sys.stdout), LONGEST_LINE),
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
