"""The options of a report: parameters, bandwidth between GPUs, steps of an epoch, thresholds to try out.

All are parsed from text with units, as typed in the tab, in a URL or on the command line. A threshold that is
tried out ("what if a gap counted from 2 %?") changes one report, not the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Final, NamedTuple

from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.evidence import Unit
from tfperf_plugin.errors import BadOptionError as BadOptionError
from tfperf_plugin.errors import did_you_mean
from tfperf_plugin.hardware.links import PRESETS
from tfperf_plugin.judging import former
from tfperf_plugin.judging.engine.rule import Threshold
from tfperf_plugin.judging.engine.severity import LEAST, SEVERITIES
from tfperf_plugin.judging.engine.words import amount
from tfperf_plugin.report.model import TriedThreshold

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
    """What the user states."""

    tried: tuple[OtherThreshold, ...] = ()  # thresholds for this report only, in a fixed order


def parse_options(
    parameters: str | None,
    bandwidth: str | None,
    tried: Sequence[str] = (),
    steps_per_epoch: str | None = None,
) -> Options:
    """Parses options that a user typed; empty and None mean "not given". Raises BadOptionError.

    ``parameters``: a number, also with k, M, B (10^9), T or the words for them. ``bandwidth``: a number, in
    GB/s and one direction unless the text states another unit or both directions; or the name of a link.
    ``tried``: thresholds in the form that ``parse_thresholds`` takes. ``steps_per_epoch``: a whole number.
    """
    count = (parameters or "").strip()
    speed = (bandwidth or "").strip()
    gbps, basis = _bandwidth(speed) if speed else (None, "as given")
    steps = _steps(steps_per_epoch.strip()) if steps_per_epoch else None
    return Options(_parameters(count) if count else None, gbps, basis, steps, parse_thresholds(tried))


def _steps(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,11}", text):
        raise BadOptionError(f"The steps of an epoch must be a whole number from 1 on, not {text!r:.40}.")
    return int(text)


def milliseconds(text: str | None, most_ms: float) -> int | None:
    """Milliseconds in ns; ``None`` if the text says none, or more than ``most_ms``."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return round(value * 1e6) if abs(value) <= most_ms else None


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


# ---------------------------------------------------------------------------------- thresholds

SEVERITY: Final = "severity"
"""Takes the place of a rule's id for the thresholds of severities: shares of the step."""
THRESHOLD_EXAMPLE: Final = "'gpu-stagger:spread-of-first-kernels=3%'"
MAX_VALUE: Final = 1e15
"""Limit for a threshold in any unit."""

