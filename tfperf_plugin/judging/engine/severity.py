"""How severe a finding is by its saving, which saving is too little for one, and the rows that show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import Evidence, Unit
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.verdicts import Severity

# Share of the step that a saving must reach, most severe first.
SEVERITIES: Final[Mapping[Severity, Threshold]] = {
    "critical": Threshold("critical", 0.20, "ratio", "saving as a share of the step; XProf: 20 % for input"),
    "warning": Threshold("warning", 0.05, "ratio", "saving as a share of the step; XProf: 5 % for input"),
    "info": Threshold("info", 0.01, "ratio", "saving as a share of the step: less is no finding"),
}
LEAST: Final = SEVERITIES["info"]

LITTLE: Final = "{share:percent} of the step, below {least}."


def severity_at(share: float) -> Severity | None:
    """The severity of a saving of this share of the step; ``None`` below the lowest."""
    if share < LEAST.value:  # which may be tried out above the others
        return None
    return next(name for name, least in SEVERITIES.items() if share >= least.value)


def severity_of(saving_ns: int, step_ns: int) -> Severity | None:
    """The severity of a saving; ``None`` below the lowest."""
    return severity_at(saving_ns / step_ns) if step_ns > 0 else None


def lowest() -> str:
    """The lowest severity's share of the step, in words."""
    return f"{100 * LEAST.value:.3g} %"


def too_little(saving_ns: int, step_ns: int) -> Passed | None:
    """That a rule passes because so small a saving is no finding; ``None`` if it is one.

    The engine asks this of each finding; a rule asks only if it would say something else first, such as that
    data are missing.
    """
    return None if severity_of(saving_ns, step_ns) else _little(saving_ns / max(1, step_ns))


def weighed(verdict: Verdict, step_ns: int) -> Verdict:
    """The verdict, or ``Passed`` if what it claims and covers is too little for a finding.

    Without claims and severity of its own, the finding's ``impact_ratio`` decides both.
    """
    if not isinstance(verdict, Found) or (verdict.severity and not verdict.claims):
        return verdict
    if verdict.claims:
        return too_little(sum(map(verdict.reason_for, verdict.claims)), step_ns) or verdict
    severity = severity_at(verdict.impact_ratio)
    return replace(verdict, severity=severity) if severity else _little(verdict.impact_ratio)


def _little(share: float) -> Passed:
    return Passed(say(LITTLE, share=share, least=lowest()))


def known_row(
    label: str, value: float | str | None, unit: Unit, limit: float | None, source: str
) -> tuple[Evidence, ...]:
    """A row, if its value is known."""
    return () if value is None else (Evidence(label, value, unit, limit, source),)


def cost(
    label: str, ns: int, step_ns: int, source: str,
    of: str = "the step", by: str = "step budget", least: Threshold = LEAST,
) -> tuple[Evidence, Evidence]:  # fmt: skip
    """What something costs per step, in ns and as a share of the step, each beside the limit ``least``.

    ``source`` and ``by``: where the time and the share come from; ``of``: whose step it is.
    """
    return (
        Evidence(label, ns, "ns", int(least.value * step_ns), source),
        Evidence(f"share of {of}", ns / max(1, step_ns), "ratio", least.value, by),
    )
