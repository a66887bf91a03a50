"""List the rules that profiles are held against."""

from __future__ import annotations

import argparse
from itertools import groupby

from tfperf_plugin.cli.output import Output, fit
from tfperf_plugin.docs import GROUP_TITLES
from tfperf_plugin.judging import rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``tfperf rules`` takes no arguments."""


def run(_arguments: argparse.Namespace) -> Output:
    """``tfperf rules``."""
    return Output(listing())


def listing() -> str:
    """All rules by group, one a line."""
    listed = sorted(rules.catalogue(), key=lambda rule: list(GROUP_TITLES).index(rule.group))
    width = max((len(rule.id) for rule in listed), default=0)
    blocks = [
        f"{GROUP_TITLES[group]}\n" + "".join(f"  {rule.id:{width}}  {rule.title}\n" for rule in members)
        for group, members in groupby(listed, key=lambda rule: rule.group)
    ]
    return fit("\n".join(blocks))
