"""Explain one rule: what it says, why it matters, and from which numbers on."""

from __future__ import annotations

import argparse
import difflib
import textwrap

from tfperf_plugin import rules
from tfperf_plugin.cli.output import Output
from tfperf_plugin.engine.outcome import Unit
from tfperf_plugin.engine.rule import Threshold
from tfperf_plugin.engine.words import gigabytes, ms, percent
from tfperf_plugin.errors import TfperfError

WIDTH = 100


class UnknownRuleError(TfperfError):
    """No rule has this id."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf explain`` takes."""
    parser.add_argument("rule_id", metavar="RULE_ID", help="one of those that `tfperf rules` lists")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf explain``. Raises UnknownRuleError."""
    by_id = {rule.id: rule for rule in rules.catalogue()}
    if arguments.rule_id not in by_id:
        close = difflib.get_close_matches(arguments.rule_id, by_id, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "`tfperf rules` lists them all."
        raise UnknownRuleError(f"There is no rule {arguments.rule_id!r}; {hint}")
    rule = by_id[arguments.rule_id]
    blocks = [f"{rule.id}: {rule.title}", textwrap.fill(rule.why, WIDTH)]
    if rule.thresholds:
        blocks.append("Thresholds\n" + "\n".join(map(_line, rule.thresholds)))
    blocks.append(f"Guide: {rule.guide.section}\n  {rule.guide.url}")
    return Output("\n\n".join(blocks) + "\n")


def _line(threshold: Threshold) -> str:
    return f"  {threshold.name}: {_amount(threshold.value, threshold.unit)}  ({threshold.source})"


def _amount(value: float, unit: Unit) -> str:
    if unit == "ratio":
        return percent(value)
    if unit == "ns":
        return ms(value)
    if unit == "bytes":
        return gigabytes(value)
    return f"{value:g} {unit}" if unit in ("GB/s", "times") else f"{value:g}"
