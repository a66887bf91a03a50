"""The verdict repeats the first finding, and promises no more than the recording allows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.cli.output import fit
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import LOOKS_ONLY, After
from tfperf_plugin.report import model
from tfperf_plugin.report.render.agent import for_agent
from tfperf_plugin.report.render.budget import budget, claim_rows, stays_words
from tfperf_plugin.report.render.text import gain, to_markdown, to_text
from tfperf_plugin.report.render.verdict import verdict


@pytest.mark.parametrize("name", scenario_names())
def test_it_repeats_the_first_row(name: str) -> None:
    report = demo_report(name)
    found, text = verdict(report), to_text(report, color=False)
    first = report.findings[0] if report.findings else None
    acts = first is not None and first.severity != "info"
    assert found.first == (first if first and (first.saving or acts) else None)
    if found.first:
        words = found.first.action or found.first.title
        assert words in text.split("Step budget")[0]
        assert f"{found.first.severity} · {gain(found.first.saving)}" in text.split("Step budget")[0]
    if found.first and found.first.saving and found.first.after and report.ledger:
        # Simulated runs gain about what the finding claims.
        brings = report.ledger.step_ns - found.first.after.ns
        assert 0.9 * found.first.saving.ns <= brings <= found.first.saving.ns
    assert to_markdown(report).startswith("# ")
    if found.evidence in ("thin", "none") and found.after:
        assert found.after.startswith(("≥", "at most"))


def test_lines_fit_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = fit(to_text(demo_report("gpu_stagger"), color=False)).splitlines()
    assert lines[3:6] == [
        "Step time     30.1 ms · 9 steps, 30.1–30.2 ms",
        "After fix 1   22.1 ms · likely 20.4–23.3 ms · −27 %, 1.36×",
        "Change first  Give each GPU its own launch threads",
    ]
    # Words are never cut: an address or name may be longer.
    assert [line for line in lines if len(line) > 80 and len(line.split()) > 1] == []


@pytest.mark.parametrize("name", scenario_names())
def test_the_budget_adds_up(name: str) -> None:
    report = demo_report(name)
    if report.ledger is None:
        assert claim_rows(report) == ()
        return
    found = budget(report.ledger, report.findings)
    assert sum(block.ns for block in found.now) == report.ledger.step_ns
    edge = report.ledger.step_ns
    for claim in found.claims:
        assert claim.finding.saving is not None
        assert (claim.ns, claim.blocks[-1].begin_ns + claim.blocks[-1].ns) == (claim.finding.saving.ns, edge)
        edge = claim.blocks[0].begin_ns
    assert found.projected_ns == edge


def test_markdown_shows_the_budget() -> None:
    lines = to_markdown(demo_report("gpu_stagger")).splitlines()
    assert lines[2].startswith("Run gpu\\_stagger/")
    assert any(line.startswith("- Change first: Give each GPU its own launch threads · ") for line in lines)
    at = lines.index("## Step budget")
    assert [line for line in lines[at:] if line.startswith("|")][2:5] == [
        "|  | Now, mean of 9 steps × 4 GPUs | 30.1 ms | 100 % |",
        "| 1 | Launch skew across GPUs | −8.0 ms | 27 % |",
        "|  | Projected, with 1 of 1 finding fixed | 22.1 ms | 1.36× |",
    ]
    differ = demo_report("step_outliers")
    for said in (to_text(differ, color=False), to_markdown(differ)):
        assert "Now, mean of 15 usual steps" in said
        assert "39.1 ms · 15 usual steps" in said
        assert "151 ms in 4 rare long steps" in said
        assert "60 %), averaged over all steps" in " ".join(said.split())
        assert "Where a usual step goes" in said
        assert "Where a rare long step goes" in said
        assert "After fix" not in said  # what becomes shorter is no usual step
        assert "4 far longer ones are left out" in " ".join(said.split())


def test_an_agent_learns_how_to_verify() -> None:
    words = for_agent(demo_report("gpu_stagger"))
    assert words.startswith("# Give each GPU its own launch threads\n\nOne host thread launches")
    assert "```sh\nTF_GPU_THREAD_MODE=gpu_private python train.py\n```" in words
    assert words.endswith("is gone.\nLook at: Launch skew, median ≤ 0.60 ms.\n")
    assert for_agent(demo_report("healthy_single_gpu")) == ""


def test_groups_take_the_place_of_the_mean() -> None:
    report = make_report()
    groups = tuple(
        model.StepGroup(name, 2, (), ns, ns, ())
        for name, ns in (("3 hosts", 14_400_000), ("worker-3", 26_500_000))
    )
    steps = replace(report.steps, groups=groups)
    found = verdict(replace(report, steps=steps))
    assert found.now == "14.4 ms on 3 hosts, 26.5 ms on worker-3"
    assert found.after == "≥ 14.9 ms · −32 %, 1.48× on average"
    # What makes all steps alike makes none shorter than the short ones.
    first = replace(report.findings[0], after=After(14_900_000, 12_900_000, 15_700_000))
    found = verdict(replace(report, steps=steps, findings=(first,)))
    assert found.after == "14.9 ms · likely at most 15.7 ms · −32 %, 1.48× on average"


def test_a_wide_range_tells_its_longer_end() -> None:
    report = make_report()
    first = replace(report.findings[0], after=After(10_000_000, 6_000_000, 11_100_000))
    assert verdict(replace(report, findings=(first,))).after.startswith("10.0 ms · likely at most 11.1 ms · ")
    narrow = replace(first, after=After(10_000_000, 6_200_000, 11_100_000))
    assert verdict(replace(report, findings=(narrow,))).after.startswith("10.0 ms · likely 6.2–11.1 ms · ")


def test_what_only_finds_a_cause_promises_no_shorter_step() -> None:
    report = make_report()
    found = verdict(replace(report, findings=(replace(report.findings[0], id="unexplained-idle"),)))
    assert (found.asks, found.after) == ("Look first", "")
    assert {rule.id for rule in RULES} > LOOKS_ONLY


def test_one_step_has_one_length() -> None:
    report = make_report()
    bent = replace(report, steps=replace(report.steps, count=1, p50_ns=11_000_000))
    assert verdict(bent).now == "22.0 ms · 1 step"
    assert verdict(replace(bent, ledger=None)).now == "11.0 ms · 1 step, as the host marks it"
    items = tuple(
        replace(i, judged=k == 0, note="partial: its end was not recorded")
        for k, i in enumerate(bent.steps.items)
    )
    part = replace(bent, ledger=None, steps=replace(bent.steps, items=items))
    assert verdict(part).now == "11.0 ms · recorded part of one step, as the host marks it"
    assert "mean; the median is 11.0 ms" in verdict(replace(bent, steps=replace(bent.steps, count=3))).now
    # The median of two steps is one of them.
    assert verdict(replace(bent, steps=replace(bent.steps, count=2))).now == "22.0 ms · 2 steps"


def test_what_a_finding_brings_alone_explains_the_projection() -> None:
    report = make_report()
    first, *others = report.findings
    assert first.saving is not None
    less = replace(first, saving=replace(first.saving, alone_ns=first.saving.ns // 2 + 1))
    report = replace(report, findings=(less, *others))
    assert f"confidence · alone it brings {ms(first.saving.ns // 2 + 1)}" in to_text(report, color=False)
    even = replace(first, saving=replace(first.saving, alone_ns=first.saving.ns))
    assert "alone it brings" not in to_text(replace(report, findings=(even,)), color=False)


def test_what_brings_no_time_is_not_what_would_bring_most() -> None:
    report = demo_report("memory_headroom")
    first = report.findings[0]
    assert first.saving is None and first.severity == "info"
    text = to_text(report, color=False).split("Step budget")[0]
    assert "Most would bring" not in text and "confidence" not in text
    assert "Nothing to fix" in text


def test_a_long_unit_has_a_line_of_its_own() -> None:
    report = make_report()
    report = replace(report, steps=replace(report.steps, unit="call of 16 training steps"))
    lines = to_text(report, color=False).splitlines()
    at = lines.index("Time of a call of 16 training steps")
    assert lines[at + 1].startswith(" " * 14 + ms(report.ledger.step_ns if report.ledger else 0))
    assert lines[at + 2].startswith("After fix 1   ")


def test_a_thin_recording_promises_a_bound() -> None:
    thin = replace(make_report(), capture_quality=model.CaptureQuality("thin", ()))
    assert verdict(thin).after == "≥ 14.9 ms · −32 %, 1.48× at best"


def test_idle_time_of_what_is_no_step_is_not_called_unexplained() -> None:
    report = demo_report("h2d_copy_bound")
    assert report.ledger is not None
    idle = replace(report.ledger.accounts[0], id="idle.stagger", ns=report.ledger.step_ns, ratio=1.0)
    report = replace(report, findings=(), ledger=replace(report.ledger, accounts=(idle,), compute_parts=()))
    none = replace(report, steps=replace(report.steps, unit=""))
    assert report.ledger is not None and none.ledger is not None
    assert "Launch skew" in stays_words(report, budget(report.ledger, ()))
    assert stays_words(none, budget(none.ledger, ())) == ""
