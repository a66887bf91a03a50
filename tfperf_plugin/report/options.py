"""The options of a report: number of parameters, bandwidth between GPUs, and thresholds to try out.

All are parsed from text with units, as typed in the tab, in a URL or on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.errors import BadOptionError as BadOptionError
from tfperf_plugin.hardware.links import PRESETS
from tfperf_plugin.report.tried import Trial, parse_trials

MAX_PARAMETERS: Final = 10**15
MIN_BANDWIDTH_GBPS, MAX_BANDWIDTH_GBPS = 1e-3, 1e6
DOUBTFUL_RATIO: Final = 1.1
"""A bandwidth above this multiple of the line rate gets a hint; NVLink SHARP reaches 1.07."""

PARAMETERS_FORMS: Final = "25.6M, 25,600,000 or 1.3 billion"
"""Examples for help and errors."""
BANDWIDTH_FORMS: Final = (
    "230 GB/s, 600 GB/s bidirectional, 300 GB/s per direction, 4800 Gbit/s, NVLink 3 or PCIe 4 x16"
)
"""Examples for help and errors."""

# Longer texts are refused.
_LONGEST_COUNT = 100
_NUMBER = (
    r"(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?P<exponent>e[+-]?[0-9]{1,3})?"
)
_PARAMETERS = re.compile(
    _NUMBER + r"\s*(?P<unit>k|thousand|m|million|bn?|billion|t|trillion|)(?:\s+param(?:eter)?s)?",
    re.IGNORECASE,
)
_COUNTS: Final = {"": 1, "k": 10**3, "t": 10**12, "m": 10**6, "b": 10**9, "thousand": 10**3}
# B means bytes and b bits, but people write "Gb/s" for either.
_BANDWIDTH = re.compile(
    _NUMBER + r"\s*(?:(?P<prefix>[MGTmgt])(?P<binary>i?)(?P<unit>[Bb]/[sS]|Bps|bps|[Bb]ytes?/s|[Bb]its?/s))?"
    r"(?:[\s,(]*(?:(?P<one>(?:per|each|in one|one|/) ?(?:direction|way)|one-way|(?i:uni-?directional))"
    r"|(?P<both>(?:in )?both (?:directions|ways)|(?:in )?total|(?:full )?duplex|(?i:bi-?directional)))\)?)?"
)
_POWERS: Final = {"m": 2, "g": 3, "t": 4}
_PRESET = re.compile(
    r"nvlink(?:gen)?(?P<nvlink>[0-9])(?:\.0)?"
    r"|pcie(?:gen)?(?P<pcie>[0-9])(?:\.0)?(?:x(?P<lanes>[0-9]{1,2}))?"
    r"|(?:infiniband|ib)(?P<infiniband>[a-z]{3})"
)


class Options(Stated, frozen=True):
    """What the user states. ``tried``: trial thresholds for this report only, in a fixed order."""

    tried: tuple[Trial, ...] = ()


def parse_options(parameters: str | None, bandwidth: str | None, tried: Sequence[str] = ()) -> Options:
    """Parses options that a user typed; empty and None mean "not given". Raises BadOptionError.

    ``parameters``: a number, also with k, M, B (10^9), T or the words for them. ``bandwidth``: a number, in
    GB/s and one direction unless the text states another unit or both directions; or the name of a link.
    ``tried``: thresholds in the form that ``parse_trials`` takes.
    """
    count = (parameters or "").strip()
    speed = (bandwidth or "").strip()
    gbps, basis = _bandwidth(speed) if speed else (None, "as given")
    return Options(_parameters(count) if count else None, gbps, basis, parse_trials(tried))


def doubts(bandwidth_gbps: float, line_rate_gbps: float | None) -> str:
    """A hint if the stated bandwidth exceeds what the GPU's links carry in one direction, else ""."""
    if line_rate_gbps is None or bandwidth_gbps <= DOUBTFUL_RATIO * line_rate_gbps:
        return ""
    return (
        f"{bandwidth_gbps:g} GB/s is more than the links of one GPU carry in one direction "
        f"({line_rate_gbps:g} GB/s). Makers often state both directions together; if this figure does, "
        f"use {bandwidth_gbps / 2:g} GB/s."
    )


def _parameters(text: str) -> int:
    match = _match(_PARAMETERS, text)
    # The first letter of "million", "bn" and "billion" identifies the unit.
    unit = match["unit"].lower() if match else ""
    value = _number(match) * _COUNTS[unit if unit in _COUNTS else unit[0]] if match else Decimal(0)
    if not 1 <= value <= MAX_PARAMETERS:
        raise BadOptionError(
            f"The number of parameters must be a number from 1 to 10^15, like "
            f"{PARAMETERS_FORMS}, not {text!r:.40}."
        )
    if value != value.to_integral_value():
        raise BadOptionError(
            f"The number of parameters must be a whole number, like {PARAMETERS_FORMS}, not {text!r:.40}."
        )
    return int(value)


def _bandwidth(text: str) -> tuple[float, str]:
    """GB/s per GPU and direction, and how they were derived from the text."""
    named = _preset(text)
    if named:
        return named
    match = _match(_BANDWIDTH, text)
    if match and (match["unit"] or "").startswith("b/"):
        raise BadOptionError(f"Write GB/s for bytes or Gbit/s for bits: {text!r:.40} may mean either.")
    value = float(_number(match)) * _gigabytes(match) if match else 0.0
    both = bool(match and match["both"])
    value /= 2 if both else 1
    if not MIN_BANDWIDTH_GBPS <= value <= MAX_BANDWIDTH_GBPS:
        raise BadOptionError(
            f"The bandwidth must be a number from {MIN_BANDWIDTH_GBPS:g} to {MAX_BANDWIDTH_GBPS:,.0f} in "
            f"GB/s, like {BANDWIDTH_FORMS}, not {text!r:.40}."
        )
    return value, "as given, both directions halved" if both else "as given"


def _preset(text: str) -> tuple[float, str] | None:
    match = _match(_PRESET, re.sub(r"[\s_-]", "", text).lower())
    if not match:
        return None
    if match["nvlink"]:
        key = f"nvlink{match['nvlink']}"
    elif match["pcie"]:
        key = f"pcie{match['pcie']}x{match['lanes'] or 16}"
    else:
        key = f"infiniband{match['infiniband']}"
    preset = PRESETS.get(key)
    if preset is None:
        names = ", ".join(p.name for p in PRESETS.values())
        raise BadOptionError(f"The link {text!r:.40} is not known here; known are {names}.")
    return float(preset.line_rate_gbps), f"{preset.name} line rate, one direction"


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    words = " ".join(text.split())
    return pattern.fullmatch(words) if len(words) <= _LONGEST_COUNT else None


def _number(match: re.Match[str]) -> Decimal:
    return Decimal(match["number"].replace(",", "") + (match["exponent"] or ""))


def _gigabytes(match: re.Match[str]) -> float:
    """The unit in GB/s (10^9 bytes)."""
    if not match["unit"]:
        return 1.0
    scale: int = (1024 if match["binary"] else 1000) ** _POWERS[match["prefix"].lower()]
    bits = match["unit"] == "bps" or match["unit"].lower().startswith("bit")
    return scale / 10**9 / (8 if bits else 1)
