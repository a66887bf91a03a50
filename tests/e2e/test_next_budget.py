"""The step budget: blocks that add up, edges that meet, ticks that project anew, and nothing that scrolls."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import DEMO_RUNS, demo_run
from tests.e2e.fakes import ask, recorded_report, show, widen
from tests.e2e.tab import Visit, fetch_report, whole_tab

BUDGETS = ("staggered", "thin", "grouped", "healthy", "what-if", "no-steps", "host-only")
EDGES = "all => all.map(one => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"
CUT = """all => all
    .filter(one => [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && /\\d/.test(data)))
    .filter(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const text = range.getBoundingClientRect();
        const around = one.closest('.block, .why') ?? one.closest('.row, .legend') ?? one;
        const box = around.getBoundingClientRect();
        const shown = text.top < box.bottom - 1 && text.bottom > box.top + 1;
        return shown && (text.left < box.left - 1 || text.right > box.right + 1);
    }).map(one => one.textContent)"""


def milliseconds(words: str | None) -> float:
    found = re.search(r"([\d.,]+)\u00a0(s|ms|µs)", words or "")
    assert found, words
    return float(found[1].replace(",", "")) * {"s": 1e3, "ms": 1, "µs": 1e-3}[found[2]]


def shown_ms(ns: int) -> Any:
    return pytest.approx(ns / 1e6, rel=0.05, abs=1e-3)


def edges(blocks: Locator) -> list[list[float]]:
    found: list[list[float]] = blocks.evaluate_all(EDGES)
    return found


@pytest.mark.parametrize("name", DEMO_RUNS)
def test_blocks_add_up_and_edges_meet(server: str, visit: Visit, name: str) -> None:
    tab, report = visit(server, demo_run(name)), fetch_report(server, demo_run(name))
    panel = tab.locator("tfperf-budget")
    step, claimed = report["ledger"]["step_ns"], [f for f in report["findings"] if f["saving"]]
    expect(panel.locator("#now .number b")).to_be_visible()

    assert milliseconds(panel.locator("#now .number b").text_content()) == shown_ms(step)
    now = edges(panel.locator("#now .block"))
    track = edges(panel.locator("#now .track"))[0]
    assert now[0][0] == pytest.approx(track[0], abs=1)
    assert now[-1][1] == pytest.approx(track[1], abs=1)
    rows = panel.locator("#now ~ .row.finding")
    expect(rows).to_have_count(len(claimed))
    right = track[1]
    for row, finding in zip(rows.all(), claimed, strict=True):
        assert milliseconds(row.locator(".number b").text_content()) == shown_ms(finding["saving"]["ns"])
        blocks = edges(row.locator(".block"))
        assert blocks[-1][1] == pytest.approx(right, abs=1)
        right = blocks[0][0]
    if claimed:
        left = step - sum(finding["saving"]["ns"] for finding in claimed)
        assert milliseconds(panel.locator("#projected .number b").text_content()) == shown_ms(left)
        assert edges(panel.locator("#projected .block"))[-1][1] == pytest.approx(right, abs=1)
        assert edges(panel.locator("#projected .gone"))[0][0] == pytest.approx(right, abs=1)
    else:
        expect(panel.locator("#projected")).to_have_count(0)


def test_unticking_projects_anew_as_the_route_says(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    tab, report = visit(server, run), fetch_report(server, run)
    panel = tab.locator("tfperf-budget")
    first, *others = [finding for finding in report["findings"] if finding["saving"]]
    query = urlencode({"run": run, "without": ",".join(finding["id"] for finding in others)})
    with urllib.request.urlopen(f"{server}data/plugin/diagnostics/predict?{query}") as response:
        found = json.load(response)
    box = panel.get_by_role("checkbox", name=first["title"])
    whole_tab(page)

    box.focus()
    page.keyboard.press("Space")

    expect(box).not_to_be_checked()
    expect(box).to_be_focused()
    said = panel.get_by_role("status")
    expect(said).to_contain_text(f"with {len(others)} of {len(others) + 1} findings fixed")
    expect(said).to_contain_text("Likely")
    assert milliseconds(said.text_content()) == shown_ms(found["predicted_ns"])
    expect(page).to_have_url(re.compile(r"p\.diagnostics\.without=" + others[0]["id"]))
    page.reload()
    expect(panel.get_by_role("checkbox", checked=False)).to_have_count(1)
    panel.get_by_role("checkbox", checked=False).check()
    expect(page).not_to_have_url(re.compile("without"))


def test_nothing_in_it_scrolls_the_page(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    tab, report = visit(server, run), fetch_report(server, run)
    frame = whole_tab(page)
    picks = tab.locator("tfperf-budget .pick")
    expect(picks).to_have_count(len(report["findings"]))
    expect(picks.first).to_have_attribute("aria-pressed", "true")
    frame.evaluate("scrollTo(0, 120)")

    def at() -> float:
        top: float = frame.evaluate("scrollY")
        return top

    before = at()
    picks.first.click()
    before = at()
    page.keyboard.press("j")
    expect(picks.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(rf"finding={report['findings'][1]['id']}"))
    expect(tab.get_by_text(report["findings"][1]["summary"])).to_be_attached()
    page.keyboard.press("x")
    expect(tab.locator("tfperf-budget").get_by_role("checkbox", checked=False)).to_have_count(1)
    page.keyboard.press("k")
    expect(picks.first).to_have_attribute("aria-pressed", "true")
    picks.nth(1).hover()
    assert at() == before


def test_marking_a_finding_moves_nothing(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    tab, report = visit(server, run), fetch_report(server, run)
    frame = whole_tab(page)
    done = tab.locator("tfperf-chosen-finding .actions").get_by_role("button", name="Done")
    done.scroll_into_view_if_needed()
    before = frame.evaluate("scrollY")

    done.click()

    expect(done).to_have_attribute("aria-pressed", "true")
    expect(done).to_be_focused()
    picks = tab.locator("tfperf-budget .pick")
    expect(picks.first).to_contain_text("marked as done")
    expect(picks.first).to_have_attribute("aria-pressed", "true")
    assert frame.evaluate("scrollY") == before
    page.reload()
    expect(picks.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(picks.nth(1)).to_contain_text(report["findings"][1]["title"])


@pytest.mark.parametrize("state", BUDGETS)
def test_it_fits_every_window_and_cuts_no_number(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)
    found = {}
    for fallback in (False, True):
        if fallback:
            widen(page)
        for width in (900, 1100, 1440, 1900):
            page.set_viewport_size({"width": width, "height": 900})
            wider = ask(page, "overflowing")
            if wider or (wider := page.locator("tfperf-budget :is(span, b, small)").evaluate_all(CUT)):
                found[width, fallback] = wider
    assert found == {}


def test_states_promise_no_more_than_is_known(fakes: str, page: Page) -> None:
    panel = page.locator("tfperf-budget")
    show(page, fakes, "thin")
    expect(panel.locator("#projected .number b")).to_have_text(re.compile("^≥\u00a0[0-9.]+\u00a0ms$"))
    expect(panel.get_by_text("What stays:")).to_be_visible()
    for state in ("host-only", "no-steps", "grouped", "healthy"):
        show(page, fakes, state)
        expect(panel.locator("#projected")).to_have_count(0)
        expect(panel.get_by_role("checkbox")).to_have_count(0)
    for state in ("host-only", "no-steps"):
        show(page, fakes, state)
        expect(panel.locator(".empty").first).not_to_be_empty()


def test_the_switch_shows_each_gpu_and_each_step(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    panel = page.locator("tfperf-budget")
    for name, bars in (("Each GPU", 4), ("Each step", 7), ("Mean GPU", 0)):
        panel.get_by_role("button", name=name, exact=True).click()
        expect(panel.locator(".bar")).to_have_count(bars)
    show(page, fakes, "grouped")
    for division in recorded_report("grouped")["budget"]["divisions"]:
        panel.get_by_role("button", name=division["name"]).click()
        expect(panel.locator("#now")).to_contain_text(division["basis"])
