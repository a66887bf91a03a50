"""Rules made up for tests of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tfperf_plugin.analysis.evidence import Confidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Rule, Verdict
from tfperf_plugin.judging.verdicts import Group, Severity

PAGE = """# Title of {id}

Fix it.

## Why it matters

Why.

## How it is measured

So.

## What to do

Fix it.

### Any

1. Fix it.

## Limits

- None.

## Guide

[section](https://example.org)
"""


def passes() -> Verdict:
    return Passed("All is well.")


def rule(
    id: str,
    judge: Callable[..., Verdict] = passes,
    group: Group = "one_gpu",
    explained_by: tuple[str, ...] = (),
    needs_cover: bool = False,
    yields_to: tuple[str, ...] = (),
    keeps_launches: bool = False,
) -> Rule:
    """A rule whose page says nothing."""
    return Rule(
        id,
        group,
        PAGE.format(id=id),
        judge,
        explained_by=explained_by,
        needs_cover=needs_cover,
        yields_to=yields_to,
        keeps_launches=keeps_launches,
    )


def found(
    claims: Mapping[str, int] | None = None,
    confidence: Confidence = "high",
    severity: Severity | None = None,
    impact_ratio: float = 0.0,
) -> Found:
    """A verdict with claims in ns."""
    return Found(
        summary="Summary.",
        evidence=(),
        claims=claims or {},
        confidence=confidence,
        severity=severity,
        impact_ratio=impact_ratio,
    )
