"""What a switch is, and what its functions share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tfperf_plugin.records import Record

Change = Callable[[Any, str, Callable[[str], None]], None]
"""Changes a module, given the switch's value; tells each change when it takes effect."""


class Switch(Record, frozen=True):
    """One change that tfperf can make in a training that it starts."""

    id: str
    #: In one sentence.
    does: str
    #: The framework, as its users call it.
    works_in: str
    #: What it looks for; without it, nothing is changed.
    finds: str
    #: Module of ``sitecustomize.MODULES`` → what is called once the training has imported it.
    changes: Mapping[str, Change]
    #: The lines that make it permanent, in which ``{value}`` stands for the value; "" for a probe.
    keep: str = ""
    #: What a probe shows; "" for what one would keep.
    shows: str = ""
    #: The value without ``=VALUE``; "" if it takes none.
    value: str = ""
    #: The pattern of its values.
    values: str = ""
    #: Guards of a trial that it changes on purpose, such as "Losses".
    differs: tuple[str, ...] = ()
    #: Whether a tuning tries it even if no finding names it.
    helps_often: bool = False
    #: What it cannot do, or changes besides time; a sentence, or "".
    limit: str = ""

    def kept(self, value: str) -> str:
        """The lines that make it permanent with ``value``."""
        return self.keep.replace("{value}", value)


def wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Has ``around(method, *args, **named)`` called in place of the method ``name`` of a class."""
    method = getattr(owner, name)

    @functools.wraps(method)
    def called(*args: Any, **named: Any) -> Any:
        return around(method, *args, **named)

    setattr(owner, name, called)


def given(method: Callable[..., Any], name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Whether a call gives the parameter ``name`` a value."""
    return name in inspect.signature(method).bind_partial(*args, **named).arguments
