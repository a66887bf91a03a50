"""The Communication section: measured beside estimated, typed in place without moving anything, and who comes
last."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import settle, show
from tests.e2e.tab import Visit, fetch_report, wait_for_frame, whole_tab

RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")
FIRST_ESTIMATE = "120\xa0GB/s"
"""What NVLink 2 reaches between V100s."""
WATCH = """input => {
    const own = input.getRootNode();
    const above = [input, ...own.querySelectorAll('p, h3, .tiles li')].filter(one => one === input
        || input.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING);
    const seen = new Set();
    const look = () => {
        seen.add(JSON.stringify([scrollY, own.activeElement === input,
            ...above.map(one => one.getBoundingClientRect()).map(({ x, y, width }) => [x, y, width])]));
        window.watching = requestAnimationFrame(look);
    };
    window.watched = seen;
    look();
}"""
WATCHED = """() => {
    cancelAnimationFrame(window.watching);
    return [...window.watched].map(one => JSON.parse(one));
}"""
TIP_OVER = """tip => {
    const box = tip.getBoundingClientRect();
    const parts = 'h3, li, p, td, summary, #chart text, #chart g > rect:not(.slot)';
    const near = [...tip.getRootNode().querySelectorAll(parts)];
    return near.filter(one => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return right > box.left + 1 && left < box.right - 1 && bottom > box.top + 1 && top < box.bottom - 1;
    }).map(one => one.localName + one.textContent);
}"""


def section(tab: FrameLocator | Page) -> Locator:
    return tab.locator("tfperf-communication")


def per_step(card: Locator, term: str) -> Locator:
    """The number under this term."""
    return card.get_by_role("listitem").filter(has_text=re.compile(rf"^\s*{term}")).locator("b")


def enter(field: Locator, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def ms(ns: float) -> str:
    return f"{ns / 1e6:.2g}\xa0ms"


GONE = [0, 0, 0]


def test_typing_moves_nothing(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    card = section(tab)
    whole_tab(page)
    field = card.get_by_label("Bandwidth of one GPU")
    expect(field).to_have_attribute("placeholder", FIRST_ESTIMATE)
    parameters = fetch_report(server, RUN)["allreduce"]["parameters"]
    field.scroll_into_view_if_needed()
    field.focus()
    frame = wait_for_frame(page, "name=diagnostics")
    field.evaluate(WATCH)

    for text, gbps in (("90 GB/s", 90), ("NVLink 3", 300), ("200", 200)):
        field.fill("")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(per_step(card, "guide estimate")).to_have_text(re.compile(f"^{ms(parameters * 4 / gbps)[:2]}"))
        expect(card.get_by_text("Recomputing")).to_have_count(0)
    field.fill("fast")
    page.keyboard.press("Enter")
    expect(card.get_by_role("alert")).to_contain_text("not 'fast'.")
    field.fill("")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("placeholder", FIRST_ESTIMATE)
    settle(frame)

    (scroll, has_focus, *boxes), *others = frame.evaluate(WATCHED)
    assert has_focus
    for at, focus, *there in others:
        assert (at, focus) == (scroll, True)
        # What is not known of a stated bandwidth leaves the card; what stays does not move.
        assert sum(now == GONE for now in there) <= 2
        for before, now in zip(boxes, there, strict=True):
            assert now == GONE or now == pytest.approx(before, abs=1)


def test_a_finding_that_comes_or_goes_leaves_the_field_where_it_is(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server, HOSTS_RUN)
    whole_tab(page)
    field = section(tab).get_by_label("Bandwidth of one GPU")
    picks = tab.locator("tfperf-budget .pick")
    expect(picks).to_have_count(1)
    field.scroll_into_view_if_needed()
    field.focus()
    frame = wait_for_frame(page, "name=diagnostics")
    settle(frame)
    field.evaluate(WATCH)

    for text, findings in (("600 GB/s", 2), ("20 GB/s", 1)):
        enter(field, text)
        expect(picks).to_have_count(findings)
        settle(frame)

    (_, _, before, *_), *others = frame.evaluate(WATCHED)
    assert others
    for _, focus, there, *_ in others:
        assert focus
        assert there == pytest.approx(before, abs=1)


def test_a_tip_of_the_chart_covers_nothing(server: str, page: Page, visit: Visit) -> None:
    card = section(visit(server, RUN))
    whole_tab(page)
    for width in (900, 1440):
        page.set_viewport_size({"width": width, "height": 1000})
        chart = card.locator("#chart svg")
        chart.focus()
        expect(card.locator("#chart .tip")).to_contain_text("measured transfer")
        for _ in range(4):
            assert card.locator("#chart .tip").evaluate(TIP_OVER) == []
            page.keyboard.press("ArrowRight")
        chart.blur()


def test_beside_each_other_where_there_is_room(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    for width, beside in ((1440, True), (1180, True), (1100, False), (900, False)):
        page.set_viewport_size({"width": width, "height": 900})
        chart, table = (section(page).locator(".pair > div").nth(i).bounding_box() for i in (0, 1))
        assert chart
        assert table
        assert (table["x"] > chart["x"] + chart["width"]) == beside
        assert (table["y"] >= chart["y"] + chart["height"]) != beside
