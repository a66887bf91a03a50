"""What the rules share that say why steps wait for input."""

from __future__ import annotations

from typing import Any, Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rows import cost
from tfperf_plugin.judging.engine.severity import LEAST

BASIS: Final = "by how much a step is shorter if it never waits for its batch"
BESIDE: Final = "steps of the profile"


def waits(late: LateInput) -> bool:
    """Whether steps wait for input long enough for a finding, and again and again."""
    return late.ratio >= LEAST.value and not late.comes_once


def caused(late: LateInput, most_ns: float | None = None) -> dict[str, Any]:
    """What a finding costs that explains the wait, or at most so much of each step."""
    part = 1.0 if most_ns is None else min(1.0, most_ns / max(1, late.lost_ns))
    claims = {account: round(part * ns) for account, ns in late.claims.items()}
    costs = {"claims": claims, "impact_ratio": part * late.ratio, "basis": BASIS}
    return costs | {"where": late.where, "frees_input": True}


def waiting(late: LateInput) -> tuple[Evidence, ...]:
    """The wait in numbers."""
    return cost("a step waits for its batch", late.lost_ns, late.step_ns, BESIDE, by=BESIDE)
