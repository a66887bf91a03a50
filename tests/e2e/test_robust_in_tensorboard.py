"""In real TensorBoard: hostile text in every field, what cannot be had, and how soon one sees something."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.opening import main_thread, opened_ms, spent_ms, work
from tests.e2e.tab import Visit, fetch_report, heads, run_shown, whole_tab
from tests.security.hostile import RUN as HOSTILE_TEXT_RUN

OPEN_LIMIT_MS = 75
"""Processor time of the tab's main thread, which does not run while it waits for others. The smallest of six
openings is 42 to 63 ms, alone and beside two busy loops. Half as much again failed in 10 of 12 tries."""


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
    expect(run_shown(tab)).to_have_text(runs[0])
    frame = whole_tab(page)
    thread = main_thread(page, frame)
    took, same = [], []
    for run in 3 * [*reversed(runs)]:
        took.append(spent_ms(thread, opened_ms, frame, run))
        whole_tab(page)
        same.append(spent_ms(thread, work, frame))
    record_property(
        "processor ms from the choice to the headline, and for work that is the same", [took, same]
    )

    # Where others share the processor, all work takes more of its time.
    assert min(took) < max(OPEN_LIMIT_MS, 1.4 * min(same))
