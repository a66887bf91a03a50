"""Sentences, and the numbers and accounts in them in plain words, always with a unit.

A sentence is a whole one, with named placeholders that state the unit of their value. ``{gap:ms}`` and
``{all:duration}`` take nanoseconds, ``{share:percent}`` a ratio, ``{size:bytes}`` bytes; any other unit is
what a number counts: ``{n:kernels}`` gives "1 kernel" and "3 kernels", ``{n:copy|copies}`` names both forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

ACCOUNT_WORDS: Final = {
    "compute": "Compute",
    "communication.transfer": "Exposed transfer",
    "communication.wait": "Straggler wait",
    "copy.h2d": "H2D copy",
    "copy.d2h": "D2H copy",
    "copy.d2d": "D2D copy",
    "idle.compile": "Compile wait",
    "idle.startup": "Start-up",
    "idle.stagger": "Launch skew",
    "idle.input": "Input wait",
    "idle.between_steps": "Step gap",
    "idle.sync": "Host sync",
    "idle.launch": "Launch wait",
    "idle.host_op": "CPU op wait",
    "idle.dispatch": "Op dispatch",
    "idle.unknown": "Unattributed idle",
}
"""The one label of each account; the glossary defines them."""

RECORD: Final = "tfperf record -- python train.py"
"""The command that records a training, and watches all of it."""
ACTION_LENGTH: Final = 60
NAME_LENGTH: Final = 60

# What a finding says if it measures the host's time because no GPU was recorded.
NO_GPU: Final = "No GPU was recorded, so this is the host's time, not a GPU's."


# Unit, ns in it, the least ns shown in it, and the value from which it has no decimals.
_UNITS: Final = (("s", 1e9, 1e9, 100), ("ms", 1e6, 1e5, 100), ("µs", 1e3, 1e3, 10))


def ms(ns: float) -> str:
    """Nanoseconds as text: "647 ms", "22.0 ms", "0.31 ms", "40 µs", "8.4 µs", "1.50 s"; as format.ts."""
    if ns == 0:
        return "0 ms"
    for unit, factor, least, tenths_below in _UNITS:
        if abs(ns) >= least * 0.9995:
            value = ns / factor * (1 + 1e-12)  # halves go up, as on the page
            # Seconds stand beside milliseconds: "1.23 s" and "995 ms".
            hundredths_below = 9.995 if unit == "s" else 0.995
            digits = 2 if abs(value) < hundredths_below else 1 if abs(value) < tenths_below - 0.05 else 0
            return f"{value:,.{digits}f} {unit}"
    return f"{ns:.0f} ns"


def duration(ns: float) -> str:
    """A time of a training as text: below two minutes as ``ms`` says it, else "36 min", "2.4 h"."""
    if ns < 120e9:
        return ms(ns)
    return f"{ns / 60e9:.0f} min" if ns < 119.5 * 60e9 else f"{ns / 3600e9:.1f} h"


def between(low_ns: float, high_ns: float) -> str:
    """A range as text: "19.2–23.2 ms"; once if both ends read the same."""
    low, high = ms(low_ns), ms(high_ns)
    if low == high:
        return high
    (number, unit), (_, other) = low.split(" "), high.split(" ")
    return f"{number if unit == other else low}–{high}"


def between_ms(begin_ms: float, end_ms: float) -> str:
    """A range on a host's timeline as text: "96.213–118.104 ms"; once if both ends read the same."""
    begin, end = f"{begin_ms:,.3f}", f"{end_ms:,.3f}"
    return f"{begin} ms" if begin == end else f"{begin}–{end} ms"


def percent(ratio: float) -> str:
    """A share as text: "32 %", "5.4 %", "<0.1 %"; as format.ts."""
    value = 100 * ratio
    if 0 < value < 0.05:
        return "<0.1 %"
    whole = value == 0 or 9.95 <= value < 99 or value >= 99.95
    return f"{value * (1 + 1e-12):.{0 if whole else 1}f} %"


def multiple(ratio: float) -> str:
    """A factor as text: "2×", "1.36×", "16.6×", "187×"; as format.ts."""
    digits = 0 if ratio == int(ratio) or ratio >= 99.95 else 1 if ratio >= 9.995 else 2
    return f"{ratio:,.{digits}f}×"


def signed_percent(ratio: float) -> str:
    """A change as text: "+32 %", "−0.4 %", "0 %"; as format.ts."""
    return _sign(ratio) + percent(abs(ratio))


def _sign(value: float) -> str:
    return "+" if value > 0 else "−" if value < 0 else ""


def gpu(device: str, host: str = "") -> str:
    """A device's name as people say it: "GPU 3" for ``GPU:3``, "worker1 GPU 3" with its host."""
    return f"{host} {device.replace(':', ' ')}".lstrip()


