"""The words of the report in lines, for text, Markdown and HTML."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import count, number_text
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import AfterWords, FindingWords, Report, Verdict

HOSTS_NAMED: Final = 8
"""More hosts than these are only counted."""
ICON: Final = {"critical": "●", "warning": "▲", "info": "i"}


class Lead(NamedTuple):
    """What to change first, or what was found instead. ``finding``: the first one, which it repeats, unless
    nothing can be judged or it brings no time."""

    asks: str
    action: str
    cause: str
    finding: Finding | None
    words: FindingWords
    now: tuple[str, str]

    @property
    def times(self) -> list[tuple[str, str]]:
        """The step now and once this is fixed, each with what it is called."""
        after = self.words.after
        return [self.now, *([(after.of, after_line(after))] if after else [])]

    @property
    def size(self) -> str:
        """ "up to 8.0 ms per step (27 %) · high confidence", and what it brings alone or among all."""
        if not self.finding:
            return ""
        once = self.finding.saving is not None and self.finding.saving.once_ns
        more = self.words.most or ("" if once else self.words.beside)
        return " · ".join(filter(None, (size(self.finding, self.words), more)))


def lead(report: Report) -> Lead:
    """What a report says of its first finding."""
    now = report.verdict.unit, now_line(report.verdict)
    words = report.words[0] if report.words else FindingWords("")
    first = report.findings[0] if words.asks or words.most else None
    if first and words.asks:
        cause = first.cause or first.summary
        return Lead(f"{words.asks} first", first.action or first.title, cause, first, words, now)
    return Lead("Verdict", report.advice, report.verdict.checked, first, replace(words, after=None), now)


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


def reliance(report: Report) -> tuple[str, list[str]]:
    """How good the evidence is, "strong", and why, without what notes say: "✓ 7 whole steps"."""
    found = report.capture_quality
    if found is None:
        return "", []
    titles = {note.title for note in report.trust}
    shown = [reason for reason in found.reasons if reason.text not in titles]
    return found.level, [f"{'✓' if reason.ok else '!'} {reason.text}" for reason in shown]


def run_line(report: Report, with_hosts: bool = True) -> str:
    """The run, its hosts (their number if there are more than ``HOSTS_NAMED``), the number of steps and the
    GPUs behind the report, and what recorded it unless XProf shows it."""
    few = len(report.hosts) <= HOSTS_NAMED
    hosts = ", ".join(report.hosts) if few else count(len(report.hosts), "host")
    names = ", ".join(sorted({d.name for d in report.devices if d.name}))
    used = sum(d.participates for d in report.devices)
    gpus = f"{used} of {count(len(report.devices), 'GPU')}" if report.devices else "no GPU"
    parts = (
        f"Run {report.run}",
        hosts if with_hosts else "",
        count(report.steps.count, "step"),
        f"{gpus} ({names})" if names else gpus,
        report.source if report.viewer != "XProf" else "",
    )
    return " · ".join(filter(None, parts))


def threshold_text(evidence: Evidence) -> str:
    """On which side of its threshold a value lies: "≥ 0.60 ms" or "≤ 40 µs"; nothing without one."""
    if evidence.threshold is None:
        return ""
    side = "threshold"
    if not isinstance(evidence.value, str):
        side = "≤" if evidence.value < evidence.threshold else "≥"
    return f"{side} {number_text(evidence.threshold, evidence.unit)}"
