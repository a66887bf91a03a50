"""Severity, order, folding, and a budget that no two findings share."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judging.engine.rules import found, rule
from tfperf_plugin.analysis.evidence import Confidence
from tfperf_plugin.judging.engine.rank import (
    CONFIDENCE_WEIGHT,
    Ranked,
    certain_of,
    rank,
)
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.engine.severity import severity_of
from tfperf_plugin.judging.verdicts import Finding, Level, Severity

STEP = {"compute": 400, "idle.input": 300, "idle.launch": 200, "copy.h2d": 100}


def ranking(*verdicts: tuple[Rule, Found], level: Level = "strong", spare_ns: int | None = None) -> Ranked:
    return rank(verdicts, STEP, level, spare_ns)


Case = tuple[Rule, Found]


def case(
    id_: str, claims: dict[str, int] | None = None, confidence: Confidence = "high",
    severity: Severity | None = None, impact: float = 0, covers: dict[str, int] | None = None, **how: Any,
) -> Case:  # fmt: skip
    """A rule that is declared so, with its finding."""
    verdict = replace(found(claims, confidence, severity, impact), covers=covers or {})
    return rule(id_, **how), verdict


def shown(ranked: Ranked) -> list[tuple[str | int | None, ...]]:
    """The findings in their order: id, saving in ns, and what is folded under it."""
    return [
        (f.id, f.saving.ns if f.saving else None, *sorted(e.id for e in f.explains)) for f in ranked.findings
    ]


def ids(ranked: Ranked) -> list[str]:
    return [f.id for f in ranked.findings]


@pytest.mark.parametrize(
    ("saving_ns", "expected"),
    [(200, "critical"), (199, "warning"), (50, "warning"), (49, "info"), (10, "info"), (9, None), (0, None)],
)
def test_severity_is_the_share_of_the_step(saving_ns: int, expected: Severity | None) -> None:
    assert severity_of(saving_ns, 1_000) == expected


def test_nothing_is_severe_in_a_step_of_no_length() -> None:
    assert severity_of(10, 0) is None


BY: dict[str, Any] = {"explained_by": ("cause",)}
COVERED: dict[str, Any] = {**BY, "needs_cover": True}
YIELDING: dict[str, Any] = {**BY, "yields_to": ("cause",)}
LARGE = case("symptom", {"idle.input": 300}, **BY)
BOTH = {"idle.input": 250, "copy.h2d": 50}


CASES: dict[str, tuple[list[Case], list[tuple[str | int | None, ...]]]] = {
    "a small cause hides no large symptom, where neither claims time": (
        [
            case("symptom", impact=0.4, severity="critical", **BY),
            case("cause", impact=0.3, severity="critical"),
        ],
        [("symptom", None), ("cause", None)],
    ),
    "a cause hides a symptom that costs about as much, where neither claims time": (
        [
            case("symptom", impact=0.4, severity="critical", **BY),
            case("cause", impact=0.33, severity="critical"),
        ],
        [("cause", None, "symptom")],
    ),
    "saving times confidence": (
        [
            case("unsure", {"compute": 250}, "medium"),  # 25 % × 0.7
            case("sure", {"idle.input": 200}),  # 20 %
            case("guess", {"idle.launch": 200}, "low"),  # 20 % × 0.4
        ],
        [("sure", 200), ("unsure", 250), ("guess", 200)],
    ),
    "the guides' order, then ids": (
        [
            case("d", {"compute": 50}, group="several_gpus"),
            case("b", {"compute": 50}),
            case("c", {"compute": 50}, group="precision"),
            case("z", {"compute": 50}, group="input"),
            case("a", {"compute": 50}),
        ],
        [("z", 50), ("a", 50), ("b", 50), ("c", 50), ("d", 50)],
    ),
    "what costs no step time by its impact, after what does": (
        [
            case("time", {"compute": 300}),
            case("capacity", severity="critical", impact=0.75),
            case("note", severity="info"),
        ],
        [("time", 300), ("capacity", None), ("note", None)],
    ),
    "notes come last and take what others leave": (
        [
            case("note", {"idle.launch": 150}, severity="info"),
            case("costly", {"idle.launch": 100}, "low"),
            case("capacity", severity="warning"),
        ],
        [("costly", 100), ("capacity", None), ("note", 100)],
    ),
    "no time is claimed twice": (
        [case("first", {"idle.input": 300}), case("second", {"idle.input": 250, "compute": 40})],
        [("first", 300), ("second", 40)],
    ),
    "the order is that of what is left to save": (
        [
            case("first", {"compute": 390}),
            case("second", {"compute": 380, "copy.h2d": 5}),  # 15 of it are left
            case("third", {"idle.input": 300}),
        ],
        [("first", 390), ("third", 300), ("second", 15)],
    ),
    "no more than the account holds": ([case("greedy", {"copy.h2d": 10_000})], [("greedy", 100)]),
    "a symptom under its cause": (
        [case("symptom", {"compute": 100}, **BY), case("cause", {"idle.launch": 100})],
        [("cause", 100, "symptom")],
    ),
    "a cause of other time hides nothing larger than itself": (
        [case("symptom", {"compute": 300}, **BY), case("cause", {"idle.launch": 100})],
        [("symptom", 300), ("cause", 100)],
    ),
    "folding goes through causes that are folded": (
        [
            case("symptom", {"compute": 100}, explained_by=("middle",)),
            case("middle", {"compute": 80}, **BY),
            case("cause", {"idle.launch": 100}),
        ],
        [("cause", 100, "middle", "symptom")],
    ),
    "a cause that was not found": ([LARGE], [("symptom", 300)]),
    "a cause below one percent explains nothing": (
        [case("cause", {"copy.h2d": 5}), LARGE], [("symptom", 300)],
    ),
    "a cause that covers enough": (
        [LARGE, case("cause", {"idle.input": 240, "compute": 200})], [("cause", 440, "symptom")],
    ),
    "a cause that covers too little": (
        [LARGE, case("cause", {"idle.input": 239, "compute": 200})], [("cause", 439), ("symptom", 61)],
    ),
    "of all": (
        [case("symptom", BOTH, **COVERED), case("cause", {"idle.input": 240, "compute": 200})],
        [("cause", 440, "symptom")],
    ),
    "too little of all": (
        [case("symptom", BOTH, **COVERED), case("cause", {"idle.input": 239, "compute": 200})],
        [("cause", 439), ("symptom", 111)],
    ),
    "nothing of all": (
        [case("symptom", BOTH, **COVERED), case("cause", {"idle.launch": 100})],
        [("symptom", 300), ("cause", 100)],
    ),
    "what claims nothing is covered by nothing": (
        [case("symptom", severity="info", **COVERED), case("cause", {"idle.launch": 100})],
        [("cause", 100), ("symptom", None)],
    ),
    "under what covers most": (
        [
            case("symptom", BOTH, explained_by=("small", "other", "large"), needs_cover=True),
            case("small", {"copy.h2d": 50}),
            case("other", {"idle.launch": 100}),
            case("large", {"idle.input": 250}),
        ],
        [("large", 250, "symptom"), ("other", 100), ("small", 50)],
    ),
    "a symptom yields what its cause explains": (
        [
            case("symptom", {"idle.input": 300}, **YIELDING),
            case("cause", {"idle.input": 100}, covers={"idle.input": 200}),
        ],
        [("cause", 100), ("symptom", 100)],
    ),
    "a cause that is too small is left nothing": (
        [case("cause", {"idle.launch": 9}), case("symptom", {"idle.launch": 100}, yields_to=("cause",))],
        [("symptom", 100)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_order_folding_and_budget(name: str) -> None:
    cases, expected = CASES[name]

    assert shown(ranking(*cases)) == expected


@pytest.mark.parametrize(("needs_cover", "covered"), [(False, 240), (True, 240), (False, 239), (True, 239)])
def test_a_cause_may_explain_more_than_it_claims(needs_cover: bool, covered: int) -> None:
    symptom = case("symptom", {"idle.input": 300}, needs_cover=needs_cover, **BY)
    cause = case("cause", {"idle.input": 120, "compute": 200}, covers={"idle.input": covered})
    found = shown(ranking(symptom, cause))

    assert sorted(found) == (
        [("cause", 320, "symptom")] if covered == 240 else [("cause", 320), ("symptom", 180)]
    )


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("strong", ("critical", "high")),
        ("fair", ("critical", "high")),
        ("thin", ("warning", "medium")),
        ("none", ("warning", "low")),
    ],
)
def test_evidence_caps_severity_and_confidence(level: Level, expected: tuple[str, str]) -> None:
    verdicts = [(rule("large"), found({"compute": 300})), (rule("idle"), found(severity="critical"))]

    assert [(f.severity, f.confidence) for f in ranking(*verdicts, level=level).findings] == [expected] * 2


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


def test_what_a_note_on_the_capture_doubts_is_of_no_high_confidence() -> None:
    doubt = (replace(rule("doubt", group="capture"), doubts=("idle.input",)), found({}))
    doubted = (rule("doubted"), found({"idle.input": 100, "compute": 1}, "high"))
    unsure = (rule("unsure"), found({"idle.input": 100}, "low"))
    apart = (rule("apart"), found({"compute": 100}, "high"))

    def confidence(*rules: tuple[Rule, Found]) -> dict[str, str]:
        return {rule.id: verdict.confidence for rule, verdict in certain_of(rules)}

    assert confidence(doubt, doubted, unsure, apart) == {
        "doubted": "medium",
        "unsure": "low",
        "apart": "high",
    }
    assert confidence(doubted, unsure) == {"doubted": "high", "unsure": "low"}


def test_what_a_cause_leaves_of_a_symptom_is_no_surer() -> None:
    symptom = case("symptom", {"idle.launch": 100}, needs_cover=True, **YIELDING)
    ranked = ranking(case("cause", {"idle.launch": 60}, "low"), symptom)

    assert shown(ranked) == [("cause", 60), ("symptom", 40)]
    assert [f.confidence for f in ranked.findings] == ["low", "low"]


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