def gigabytes(size: float) -> str:
    """Bytes as text: "512 MB", "64.5 GB", "1,234 TB", GB = 10^9 bytes; as format.ts."""
    return _scaled(size, (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))) or f"{size:.0f} B"


def flops_per_s(rate: float) -> str:
    """Operations a second as text: "412 TFLOP/s", "48.9 TFLOP/s"; as format.ts."""
    units = (("TFLOP/s", 1e12), ("GFLOP/s", 1e9), ("MFLOP/s", 1e6), ("kFLOP/s", 1e3), ("FLOP/s", 1))
    return _scaled(rate, units) or f"{rate:.2g} FLOP/s"


def _plain(value: float) -> str:
    return f"{value:.2g}" if value < 0.95 else _scaled(max(1.0, value), (("", 1),)).rstrip()


def _scaled(value: float, units: Iterable[tuple[str, float]]) -> str:
    """The value in the largest unit that it reaches, "" below all."""
    for unit, scale in units:
        if value >= scale * 0.9995:
            scaled = value / scale * (1 + 1e-12)
            return f"{scaled:,.{1 if scaled < 99.95 else 0}f} {unit}"
    return ""


def _rate(size: float) -> str:
    return f"{gigabytes(size)}/s"


def _clock(rate: float) -> str:
    return f"{rate / 1e6:,.0f} MHz"


_WRITE: Final = {
    "ns": ms,
    "ratio": percent,
    "bytes": gigabytes,
    "bytes/s": _rate,
    "FLOP/s": flops_per_s,
    "Hz": _clock,
    "times": multiple,
}
_AFTER: Final = {"W": " W", "°C": " °C", "cores": " cores"}
"""What stands after a plain number of a unit."""


def number_text(value: int | float | str, unit: str) -> str:
    """A value of the report with its unit, as format.ts; texts stay as they are."""
    if isinstance(value, str):
        return value
    if unit == "more_ns":
        return _sign(value) + ms(abs(value))
    if write := _WRITE.get(unit):
        return write(value)
    if unit in _AFTER:
        return f"{_plain(value)}{_AFTER[unit]}"
    number = f"{value:,.0f}" if value == int(value) else _plain(value)
    return number + {"GB/s": " GB/s", "per_step": " per step"}.get(unit, "")


_EXACT: Final = {
    "ns": (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)),
    "bytes": (("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1)),
}


def amount(value: float, unit: str) -> str:
    """A threshold's value with its unit, exact enough to be typed again; as format.ts."""
    if unit == "ratio":
        return f"{100 * value:.6g} %"
    for name, scale in _EXACT.get(unit, ()):
        if value >= scale:
            return f"{value / scale:.6g} {name}"
    return f"{value:.6g}{'×' if unit == 'times' else ''}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 step", "3 steps", "1,234 steps"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def with_name(text: str, name: str) -> str:
    """``text`` with a name in place of ``{}``, cut so that the whole has at most 60 characters."""
    room = ACTION_LENGTH + len("{}") - len(text)
    if len(name) > room:  # the end of an op's path tells most, the start of other names
        end = name[1 - room :]
        name = f"…{end[max(0, end.find('/')) :]}" if "/" in name else f"{name[: room - 1].rstrip()}…"
    return text.replace("{}", name)


def short_name(name: str) -> str:
    """The name of an op or a kernel, without its middle if it is long: both ends tell what it is."""
    half = NAME_LENGTH // 2
    return name if len(name) <= NAME_LENGTH else f"{name[: half - 1]}…{name[-half:]}"


def stretch(longest: tuple[int, str, str]) -> str:
    """ "1.2 ms after a and before b", of ns and what there is of both names."""
    ns, before, after = longest
    ends = filter(None, (before and f"after {short_name(before)}", after and f"before {short_name(after)}"))
    return f"{ms(ns)} {' and '.join(ends)}".rstrip()


def whole(ns: int, steps_count: int) -> str:
    """ "a step of 22.0 ms", or "the 22.0 ms that were recorded" where no step was told apart."""
    return f"a step of {ms(ns)}" if steps_count else f"the {ms(ns)} that were recorded"


def gpus(number: int) -> str:
    """ "GPU is" or "GPUs are"."""
    return "GPU is" if number == 1 else "GPUs are"


def listing(items: tuple[str, ...] | list[str], most: int = 4) -> str:
    """ "GPU:0, GPU:1 and 3 more"."""
    if len(items) <= most:
        return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1] if items else ""
    return ", ".join(items[: most - 1]) + f" and {len(items) - most + 1} more"


SENTENCE_UNITS: Final[Mapping[str, Callable[[float], str]]] = {
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
    if write := SENTENCE_UNITS.get(unit):
        return write(value)
    singular, _, plural = unit.partition("|")
    return count(value, singular if plural else singular.removesuffix("s"), plural or singular)
