"""The artifacts of a run, one file each, in groups whose docstrings list them; beside them, code for all
groups.

A module that has a ``part`` or a ``finish`` makes an artifact (``judging/engine/inputs.py``); other modules
help their group. ``by_host`` merges the parts of hosts, ``timeline`` finds the longest stretches of accounts.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Final

# The rows of the timeline: they are large, made for some hosts only, and no rule asks for them.
_ON_DEMAND: Final = f"{__name__}.timeline_rows"


def makers() -> Iterator[ModuleType]:
    """The modules that make an artifact each."""
    for found in pkgutil.walk_packages(__path__, f"{__name__}."):
        module = importlib.import_module(found.name)
        if found.name != _ON_DEMAND and (hasattr(module, "part") or hasattr(module, "finish")):
            yield module
