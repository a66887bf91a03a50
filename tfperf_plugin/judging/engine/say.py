"""Fills sentences: whole ones, with named placeholders that state the unit of their value.

``{gap:ms}`` takes nanoseconds, ``{share:percent}`` a ratio, ``{size:bytes}`` bytes; any other unit is what
a number counts: ``{n:kernels}`` gives "1 kernel" and "3 kernels", ``{n:copy|copies}`` names both forms.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from typing import Any, Final

from tfperf_plugin.judging.engine.words import count, gigabytes, ms, percent

UNITS: Final[Mapping[str, Callable[[float], str]]] = {"ms": ms, "percent": percent, "bytes": gigabytes}
_PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}]+))?\}")


class _Units(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec:
            return str(value)
        if unit := UNITS.get(format_spec):
            return unit(value)
        singular, _, plural = format_spec.partition("|")
        return count(value, singular if plural else singular.removesuffix("s"), plural or singular)


_FORMAT: Final = _Units()


def say(*sentences: str, **values: Any) -> str:
    """The sentences, constants of a rule, each filled with its values, as one text; "" is left out.

    Raises KeyError for a placeholder without a value. A value is text: braces in it mean nothing.
    """
    return together(*(_FORMAT.vformat(sentence, (), values) for sentence in sentences))


def together(*texts: str) -> str:
    """Finished sentences as one text; "" is left out."""
    return " ".join(filter(None, texts))


def filled(text: str, values: Mapping[str, Any]) -> str:
    """The text with these values in place of their names in braces; other braces stay as they are."""

    def value(match: re.Match[str]) -> str:
        return _FORMAT.format_field(values[match[1]], match[2] or "") if match[1] in values else match[0]

    return _PLACEHOLDER.sub(value, text) if values else text
