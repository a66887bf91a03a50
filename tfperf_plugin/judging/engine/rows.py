"""Rows of evidence that rules have in common."""

from __future__ import annotations

from tfperf_plugin.analysis.evidence import Evidence, Unit
from tfperf_plugin.judging.engine.rule import Threshold
from tfperf_plugin.judging.engine.severity import LEAST


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
