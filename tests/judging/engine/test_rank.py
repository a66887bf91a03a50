"""Severity, order, folding, and a budget that no two findings share."""

from __future__ import annotations

from collections import Counter

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
    trust_findings,
)
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.engine.severity import severity_of
from tfperf_plugin.judging.verdicts import Finding, Group, Severity

STEP = {"compute": 400, "idle.input": 300, "idle.launch": 200, "copy.h2d": 100}
ENOUGH = 10


def ranking(*verdicts: tuple[Rule, Found], steps: int = ENOUGH, spare_ns: int | None = None) -> Ranked:
    return rank(verdicts, STEP, steps, spare_ns)


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


def test_saving_times_confidence_decides() -> None:
    ranked = ranking(
        (rule("unsure"), found({"compute": 250}, "medium")),  # 25 % × 0.7
        (rule("sure"), found({"idle.input": 200}, "high")),  # 20 %
        (rule("guess"), found({"idle.launch": 200}, "low")),  # 20 % × 0.4
    )

    assert ids(ranked) == ["sure", "unsure", "guess"]
    assert [f.severity for f in ranked.findings] == ["critical", "critical", "critical"]
    assert [f.saving.ns for f in ranked.findings if f.saving] == [200, 250, 200]


def test_equals_follow_the_guides_order_then_their_ids() -> None:
    groups: list[tuple[str, Group]] = [
        ("d", "several_gpus"), ("b", "one_gpu"), ("c", "precision"), ("z", "input"), ("a", "one_gpu"),
    ]  # fmt: skip
    ranked = ranking(*((rule(i, group=g), found({"compute": 50})) for i, g in groups))

    assert ids(ranked) == ["z", "a", "b", "c", "d"]


def test_what_costs_no_step_time_ranks_by_its_impact_after_what_does() -> None:
    ranked = ranking(
        (rule("time"), found({"compute": 300})),
        (rule("capacity"), found(severity="critical", impact_ratio=0.75)),
        (rule("note"), found(severity="info")),
    )

    assert ids(ranked) == ["time", "capacity", "note"]
    assert [f.saving for f in ranked.findings if f.id != "time"] == [None, None]


def test_notes_come_last_and_take_what_others_leave() -> None:
    ranked = ranking(
        (rule("note"), found({"idle.launch": 150}, severity="info")),
        (rule("costly"), found({"idle.launch": 100}, "low")),
        (rule("capacity"), found(severity="warning")),
    )

    assert ids(ranked) == ["costly", "capacity", "note"]
    assert [f.saving.ns for f in ranked.findings if f.saving] == [100, STEP["idle.launch"] - 100]


def test_two_findings_never_claim_the_same_time() -> None:
    ranked = ranking(
        (rule("first"), found({"idle.input": 300})),
        (rule("second"), found({"idle.input": 250, "compute": 40})),
    )

    assert [(f.id, f.saving.ns) for f in ranked.findings if f.saving] == [("first", 300), ("second", 40)]


def test_a_finding_without_time_of_its_own_says_where_it_went() -> None:
    ranked = ranking(
        (rule("first"), found({"idle.input": 300})), (rule("second"), found({"idle.input": 250}))
    )

    assert ids(ranked) == ["first"]
    assert [(r.id, r.reason) for r in ranked.too_small] == [
        ("second", "0 % of the step, below 1 %; the rest is counted under another finding.")
    ]


def test_a_claim_is_cut_to_what_the_account_holds() -> None:
    (finding,) = ranking((rule("greedy"), found({"copy.h2d": 10_000}))).findings

    assert finding.saving is not None
    assert (finding.saving.ns, finding.saving.ratio) == (100, 0.1)


def test_symptoms_are_folded_under_their_cause() -> None:
    ranked = ranking(
        (rule("symptom", explained_by=("cause",)), found({"compute": 100})),
        (rule("cause"), found({"idle.launch": 100})),
    )
    (cause,) = ranked.findings

    assert cause.id == "cause"
    assert [(f.id, f.saving) for f in cause.explains] == [("symptom", None)]


