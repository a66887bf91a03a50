"""List the rules that profiles are held against."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import groupby

from tfperf_plugin.cli.output import Output, fit
from tfperf_plugin.docs import GROUP_TITLES
from tfperf_plugin.errors import TfperfError, did_you_mean
from tfperf_plugin.judging import former, rules


class UnknownRuleError(TfperfError):
    """No rule has this id or title."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``tfperf rules`` takes no arguments."""


def run(_arguments: argparse.Namespace) -> Output:
    """``tfperf rules``."""
    return Output(listing())


def rule_id(name: str, titles: Mapping[str, str]) -> str:
    """The id of the rule with this id or title, in whatever case. Raises UnknownRuleError.

    ``titles``: the titles of findings, which may tell more than the rule's, and the ids.
    """
    ids = {text: rule.id for rule in rules.RULES for text in (rule.id, rule.title)} | dict(titles)
    by_text = {text.casefold(): id_ for text, id_ in {**former.RULES, **ids}.items()}
    if found := by_text.get(name.casefold()):
        return found
    hint = did_you_mean(name, ids, ids) or "`tfperf rules` lists them all."
    raise UnknownRuleError(f"There is no rule {name!r:.100}; {hint}")


def listing() -> str:
    """All rules by group, one a line."""
    listed = sorted(rules.RULES, key=lambda rule: list(GROUP_TITLES).index(rule.group))
    width = max((len(rule.id) for rule in listed), default=0)
    blocks = [
        f"{GROUP_TITLES[group]}\n" + "".join(f"  {rule.id:{width}}  {rule.title}\n" for rule in members)
        for group, members in groupby(listed, key=lambda rule: rule.group)
    ]
    return fit("\n".join(blocks))
