"""What a pair of trainings showed, as a row of the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demo.capture_gpu.causes import Cause
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import Report

HEAD = (
    "cause",
    "first finding",
    "named first",
    "saving promised",
    "saving measured",
    "first finding without the cause",
)
NOT_JUDGED = "no GPU"


@dataclass(frozen=True)
class Pair:
    """A training with its cause and without it: length of a step, not profiled, and its report.

    ``failure``: why there is none of this.
    """

    cause: Cause
    planted_ns: int = 0
    healthy_ns: int = 0
    planted: Report | None = None
    healthy: Report | None = None
    failure: str = ""

    @property
    def judged(self) -> bool:
        """Whether kernels were recorded; on a CPU the rules on GPUs have nothing to judge."""
        return self.planted is not None and self.planted.ledger is not None

    @property
    def named_first(self) -> bool:
        return bool(self.planted and self.planted.findings[:1]) and self._first().id in self.cause.rules

    @property
    def promised(self) -> Finding | None:
        """The finding that names the cause, wherever it stands."""
        found = every(self.planted.findings) if self.planted else iter(())
        return next((finding for finding in found if finding.id in self.cause.rules), None)

    def _first(self) -> Finding:
        assert self.planted is not None
        return self.planted.findings[0]

    def cells(self) -> tuple[str, ...]:
        """The row of the table, in the order of ``HEAD``."""
        if self.failure:
            return (self.cause.name, f"failed: {self.failure}", "", "", "", "")
        promised = self.promised.saving if self.promised else None
        measured_ns = self.planted_ns - self.healthy_ns
        return (
            self.cause.name,
            first(self.planted),
            ("yes" if self.named_first else "no") if self.judged else NOT_JUDGED,
            f"{ms(promised.ns)}, {percent(promised.ratio)}" if promised else "–",
            f"{ms(measured_ns)}, {percent(measured_ns / max(1, self.planted_ns))}",
            first(self.healthy),
        )


def every(findings: Sequence[Finding]) -> Iterator[Finding]:
    """All findings in their order, those folded under another one after it."""
    for finding in findings:
        yield finding
        yield from every(finding.explains)


def first(report: Report | None) -> str:
    """The first finding with its share of the step; notes on the capture stand in nobody's way."""
    if report is None or not report.findings:
        return "nothing"
    finding = report.findings[0]
    return finding.id + (f", {percent(finding.saving.ratio)}" if finding.saving else "")


def table(pairs: Sequence[Pair], device: str, versions: str, steps: int) -> str:
    """Markdown: what was run, one row a cause, and what to know."""
    rows = [HEAD, ("---",) * len(HEAD), *(pair.cells() for pair in pairs)]
    judged = [pair for pair in pairs if pair.judged]
    lines = [f"{device}, {versions}; {steps} steps profiled.", ""]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines.append("")
    if judged:
        lines.append(f"{sum(p.named_first for p in judged)} of {len(judged)} causes are named first.")
    lines.append(
        "Promised: of a profiled step. Measured: how much longer a step takes with the cause than without, "
        "both without the profiler."
    )
    return "\n".join(lines) + "\n"