def test_a_cause_of_other_time_hides_nothing_larger_than_itself() -> None:
    ranked = ranking(
        (rule("symptom", explained_by=("cause",)), found({"compute": 300})),
        (rule("cause"), found({"idle.launch": 100})),
    )

    assert ids(ranked) == ["symptom", "cause"]


def test_folding_goes_through_causes_that_are_folded_themselves() -> None:
    ranked = ranking(
        (rule("symptom", explained_by=("middle",)), found({"compute": 100})),
        (rule("middle", explained_by=("cause",)), found({"compute": 80})),
        (rule("cause"), found({"idle.launch": 100})),
    )

    assert [(f.id, {e.id for e in f.explains}) for f in ranked.findings] == [("cause", {"symptom", "middle"})]


@pytest.mark.parametrize(("covered", "expected"), [(240, ["cause"]), (239, ["cause", "symptom"])])
def test_a_symptom_stays_if_its_cause_covers_too_little_of_it(covered: int, expected: list[str]) -> None:
    ranked = ranking(
        (rule("symptom", explained_by=("cause",)), found({"idle.input": 300})),
        (rule("cause"), found({"idle.input": covered, "compute": 200})),
    )

    assert ids(ranked) == expected
    assert sum(f.saving.ns for f in ranked.findings if f.saving) == (440 if covered == 240 else 500)


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"idle.input": 240}, ["cause"]),
        ({"idle.input": 239}, ["cause", "symptom"]),
        ({"idle.launch": 100}, ["symptom", "cause"]),  # nothing in common
    ],
)
def test_a_cause_may_have_to_cover_all_of_a_symptom(claims: dict[str, int], expected: list[str]) -> None:
    symptom = rule("symptom", explained_by=("cause",), needs_cover=True)
    ranked = ranking(
        (symptom, found({"idle.input": 250, "copy.h2d": 50})),
        (rule("cause"), found({**claims, "compute": 200 if "idle.input" in claims else 0})),
    )

    assert ids(ranked) == expected


@pytest.mark.parametrize(("needs_cover", "covered"), [(False, 240), (True, 240), (False, 239), (True, 239)])
def test_a_cause_may_explain_more_than_it_claims(needs_cover: bool, covered: int) -> None:
    symptom = rule("symptom", explained_by=("cause",), needs_cover=needs_cover)
    cause = replace(found({"idle.input": 120, "compute": 200}), covers={"idle.input": covered})
    ranked = ranking((symptom, found({"idle.input": 300})), (rule("cause"), cause))

    assert sorted(ids(ranked)) == (["cause"] if covered == 240 else ["cause", "symptom"])
    assert sum(f.saving.ns for f in ranked.findings if f.saving) == (320 if covered == 240 else 500)


def test_a_symptom_yields_what_its_cause_explains() -> None:
    symptom = rule("symptom", explained_by=("cause",), yields_to=("cause",))
    cause = replace(found({"idle.input": 100}), covers={"idle.input": 200})
    ranked = ranking((symptom, found({"idle.input": 300})), (rule("cause"), cause))

    assert {f.id: f.saving.ns for f in ranked.findings if f.saving} == {"cause": 100, "symptom": 100}


def test_what_has_to_be_covered_is_shown_under_what_covers_most() -> None:
    symptom = rule("symptom", explained_by=("small", "other", "large"), needs_cover=True)
    verdicts = [
        (symptom, found({"idle.input": 250, "copy.h2d": 50})),
        (rule("small"), found({"copy.h2d": 50})),
        (rule("other"), found({"idle.launch": 100})),
        (rule("large"), found({"idle.input": 250})),
    ]

    assert {f.id: [e.id for e in f.explains] for f in ranking(*verdicts).findings} == {
        "large": ["symptom"],
        "other": [],
        "small": [],
    }


