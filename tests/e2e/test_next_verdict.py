"""The verdict: it says what the first finding says, and promises no more than is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from demo.build import build
from tests.conftest import REAL_PROFILES
from tests.e2e.conftest import DEMO_RUNS, REAL_RUN, demo_run
from tests.e2e.fakes import ask, recorded_report, show
from tests.e2e.tab import Visit, fetch_report, whole_tab

SHOWN = (
    "staggered", "crowded", "idle-gpus", "healthy", "thin", "grouped", "no-steps", "host-only", "many-hosts",
    "what-if", "marked", "better", "not-comparable",
)  # fmt: skip
NO_PROMISE = ("host-only", "no-steps", "healthy")
REFUSED = ("unreadable", "not-judgeable", "not-found")
NUMBER = re.compile(r"([\d.,]+)\s(s|ms|µs|ns)\b")
CUT = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
MORE = ("step_gaps", "allreduce_slow", "h2d_copy_bound")
RUNS = [*map(demo_run, (*DEMO_RUNS, *MORE)), *([REAL_RUN] if REAL_PROFILES.is_dir() else [])]


@pytest.fixture(scope="module")
def demos(logdir: Path, server: str) -> str:
    """The TensorBoard of all tests, with more demo runs from now on."""
    build(logdir, MORE)
    return server


def plain(part: Locator) -> str:
    return re.sub(r"\s+", " ", part.inner_text()).strip()


def ns(words: str) -> float:
    found = NUMBER.search(words)
    assert found, words
    return float(found[1].replace(",", "")) * {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}[found[2]]


def first_row(tab: FrameLocator | Page) -> Locator:
    return tab.locator("tfperf-budget .row.finding").first


@pytest.mark.parametrize("run", RUNS)
def test_the_verdict_is_that_of_row_1(demos: str, visit: Visit, run: str) -> None:
    tab, report = visit(demos, run), fetch_report(demos, run)
    panel = tab.locator("tfperf-verdict")
    expect(panel.locator("h1")).not_to_be_empty()
    first = report["findings"][0] if report["findings"] else None

    if first is None or first["severity"] == "info":
        expect(panel.locator("h1")).to_have_text(report["advice"])
        expect(panel.locator(".after")).to_have_count(0)
        return
    row = first_row(tab)
    expect(panel.locator("h1")).to_have_text(first["action"] or first["title"])
    expect(row.locator(".pick small")).to_have_text(first["action"])
    expect(panel.locator("tfperf-severity")).to_contain_text(first["severity"])
    expect(row.locator(".rank")).to_have_attribute("title", first["severity"])
    if first["saving"]:
        saved = first["saving"]["ns"]
        assert ns(plain(panel.locator(".saving"))) == pytest.approx(saved, rel=0.05)
        assert ns(plain(row.locator(".number b"))) == pytest.approx(saved, rel=0.05)


@pytest.mark.parametrize("state", ["staggered", "idle-gpus", "thin", "grouped"])
def test_the_verdict_of_a_state_is_that_of_row_1(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)
    panel = page.locator("tfperf-verdict")
    rank = page.locator("span.unseen", has_text=re.compile("^1, "))
    row = page.locator("tfperf-budget .row.finding").filter(has=rank)

    expect(row.locator(".pick small")).to_have_text(panel.locator("h1").inner_text())
    severity = plain(panel.locator("tfperf-severity span").first)[1:]  # without its icon
    expect(row.locator(".rank")).to_have_attribute("title", severity)
    saving = panel.locator(".saving").inner_text()
    if saving:
        assert ns(plain(row.locator(".number b"))) == ns(saving)


@pytest.mark.parametrize("state", SHOWN)
def test_it_fits_every_window_and_cuts_no_number(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)
    found: dict[int, Any] = {}
    for width in (900, 1100, 1440, 1900):
        page.set_viewport_size({"width": width, "height": 900})
        page.add_style_tag(content="body { letter-spacing: 0.03em; }")
        wider = ask(page, "overflowing") or page.locator(
            "tfperf-verdict :is(.big, .times, section > div)"
        ).evaluate_all(CUT)
        if wider:
            found[width] = wider
    assert found == {}


def test_verdict_and_budget_with_its_first_rows_are_on_the_first_screen(
    server: str, page: Page, visit: Visit
) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    tab = visit(server, demo_run("gpu_stagger"))
    whole_tab(page)
    row = first_row(tab)
    expect(row).to_be_visible()

    bottom = max(
        box["y"] + box["height"]
        for box in [row.bounding_box(), tab.locator("#projected").bounding_box()]
        if box
    )
    assert bottom < 900
    panel = tab.locator("tfperf-budget").bounding_box()
    assert panel and panel["y"] + panel["height"] < 900


def test_no_state_promises_what_is_not_known(fakes: str, page: Page) -> None:
    for state in NO_PROMISE:
        show(page, fakes, state)
        expect(page.locator("tfperf-verdict .after")).to_have_count(0)
        expect(page.locator("tfperf-budget #projected")).to_have_count(0)
    show(page, fakes, "thin")
    expect(page.locator("tfperf-verdict .after .big")).to_have_text(re.compile("^≥"))
    expect(page.locator("tfperf-budget #projected .number b")).to_have_text(re.compile("^≥"))
    for state in REFUSED:
        show(page, fakes, state)
        assert page.locator("tfperf-verdict, tfperf-budget, tfperf-compare").count() == 0
        expect(page.get_by_role("alert")).not_to_be_empty()
        expect(page.get_by_role("button", name="‹ Runs")).to_be_visible()


def test_thin_evidence_says_what_to_record_and_what_stays_idle(fakes: str, page: Page) -> None:
    show(page, fakes, "thin")
    band = page.locator("tfperf-verdict .band")

    expect(band).to_contain_text(recorded_report("thin")["trust"][0]["fix"]["summary"])
    expect(band.locator("code")).to_contain_text("profile_batch=(10, 20)")
    expect(band.get_by_role("button", name="Copy")).to_be_visible()
    expect(page.locator("tfperf-budget").get_by_text("What stays:")).to_be_visible()
    band.get_by_role("button", name="How").click()
    note = page.locator("tfperf-verdict .note-body h3")
    expect(note).to_contain_text("One step recorded, not the time after it")


def test_a_profile_of_the_host_shows_its_input_and_no_steps_show_shares(fakes: str, page: Page) -> None:
    show(page, fakes, "host-only")
    expect(page.locator("tfperf-verdict .band")).to_contain_text("No GPU events recorded")
    expect(page.locator("tfperf-budget h2")).to_have_text("Input pipeline")
    show(page, fakes, "no-steps")
    expect(page.locator("tfperf-budget h2")).to_have_text("Shares of the recording")
    expect(page.locator("tfperf-budget .row.bar .number").first).to_have_text(
        re.compile("^[1-9][0-9]\u00a0%$")
    )


def test_groups_are_named_and_their_mean_is_not(fakes: str, page: Page) -> None:
    show(page, fakes, "grouped")
    times = page.locator("tfperf-verdict .now .big")

    expect(times).to_have_count(2)
    now = recorded_report("grouped")["verdict"]["now"]
    assert [plain(one) for one in times.all()] == [f"{time['time']} {time['of']}" for time in now]
    expect(page.locator("tfperf-budget").get_by_role("button", name=re.compile("^Mean"))).to_have_count(0)


def test_a_finding_that_is_done_makes_way_for_the_next(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    tab, report = visit(server, run), fetch_report(server, run)
    whole_tab(page)
    panel = tab.locator("tfperf-verdict")
    first, second = report["findings"][:2]
    expect(panel.locator("h1")).to_have_text(first["action"])

    tab.locator("tfperf-chosen-finding .actions").get_by_role("button", name="Done").click()

    expect(panel.get_by_text("after the one you marked as done")).to_be_visible()
    expect(panel.locator("h1")).not_to_have_text(first["action"])
    if second["severity"] != "info":
        expect(panel.locator("h1")).to_have_text(second["action"])
        expect(panel.locator(".after .head")).to_have_text("After fixes 1 and 2")


def test_what_if_leaves_the_verdict_as_it_is(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    before = plain(page.locator("tfperf-verdict .after"))

    page.locator("tfperf-budget").get_by_role("checkbox").first.uncheck()

    expect(page.locator("tfperf-budget .track.pale")).to_have_count(1)
    expect(page.locator("tfperf-budget #projected")).to_contain_text("with 3 of 4 findings fixed")
    assert plain(page.locator("tfperf-verdict .after")) == before


def test_a_comparison_stacks_both_runs_and_keeps_tables_for_those_who_ask(fakes: str, page: Page) -> None:
    show(page, fakes, "better")
    panel = page.locator("tfperf-compare")

    expect(panel.locator(".verdict")).to_contain_text("Better: a step takes")
    bars = panel.locator("#chart").get_by_role("img")
    expect(bars).to_have_count(2)
    lefts = {round(box["x"]) for bar in bars.all() if (box := bar.bounding_box())}
    assert len(lefts) == 1
    accounts = panel.locator("#accounts")
    expect(accounts).not_to_be_visible()
    panel.get_by_text("What changed, in numbers").click()
    expect(accounts.locator("tbody tr").last).to_contain_text("together")
    panel.get_by_role("button", name="Stop comparing").click()
    expect(panel).to_have_count(0)
