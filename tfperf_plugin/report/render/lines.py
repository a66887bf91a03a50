"""The words of the report in lines, and numbers with their units, for text, Markdown and HTML."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import gigabytes, ms, percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import AfterWords, FindingWords, Report, Verdict


class Lead(NamedTuple):
    """What to change first, or what was found instead. ``finding``: the first one, which it repeats, unless
    nothing can be judged or it brings no time."""

    asks: str
    action: str
    cause: str
    finding: Finding | None
    words: FindingWords

    @property
    def size(self) -> str:
        """ "up to 8.0 ms per step (27 %) · high confidence", and what it brings alone or among all."""
        if not self.finding:
            return ""
        once = self.finding.saving is not None and self.finding.saving.once_ns
        more = self.words.most or ("" if once else self.words.alone)
        return " · ".join(filter(None, (size(self.finding, self.words), more)))


def lead(report: Report) -> Lead:
    """What a report says of its first finding."""
    words = report.words[0] if report.words else FindingWords("")
    first = report.findings[0] if words.asks or words.most else None
    if first and words.asks:
        cause = first.cause or first.summary
        return Lead(f"{words.asks} first", first.action or first.title, cause, first, words)
    return Lead("Verdict", report.advice, report.verdict.checked, first, replace(words, after=None))


def size(finding: Finding, words: FindingWords) -> str:
    """ "up to 8.0 ms per step (27 %) · high confidence"."""
    return " · ".join(filter(None, (words.saving, f"{finding.confidence} confidence")))


def now_line(found: Verdict) -> str:
    """ "22.0 ms · 7 steps", or "14.4 ms on 3 hosts, 26.5 ms on worker-3"."""
    times = ", ".join(f"{now.time} {now.of}".rstrip() for now in found.now)
    return " · ".join(filter(None, (times, found.note)))


def after_line(after: AfterWords) -> str:
    """ "22.1 ms · likely 20.4–23.3 ms · −27 %, 1.36×"."""
    return " · ".join(filter(None, (after.time, after.likely, after.change)))


def threshold_text(evidence: Evidence) -> str:
    """On which side of its threshold a value lies: "≥ 0.60 ms" or "≤ 40 µs"; nothing without one."""
    if evidence.threshold is None:
        return ""
    side = "threshold"
    if not isinstance(evidence.value, str):
        side = "≤" if evidence.value < evidence.threshold else "≥"
    return f"{side} {number_text(evidence.threshold, evidence.unit)}"


def number_text(value: int | float | str, unit: str) -> str:
    """A value of the report with its unit; texts stay as they are."""
    if isinstance(value, str):
        return value
    if unit == "ns":
        return ms(value)
    if unit == "ratio":
        return percent(value)
    if unit == "bytes":
        return gigabytes(value)
    number = f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
    return number + {"GB/s": " GB/s", "per_step": " per step", "times": " times"}.get(unit, "")