def test_what_claims_nothing_is_covered_by_nothing() -> None:
    symptom = rule("symptom", explained_by=("cause",), needs_cover=True)
    verdicts = [(symptom, found(severity="info")), (rule("cause"), found({"idle.launch": 100}))]

    assert ids(ranking(*verdicts)) == ["cause", "symptom"]


def test_a_symptom_whose_cause_was_not_found_stands_alone() -> None:
    assert ids(ranking((rule("symptom", explained_by=("cause",)), found({"compute": 300})))) == ["symptom"]


def test_few_steps_cap_severity_and_lower_confidence() -> None:
    verdicts = [(rule("large"), found({"compute": 300})), (rule("idle"), found(severity="critical"))]

    assert [(f.severity, f.confidence) for f in ranking(*verdicts, steps=2).findings] == [
        ("warning", "medium")
    ] * 2
    assert [(f.severity, f.confidence) for f in ranking(*verdicts, steps=3).findings] == [
        ("critical", "high")
    ] * 2


def test_notes_on_the_capture_come_by_severity_without_savings() -> None:
    notes = trust_findings(
        [
            (rule("b", group="capture"), found(severity="info")),
            (rule("c", group="capture"), found(severity="critical")),
            (rule("a", group="capture"), found({"compute": 300}, severity="info")),
        ]
    )

    assert [f.id for f in notes] == ["c", "a", "b"]
    assert [f.saving for f in notes] == [None] * 3


def test_the_order_is_that_of_what_is_left_to_save() -> None:
    ranked = ranking(
        (rule("first"), found({"compute": 390})),
        (rule("second"), found({"compute": 380, "copy.h2d": 5})),  # 15 of it are left
        (rule("third"), found({"idle.input": 300})),
    )

    assert [(f.id, f.saving.ns) for f in ranked.findings if f.saving] == [
        ("first", 390),
        ("third", 300),
        ("second", 15),
    ]


def test_a_cause_below_one_percent_explains_nothing() -> None:
    ranked = ranking(
        (rule("cause"), found({"copy.h2d": 5})),
        (rule("symptom", explained_by=("cause",)), found({"idle.input": 300})),
    )

    assert ids(ranked) == ["symptom"]
    assert [r.id for r in ranked.too_small] == ["cause"]


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


@given(verdicts(), st.integers(0, 5))
def test_savings_never_exceed_the_step_and_no_rule_is_lost(
    drawn: tuple[dict[str, int], list[tuple[Rule, Found]]], complete_steps: int
) -> None:
    average, rows = drawn
    ranked = rank(rows, average, complete_steps)
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

    assert rank(rows, average, ENOUGH) == rank(sorted(rows, key=lambda r: r[0].id), average, ENOUGH)


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


def test_a_symptom_leaves_its_cause_what_both_claim() -> None:
    cause = rule("cause"), found({"idle.launch": 60}, "low")
    symptom = (
        rule("symptom", explained_by=("cause",), needs_cover=True, yields_to=("cause",)),
        found({"idle.launch": 100}, "high"),
    )
    ranked = ranking(cause, symptom)

    assert [(f.id, f.saving.ns) for f in ranked.findings if f.saving] == [("cause", 60), ("symptom", 40)]
    assert [f.confidence for f in ranked.findings] == ["low", "low"]  # what is left is no surer


def test_a_cause_that_is_too_small_is_left_nothing() -> None:
    cause = rule("cause"), found({"idle.launch": 9})
    symptom = rule("symptom", yields_to=("cause",)), found({"idle.launch": 100})

    assert [f.saving.ns for f in ranking(cause, symptom).findings if f.saving] == [100]


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
    assert [row.id for row in ranked.too_small] == ["also-faster"]
    assert "the host needs for its own work" in ranked.too_small[0].reason


def test_a_cause_that_the_host_leaves_nothing_of_explains_nothing() -> None:
    cause, symptom = rule("cause", keeps_launches=True), rule("symptom", explained_by=("cause",))
    ranked = ranking((cause, found({"compute": 200})), (symptom, found({"compute": 100})), spare_ns=5)

    assert ids(ranked) == ["symptom"]
