"""Fills sentences: whole ones, with named placeholders that state the unit of their value.

``{gap:ms}`` and ``{all:duration}`` take nanoseconds, ``{share:percent}`` a ratio, ``{size:bytes}`` bytes; any
other unit is what a number counts: ``{n:kernels}`` gives "1 kernel" and "3 kernels", ``{n:copy|copies}``
names both forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tfperf_plugin.judging.engine.words import count, duration, gigabytes, ms, percent

UNITS: Final[Mapping[str, Callable[[float], str]]] = {
    "ms": ms,
    "duration": duration,
    "percent": percent,
    "bytes": gigabytes,
}
_PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}]+))?\}")


def say(*sentences: str, **values: Any) -> str:
    """The sentences, constants of a rule, each filled with its values, as one text; "" is left out.

    Raises KeyError for a placeholder without a value. A value is text: braces in it mean nothing.
    """
    return filled(together(*sentences), values, strict=True)


def together(*texts: str) -> str:
    """Finished sentences as one text; "" is left out."""
    return " ".join(filter(None, texts))


def filled(text: str, values: Mapping[str, Any], strict: bool = False) -> str:
    """The text with these values in place of their names in braces; other braces stay as they are.

    Raises KeyError for another name in braces if ``strict``.
    """

    def value(name: re.Match[str]) -> str:
        return _written(values[name[1]], name[2]) if strict or name[1] in values else name[0]

    return _PLACEHOLDER.sub(value, text)


def _written(value: Any, unit: str | None) -> str:
    if not unit:
        return str(value)
    if write := UNITS.get(unit):
        return write(value)
    singular, _, plural = unit.partition("|")
    return count(value, singular if plural else singular.removesuffix("s"), plural or singular)
