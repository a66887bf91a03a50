"""The rules, in a folder for each group: a page and a measurement of the same name each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Final

from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.verdicts import Group

GROUPS: Final[tuple[Group, ...]] = ("capture", "input", "one_gpu", "precision", "several_gpus")
"""The guides' order of work: first the capture, then input, one GPU, precision, several GPUs."""


def _found() -> Iterator[Rule]:
    for group in GROUPS:
        package = importlib.import_module(f"{__name__}.{group}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if rule := getattr(importlib.import_module(module.name), "RULE", None):
                yield rule


RULES: Final[tuple[Rule, ...]] = tuple(_found())
