"""In real TensorBoard: hostile text in every field, what cannot be had, and how soon one sees something."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import HELD_FRAMES, ask
from tests.e2e.opening import floor_ms, opened_ms
from tests.e2e.tab import Visit, fetch_report, heads, wait_for_frame, whole_tab
from tests.security.hostile import RUN as HOSTILE_TEXT_RUN

OPEN_LIMIT_MS = 100


@pytest.mark.own_window
def test_the_first_paint_in_tensorboard_waits_for_nothing_below_the_bars(
    server: str, page: Page, visit: Visit
) -> None:
    page.add_init_script(HELD_FRAMES)
    tab = visit(server, demo_run("input_bound"))
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    expect(tab.locator("tfperf-budget .row").first).to_be_visible()
    expect(tab.locator("tfperf-finding")).to_have_count(0)
    expect(tab.get_by_text("Types of ops")).to_have_count(0)

    frame = wait_for_frame(page, "name=diagnostics")
    frame.evaluate("releaseFrames()")
    expect(tab.get_by_text("Types of ops")).to_be_visible()
    expect(tab.locator("tfperf-memory svg").first).to_be_visible()
    assert ask(frame, "paintTook") > 0


def test_a_report_is_shown_without_explanations_if_they_cannot_be_had(
    server: str, page: Page, visit: Visit
) -> None:
    page.route("**/diagnostics/glossary", lambda route: route.abort())
    tab = visit(server, demo_run("input_bound"))

    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    expect(tab.locator(".advice tfperf-term")).to_have_count(0)
    expect(tab.get_by_text("Types of ops")).to_be_visible()


def test_hostile_text_in_every_field_stays_text_in_the_tab(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, HOSTILE_TEXT_RUN)
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    expect(tab.locator("tfperf-finding-timeline canvas").first).to_be_visible()
    frame = whole_tab(page)
    for head in heads(tab).all():
        head.click()
    tab.locator("details").evaluate_all("all => all.forEach(details => { details.open = true; })")

    expect(tab.get_by_text("<img src=x onerror=top.hacked=1>").first).to_be_attached()
    assert tab.locator("img, iframe, object, embed, tfperf-app script").count() == 0
    assert tab.locator("[onerror], [onclick], [onload]").count() == 0
    links = tab.locator("a[href]").evaluate_all("all => all.map(link => link.href)")
    assert links and all(link.startswith(("http://", "https://", "blob:")) for link in links)
    assert page.evaluate("window.hacked") is None
    assert frame.evaluate("window.hacked") is None


def test_a_cached_report_opens_soon_after_its_run_is_chosen(
    server: str, page: Page, visit: Visit, record_property: Callable[[str, object], None]
) -> None:
    runs = [demo_run("input_bound"), demo_run("gpu_stagger")]
    for run in runs:
        fetch_report(server, run)
    tab = visit(server, runs[0])
    whole = "() => document.querySelector('tfperf-app')?.parts === 3"
    frame = wait_for_frame(page, "name=diagnostics")
    frame.wait_for_function(whole)
    floor = min(floor_ms(frame) for _ in range(5))
    took = []
    for run in 3 * [*reversed(runs)]:
        took.append(opened_ms(frame, run))
        frame.wait_for_function(whole)
        expect(tab.locator("tfperf-finding").first).to_be_visible()
    record_property("ms from the choice to the headline, and for nothing", [took, floor])

    # Browser and server take a while for nothing, on a busy machine longer.
    assert min(took) < max(OPEN_LIMIT_MS, 6 * floor)
