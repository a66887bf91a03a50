"""List the rules that profiles are held against."""

from __future__ import annotations

import argparse
from itertools import groupby

from tfperf_plugin import rules
from tfperf_plugin.cli.output import Output
from tfperf_plugin.engine.outcome import Group

GROUP_TITLES: dict[Group, str] = {
    "capture": "Can this profile be trusted?",
    "input": "Input",
    "one_gpu": "One GPU",
    "precision": "Precision",
    "several_gpus": "Several GPUs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``tfperf rules`` takes no arguments."""


def run(_arguments: argparse.Namespace) -> Output:
    """``tfperf rules``."""
    listed = sorted(rules.catalogue(), key=lambda rule: list(GROUP_TITLES).index(rule.group))
    width = max((len(rule.id) for rule in listed), default=0)
    blocks = [
        f"{GROUP_TITLES[group]}\n" + "".join(f"  {rule.id:{width}}  {rule.title}\n" for rule in members)
        for group, members in groupby(listed, key=lambda rule: rule.group)
    ]
    return Output("\n".join(blocks))