_GONE: Final = f"is gone: {SEVERITY}:{LEAST.id} decides what is too little for a finding."
_TRIED = re.compile(r"\s*([a-z0-9-]{1,60}):([a-z0-9-]{1,90})\s*[:=](.{1,40})", re.DOTALL)
_VALUE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})\s*([%×a-zµμ]*)", re.IGNORECASE)
_SCALES: Final[dict[Unit, dict[str, float]]] = {
    "ratio": {"%": 0.01, "": 1},
    "ns": {"ns": 1, "µs": 1e3, "μs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9},
    "bytes": {"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2**10, "mib": 2**20, "gib": 2**30},
    "times": {"": 1, "times": 1, "×": 1, "x": 1},
}
_EXAMPLES: Final[dict[Unit, str]] = {
    "ratio": "2 % or 0.02",
    "ns": "40 µs",
    "bytes": "32 MB",
    "times": "1.5 times",
}


@cache
def _thresholds() -> dict[str, dict[str, Threshold]]:
    """Rule → id → its threshold. Only who tries one out needs all rules."""
    from tfperf_plugin.judging.rules import RULES

    of_rules = {rule.id: {t.id: t for t in rule.thresholds} for rule in RULES}
    return {**of_rules, SEVERITY: {t.id: t for t in SEVERITIES.values()}}


class OtherThreshold(NamedTuple):
    """Another value for one threshold."""

    rule: str
    threshold: str
    value: float  # in the threshold's unit: ns, bytes, a share 0..1, a number


def parse_thresholds(texts: Sequence[str]) -> tuple[OtherThreshold, ...]:
    """Parses thresholds to try out: ``RULE:THRESHOLD=VALUE``, or with a colon in place of the equals sign.

    If a threshold is given twice, the last value counts; one that is gone is accepted and changes nothing.
    Raises BadOptionError, which lists valid choices.
    """
    found = {}
    for text in texts:
        match = _TRIED.fullmatch(text)
        if match is None:
            raise BadOptionError(
                "A threshold to try is written RULE:THRESHOLD=VALUE, "
                f"like {THRESHOLD_EXAMPLE}, not {text!r:.80}."
            )
        rule, name, value = match.groups()
        threshold = LEAST if _is_gone(rule, name) else _threshold(rule, name)
        found[rule, name] = OtherThreshold(
            rule, name, parse_value(value.strip(), threshold.unit, threshold.name)
        )
    return tuple(found[key] for key in sorted(found))


def _is_gone(rule: str, name: str) -> bool:
    return f"{rule}:{name}" in former.THRESHOLDS


def _threshold(rule: str, name: str) -> Threshold:
    known = _thresholds()
    if rule not in known:
        hint = did_you_mean(rule, known) or f"`tfperf rules` lists all; {SEVERITY!r} stands for severities."
        raise BadOptionError(f"There is no rule {rule!r:.60}; {hint}")
    threshold = known[rule].get(name)
    if threshold is not None and not threshold.fixed:
        return threshold
    can = {t.id: f"{t.id} ({amount(t.default, t.unit)})" for t in known[rule].values() if not t.fixed}
    if threshold:
        others = f"what can: {', '.join(can.values())}" if can else "none of its thresholds can"
        why = f"{name!r} of {rule} cannot be tried out: it is applied before rules judge"
        raise BadOptionError(f"{why}; {others}.")
    has = f"it has: {', '.join(can.values())}." if can else "it has none that can be tried out."
    raise BadOptionError(f"{rule} has no threshold {name!r:.90}; {did_you_mean(name, can, can) or has}")


def parse_value(text: str, unit: Unit, name: str) -> float:
    """Parses a number above 0 into ns, bytes, a share 0..1 or a plain number. Raises BadOptionError.

    ``name``: what the error calls the value.
    """
    scales = _SCALES.get(unit, {"": 1})
    example = _EXAMPLES.get(unit, "3")
    match = _VALUE.fullmatch(text)
    written = match[2].lower() if match else ""
    if match is None or written not in scales:
        raise BadOptionError(f"{name}: write a number like {example}, not {text!r:.40}.")
    value = float(match[1]) * scales[written]
    if unit == "ratio" and not written and value >= 1:
        raise BadOptionError(f"{name}: is {text} a percentage? Write {text} %, or a share like 0.02.")
    if not 0 < value <= (1 if unit == "ratio" else MAX_VALUE):
        top = "100 %" if unit == "ratio" else "10^15"
        raise BadOptionError(f"{name}: the value must be above 0 and at most {top}, not {text!r:.40}.")
    return value


def values(tried: Iterable[OtherThreshold]) -> dict[Threshold, float]:
    """The other values by threshold, as the engine takes them."""
    return {_thresholds()[t.rule][t.threshold]: t.value for t in tried if not _is_gone(t.rule, t.threshold)}


def tried_rows(tried: Iterable[OtherThreshold]) -> tuple[TriedThreshold, ...]:
    """The thresholds as rows of the report."""
    gone = Threshold("", LEAST.default, LEAST.unit, LEAST.source)
    rows = [(t, _thresholds().get(t.rule, {}).get(t.threshold, gone)) for t in tried]
    return tuple(TriedThreshold(t.rule, t.threshold, x.name, t.value, x.default, x.unit) for t, x in rows)


def tried_line(tried: Sequence[TriedThreshold]) -> str:
    """Sentences that list the thresholds tried out, and those that are gone; "" without any."""
    parts = [
        f"{t.rule}, {t.name}: {amount(t.value, t.unit)} instead of {amount(t.default, t.unit)}"
        for t in tried
        if t.name
    ]
    gone = ", ".join(f"{t.rule}:{t.threshold}" for t in tried if not t.name)
    said = f"Other thresholds are tried out here. {'; '.join(parts)}." if parts else ""
    return f"{said} {gone} {_GONE}".strip() if gone else said


def threshold_json(threshold: Threshold) -> dict[str, Any]:
    """A threshold as the route ``rules`` returns it."""
    return {
        "id": threshold.id,
        "name": threshold.name,
        "value": threshold.default,
        "unit": threshold.unit,
        "source": threshold.source,
        "fixed": threshold.fixed,
    }
