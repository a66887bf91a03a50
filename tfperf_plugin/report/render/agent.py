"""A finding as Markdown for an agent that is to fix it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.words import between_ms, gpu
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import AfterWords, FindingWords, Report
from tfperf_plugin.report.render.lines import after_line, now_line, number_text, threshold_text
from tfperf_plugin.report.render.plain import escape, safe


def agent_text(report: Report, finding: Finding, words: FindingWords) -> str:
    """What to do, why, what it brings, what was measured where, and how to verify that it worked."""
    return "\n".join(_lines(report, finding, words)) + "\n"


def _lines(report: Report, finding: Finding, words: FindingWords) -> Iterator[str]:
    yield f"# {escape(finding.action or finding.title)}"
    yield ""
    yield escape(finding.cause or finding.summary)
    yield ""
    yield f"- Run: {escape(report.run)}"
    name = f"{escape(finding.title)} (`{finding.id}`)"
    yield f"- Finding: {name}, {finding.severity}, {finding.confidence} confidence"
    yield f"- {escape(report.verdict.unit)}: {escape(now_line(report.verdict))}"
    if words.saving:
        yield f"- Saves {words.saving}"
    if words.after:
        yield f"- After the fix: {after_line(words.after)}"
    if report.capture_quality:
        yield f"- Evidence of the capture: {report.capture_quality.level}"
    yield from _part("Measured", map(_measured, finding.evidence))
    yield from _part("Places", map(_placed, finding.where))
    yield from _part("Do", (f"- {escape(one)}" for one in finding.fix.actions or (finding.fix.summary,)))
    if finding.command:
        yield from ("", "```sh", safe(finding.command), "```")
    aims = ", ".join(_aims(finding.evidence, words.after))
    yield from _part("Verify", (f"Record again: {aims}. The finding `{finding.id}` is gone then.",))


def _part(head: str, lines: Iterable[str]) -> Iterator[str]:
    if found := list(lines):
        yield from ("", f"## {head}", *found)


def _measured(item: Evidence) -> str:
    against = ", ".join(filter(None, (threshold_text(item), item.source)))
    value = escape(number_text(item.value, item.unit))
    return f"- {escape(item.label)}: {value}" + (f" ({escape(against)})" if against else "")


def _placed(place: Place) -> str:
    on = " ".join(filter(None, (place.host, gpu(place.device or ""), place.stream)))
    step = "" if place.step is None else f"step {place.step}, "
    label = f"{escape(place.label)}: " if place.label else ""
    return f"- {label}{escape(on)}, {step}{between_ms(place.begin_ms, place.end_ms)}"


def _aims(evidence: Iterable[Evidence], after: AfterWords | None) -> Iterator[str]:
    """ "Launch skew below 0.60 ms", "step near 22.1 ms"."""
    for item in evidence:
        if not isinstance(item.value, str) and item.threshold is not None:
            side = "above" if item.value < item.threshold else "below"
            yield f"{escape(item.label)} {side} {number_text(item.threshold, item.unit)}"
            break
    if after and not after.time.endswith("less"):
        least = after.time.startswith("≥ ")
        yield f"step no shorter than {after.time[2:]}" if least else f"step near {after.time}"
    yield "compare both runs"
