"""The rules, in a folder for each group: a page and a measurement of the same name each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Final, get_args

from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.verdicts import Group


def _found() -> Iterator[Rule]:
    for group in get_args(Group):
        package = importlib.import_module(f"{__name__}.{group}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if rule := getattr(importlib.import_module(module.name), "RULE", None):
                yield rule


RULES: Final[tuple[Rule, ...]] = tuple(_found())
