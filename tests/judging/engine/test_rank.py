"""Severity, order, folding, and a budget that no two findings share."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judging.engine.rules import found, rule
from tfperf_plugin.analysis.evidence import Confidence
from tfperf_plugin.judging.engine.rank import (
    CONFIDENCE_WEIGHT,
    Ranked,
    rank,
)
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.verdicts import Finding, Level, Severity

STEP = {"compute": 400, "idle.input": 300, "idle.launch": 200, "copy.h2d": 100}


def ranking(*verdicts: tuple[Rule, Found], level: Level = "strong", spare_ns: int | None = None) -> Ranked:
    return rank(verdicts, STEP, level, spare_ns)


def shown(ranked: Ranked) -> list[tuple[str | int | None, ...]]:
    """The findings in their order: id, saving in ns, and what is folded under it."""
    return [
        (f.id, f.saving.ns if f.saving else None, *sorted(e.id for e in f.explains)) for f in ranked.findings
    ]


def ids(ranked: Ranked) -> list[str]:
    return [f.id for f in ranked.findings]


@st.composite
def verdicts(draw: st.DrawFn) -> tuple[dict[str, int], list[tuple[Rule, Found]]]:
    """An average step and rules that claim more or less of it; some explain others, never in a circle."""
    average = {a: draw(st.integers(0, 1_000)) for a in STEP}
    confidences: list[Confidence] = ["high", "medium", "low"]
    severities: list[Severity | None] = [None, None, None, "info", "critical"]
    rows: list[tuple[Rule, Found]] = []
    for number in range(draw(st.integers(0, 6))):
        claims = draw(st.dictionaries(st.sampled_from(sorted(STEP)), st.integers(0, 1_500)))
        causes = draw(st.sets(st.integers(0, number - 1))) if number and draw(st.booleans()) else set()
        confidence = draw(st.sampled_from(confidences))
        rows.append(
            (
                rule(f"r{number}", explained_by=tuple(f"r{c}" for c in sorted(causes))),
                found(claims, confidence, draw(st.sampled_from(severities))),
            )
        )
    return average, draw(st.permutations(rows))


def with_folded(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for top in findings for f in (top, *top.explains)]


@given(verdicts(), st.sampled_from(get_args(Level)))
def test_savings_never_exceed_the_step_and_no_rule_is_lost(
    drawn: tuple[dict[str, int], list[tuple[Rule, Found]]], level: Level
) -> None:
    average, rows = drawn
    ranked = rank(rows, average, level)
    savings = [f.saving for f in with_folded(ranked.findings) if f.saving]

    assert sum(s.ns for s in savings) <= sum(average.values())
    notes = [f.severity == "info" for f in ranked.findings]
    assert notes == sorted(notes)
    shown = [f for f in ranked.findings if f.severity != "info"]
    impacts = [f.saving.ratio * CONFIDENCE_WEIGHT[f.confidence] if f.saving else 0.0 for f in shown]
    assert impacts == sorted(impacts, reverse=True)
    assert all(s.ns > 0 and s.ratio == s.ns / sum(average.values()) for s in savings)
    reported = [f.id for f in with_folded(ranked.findings)] + [r.id for r in ranked.too_small]
    assert Counter(reported) == Counter(r.id for r, _ in rows)


@given(verdicts())
def test_the_order_of_rules_does_not_matter(drawn: tuple[dict[str, int], list[tuple[Rule, Found]]]) -> None:
    average, rows = drawn

    assert rank(rows, average, "fair") == rank(sorted(rows, key=lambda r: r[0].id), average, "fair")


def test_shorter_kernels_save_no_more_than_the_host_leaves() -> None:
    """Those that share what the host leaves draw from it in turn; what saves launches does not."""
    ranked = ranking(
        (rule("faster", keeps_launches=True), found({"compute": 200})),
        (rule("also-faster", keeps_launches=True), found({"compute": 60})),
        (rule("fewer"), found({"compute": 100})),
        spare_ns=120,
    )

    assert {f.id: f.saving.ns for f in ranked.findings if f.saving} == {"faster": 120, "fewer": 100}
    assert "own work" in ranked.findings[0].summary
    assert (ids(ranked)[0], ranked.too_small) == ("faster", ())
    assert [(row.id, row.reason.partition(":")[0]) for row in ranked.later] == [
        ("also-faster", "Not before the host does less")
    ]


def test_launches_that_a_fix_adds_take_from_what_the_host_leaves() -> None:
    verdict = replace(found({"compute": 200}), launching_ns=50)
    ranked = ranking((rule("faster", keeps_launches=True), verdict), spare_ns=120)

    assert [f.saving.ns for f in ranked.findings if f.saving] == [70]
