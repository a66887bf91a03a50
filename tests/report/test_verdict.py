"""The verdict repeats the first finding, and promises no more than the recording allows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.build import run_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.cli.output import fit
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import After, Finding, Saving
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.budget import budget
from tfperf_plugin.report.panels.verdict import after_words, now_line, with_words
from tfperf_plugin.report.render.lines import after_line, claim_rows, lead
from tfperf_plugin.report.render.text import to_markdown, to_text


def after(report: model.Report) -> str:
    found = report.words[0].after
    return after_line(found) if found else ""


@pytest.mark.parametrize("name", run_names())
def test_it_repeats_the_first_row(name: str) -> None:
    report = demo_report(name)
    found, text = lead(report), to_text(report, color=False)
    first = report.findings[0] if report.findings else None
    acts = first is not None and first.severity != "info"
    assert found.finding == (first if first and (first.saving or acts) else None)
    if found.finding:
        words = found.finding.action or found.finding.title
        assert words in text.split("Step budget")[0]
        assert f"{found.finding.severity} · {found.words.saving}" in text.split("Step budget")[0]
    if found.finding and found.finding.saving and found.finding.after and report.ledger:
        # Simulated runs gain about what the finding claims.
        brings = report.ledger.step_ns - found.finding.after.ns
        assert 0.9 * found.finding.saving.ns <= brings <= found.finding.saving.ns
    assert to_markdown(report).startswith("# ")
    assert report.capture_quality
    if report.capture_quality.level in ("thin", "none") and found.words.after:
        assert found.words.after.time.startswith(("≥", "at most"))


def test_lines_fit_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = fit(to_text(demo_report("gpu_stagger"), color=False)).splitlines()
    assert lines[3:8] == [
        "Step time     30.1 ms · 9 steps, 30.1–30.2 ms",
        "After fix 1   22.1 ms · likely 19.4–22.7 ms · −27 %, 1.36×",
        "Training      Nothing is known beyond these 9 steps: tfperf record watches the",
        "              whole training.",
        "Change first  Give each GPU its own launch threads",
    ]
    # Words are never cut: an address or name may be longer.
    assert [line for line in lines if len(line) > 80 and len(line.split()) > 1] == []


@pytest.mark.parametrize("name", run_names())
def test_the_budget_adds_up(name: str) -> None:
    report = demo_report(name)
    found = report.budget
    if found is None:
        assert (report.ledger, claim_rows(report)) == (None, ())
        return
    assert report.ledger
    for one in (*found.divisions, *([found.rare] if found.rare else [])):
        edge = 0
        for block in one.blocks:
            assert block.begin_ns == edge
            edge += block.ns
        assert edge == one.step_ns
        assert len({account.id for account in one.legend}) == len(one.legend)
    edge = report.ledger.step_ns
    for claim in found.claims:
        saving = report.findings[claim.rank - 1].saving
        assert saving and (claim.ns, claim.begin_ns + claim.ns) == (saving.ns, edge)
        edge = claim.begin_ns
        if not report.steps.groups:
            mine = [block for block in found.divisions[0].blocks if block.owner == claim.rank]
            assert (mine[0].begin_ns, sum(block.ns for block in mine)) == (claim.begin_ns, claim.ns)
    assert found.projected_ns == edge


def test_groups_take_the_place_of_the_mean() -> None:
    report = make_report()
    groups = tuple(
        model.StepGroup(name, 2, (), ns, ns, ())
        for name, ns in (("3 hosts", 14_400_000), ("worker-3", 26_500_000))
    )
    steps = replace(report.steps, groups=groups)
    found = with_words(replace(report, steps=steps))
    assert now_line(found.verdict) == "14.4 ms on 3 hosts, 26.5 ms on worker-3"
    # What makes all steps alike makes none shorter than the short ones.
    likely = after_words(found, (1,), After(14_900_000, 12_900_000, 15_700_000))
    assert after_line(likely) == "14.9 ms · likely at most 15.7 ms · −32 %, 1.48× on average"
    # No step is like the mean: then only the difference is said.
    long = (replace(groups[0], p50_ns=18_000_000), replace(groups[1], name="long steps", count=1))
    found = with_words(replace(report, steps=replace(steps, groups=long)))
    assert now_line(found.verdict) == "14.4 ms on 3 hosts, 26.5 ms in 1 long step"
    assert after(found) == "7.1 ms less · −32 %, 1.48× on average"
    assert found.budget and found.budget.stays == ""
    assert [one.basis for one in found.budget.divisions] == ["mean of 2 steps of 3 hosts", "1 long step"]


def test_what_a_finding_brings_alone_explains_the_projection() -> None:
    report = make_report()
    assert report.input
    first = replace(report.findings[0], saving=Saving(7_000_000, 0.3, "", accounts={"compute": 7_000_000}))
    held = replace(report, findings=(first,), input=replace(report.input, needed_ns=18_000_000))
    assert "confidence · alone it brings 4.0 ms" in to_text(with_words(held), color=False)
    barely = replace(report, findings=(first,), input=replace(report.input, needed_ns=15_500_000))
    assert "alone it brings" not in to_text(with_words(barely), color=False)
    # Below half of what it claims, another than the first says so, too.
    late = replace(held, input=replace(report.input, needed_ns=22_000_000))
    assert first.saving
    fed = replace(first, saving=replace(first.saving, frees_input=True))
    small = replace(first, id="b", saving=replace(first.saving, ns=10, accounts={"compute": 10}))
    words = with_words(replace(late, findings=(fed, small, replace(small, id="c")))).words
    beside = [of.beside for of in words if of.beside]
    assert beside == ["only after 1: alone it brings nothing", "only after others: alone it brings nothing"]


def test_a_long_unit_has_a_line_of_its_own() -> None:
    report = make_report()
    report = with_words(replace(report, steps=replace(report.steps, unit="call of 16 training steps")))
    lines = to_text(report, color=False).splitlines()
    at = lines.index("Time of a call of 16 training steps")
    assert lines[at + 1].startswith(" " * 14 + ms(report.ledger.step_ns if report.ledger else 0))
    assert lines[at + 2].startswith("After fix 1   ")


def test_a_bound_says_how_much_of_it_is_start_up() -> None:
    thin = replace(make_report(), capture_quality=model.CaptureQuality("thin", ()))
    ledger = thin.ledger
    assert ledger

    def starting(ns: int) -> model.Report:
        accounts = (*ledger.accounts, model.Account("idle.startup", ns, ns / ledger.step_ns))
        return with_words(replace(thin, ledger=replace(ledger, accounts=accounts)))

    found = starting(4_000_000)
    assert after(found) == "≥ 14.9 ms · 4.0 ms of it start-up · −32 %, 1.48× at best"
    assert found.budget
    assert found.budget.stays.startswith("4.0 ms of start-up, which later steps do not have.")
    assert after(starting(40_000)) == after(with_words(thin))


def test_a_rule_that_claims_what_another_has_claimed_gets_what_is_left() -> None:
    report = make_report()
    first = report.findings[0]
    greedy = tuple(
        replace(first, id=id_, saving=Saving(ns, 0.1, "", accounts={"compute": ns}))
        for id_, ns in (("a", 20_000_000), ("b", 5_000_000), ("c", 1_000_000))
    )
    found = budget(replace(report, findings=greedy))
    assert found and [(claim.rank, claim.ns) for claim in found.claims] == [(1, 20_000_000), (2, 2_000_000)]
    assert (found.projected_ns, found.fixed) == (0, "with 2 of 2 findings fixed")


def test_a_finding_behind_one_that_saves_less_says_why() -> None:
    first = replace(make_report().findings[0], explains=())
    less, more = (
        replace(first, id=id_, confidence=sure, saving=Saving(ns, 0.1, "", accounts={"compute": ns}))
        for id_, sure, ns in (("a", "high", 2_000_000), ("b", "medium", 3_000_000))
    )

    def beside(*findings: Finding) -> list[str]:
        return [words.beside for words in with_words(replace(make_report(), findings=findings)).words]

    assert beside(less, more) == ["", "saves more than finding 1, but is less certain"]
    assert beside(less, replace(more, confidence="high")) == ["", ""]
    assert beside(more, less) == ["", ""]


def test_findings_that_save_no_time_are_not_counted_but_keep_their_numbers() -> None:
    first = make_report().findings[0]
    saving = Saving(2_000_000, 0.1, "", accounts={"compute": 2_000_000})
    without = replace(first, id="b", saving=None)
    several = (replace(first, id="a", saving=saving), without, replace(first, id="c", saving=saving))
    found = budget(replace(make_report(), findings=several))

    assert found and found.fixed == "with findings 1 and 3 fixed"
    found = budget(replace(make_report(), findings=(*several[::2], without)))
    assert found and found.fixed == "with 2 of 2 findings fixed"
