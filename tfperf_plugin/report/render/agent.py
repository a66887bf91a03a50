"""The first finding as Markdown for an agent that is to mend it."""

from __future__ import annotations

from tfperf_plugin.judging.engine.words import gpu
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.plain import escape, safe
from tfperf_plugin.report.render.text import gain, number_text
from tfperf_plugin.report.render.verdict import verdict


def for_agent(report: Report) -> str:
    """What to do, why, what it brings, what was measured where, how to verify; "" without findings."""
    found = verdict(report)
    first = found.first
    if first is None:
        return ""
    measured = [(e, escape(e.label), number_text(e.value, e.unit)) for e in first.evidence]
    limits = [
        f"Look at: {label} {'≤' if e.value >= e.threshold else '≥'} {number_text(e.threshold, e.unit)}."
        for e, label, _ in measured
        if not isinstance(e.value, str) and e.threshold is not None
    ]
    places = [
        f"- {escape(p.label)}: {escape(' '.join(filter(None, (p.host, gpu(p.device or ''), p.stream))))}, "
        f"{p.begin_ms:,.3f}–{p.end_ms:,.3f} ms"
        for p in first.where
    ]
    lines = [
        f"# {escape(found.action)}",
        "",
        escape(found.cause),
        "",
        f"- Run: {escape(report.run)}",
        f"- {escape(found.unit)}: {escape(found.now)}",
        *([f"- After the fix: {escape(found.after)}"] if found.after else []),
        f"- Severity: {first.severity}; {gain(first.saving)}{first.confidence} confidence",
        f"- Evidence of the capture: {found.evidence}",
        "",
        "## Measured",
        *(f"- {label}: {escape(value)}" for _, label, value in measured),
        *(["", "## Places", *places] if places else []),
        *(["", "## Do", *(f"- {escape(one)}" for one in first.fix.actions)] if first.fix.actions else []),
        *(["", "```sh", safe(first.command), "```"] if first.command else []),
        "",
        "## Verify",
        f"Record again: the finding `{first.id}` is gone.",
        *limits[:1],
    ]
    return "\n".join(lines) + "\n"
