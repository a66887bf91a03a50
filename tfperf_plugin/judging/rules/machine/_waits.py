"""What the rules share that say why steps wait for input."""

from __future__ import annotations

from typing import Any, Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.severity import LEAST, cost

WAITS = "A step of {step:ms} waits {wait:ms} for input."
BASIS: Final = "by how much a step is shorter if it never waits for its batch"
BESIDE: Final = "steps of the profile"


def waits(late: LateInput) -> bool:
    """Whether steps wait for input long enough for a finding, and again and again."""
    return late.steps_count > 0 and late.ratio >= LEAST.value and not late.comes_once


def caused(late: LateInput, *limit: Evidence, most_ns: float | None = None) -> dict[str, Any]:
    """What findings that explain the wait share: that it costs all of it, or at most ``most_ns`` of a step.

    ``limit``: what is at its limit, in numbers.
    """
    part = 1.0 if most_ns is None else min(1.0, most_ns / max(1, late.lost_ns))
    claims = {account: round(part * ns) for account, ns in late.claims.items()}
    costs = {"claims": claims, "impact_ratio": part * late.ratio, "basis": BASIS}
    wait = cost("a step waits for its batch", late.lost_ns, late.step_ns, BESIDE, by=BESIDE)
    return costs | {"evidence": (*limit, *wait), "where": late.where, "frees_input": True}
