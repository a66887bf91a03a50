"""The run bar stays and leads to each part; sections say their answer and open on demand."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import HOSTILE_RUN, demo_run
from tests.e2e.fakes import show
from tests.e2e.tab import Visit, open_sections, wait_for_frame

RUN = demo_run("gpu_stagger")


def sections(tab: FrameLocator) -> Locator:
    """All sections, once they are there."""
    found = tab.locator("tfperf-sections section:has(> .head .title)")
    expect(found.first).to_be_visible()
    return found


def section(tab: FrameLocator | Page, id: str) -> Locator:
    return tab.locator(f"tfperf-sections #{id}")


def parts(tab: FrameLocator | Page) -> Locator:
    return tab.get_by_role("navigation", name="Parts of the report").get_by_role("button")


def opened(found: Locator) -> list[str]:
    ids: list[str] = found.evaluate_all("all => all.filter(one => one.matches('.open')).map(({ id }) => id)")
    return ids


def test_all_of_a_line_opens_and_closes_by_hand_and_by_keyboard(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server, RUN)
    found = sections(tab)
    memory = section(tab, "memory")

    memory.locator(".head").click()
    expect(memory.locator("tfperf-memory")).to_be_visible()
    title = memory.get_by_role("button", name="GPU memory")
    title.press("Enter")
    expect(title).to_have_attribute("aria-expanded", "false")
    expect(memory.locator("tfperf-memory")).to_have_count(0)
    title.press("Space")
    expect(title).to_have_attribute("aria-expanded", "true")
    section(tab, "communication").locator(".title").press("Enter")
    assert opened(found) == ["memory"]


def test_links_open_and_move_the_focus_below_the_bar(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    found = sections(tab)
    frame = wait_for_frame(page, "name=diagnostics")
    words = [one.locator(".title").inner_text() for one in found.all()]
    expect(parts(tab)).to_have_text(["Step budget", "Finding", *words])

    for link in parts(tab).all():
        link.focus()
        page.keyboard.press("Enter")
        place: Any = frame.evaluate(
            """() => {
                let at = document.activeElement;
                while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
                const { top, bottom } = at.getBoundingClientRect();
                const bar = document.querySelector('tfperf-app').shadowRoot.querySelector('tfperf-bar');
                return { heading: at.closest('h2') !== null, top, bottom,
                    bar: bar.getBoundingClientRect().bottom, end: innerHeight };
            }"""
        )
        assert place["heading"]
        assert place["bar"] <= place["top"]
        assert place["bottom"] <= place["end"]
        expect(link).to_have_attribute("aria-current", "true")
        assert parts(tab).and_(tab.locator("[aria-current]")).count() == 1
    assert opened(found) == [one.get_attribute("id") for one in found.all()]
    frame.evaluate("scrollTo(0, 0)")
    expect(parts(tab).first).to_have_attribute("aria-current", "true")
    assert frame.evaluate("window.location.hash") == ""


def test_nothing_that_tab_reaches_lies_under_the_bar(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    sections(tab)
    frame = wait_for_frame(page, "name=diagnostics")
    parts(tab).last.click()
    for _ in range(25):
        page.keyboard.press("Shift+Tab")
        top, bar, inside = frame.evaluate(
            """() => {
                let at = document.activeElement, inside = false;
                while (at.shadowRoot?.activeElement) {
                    at = at.shadowRoot.activeElement;
                    inside ||= at.localName === 'tfperf-bar';
                }
                const bar = document.querySelector('tfperf-app').shadowRoot.querySelector('tfperf-bar');
                return [at.getBoundingClientRect().top, bar.getBoundingClientRect().bottom, inside];
            }"""
        )
        assert inside or top >= bar


def test_it_fits_every_window(server: str, page: Page, visit: Visit) -> None:
    """All parts there are, with long names."""
    tab = visit(server, HOSTILE_RUN)
    sections(tab)
    frame = wait_for_frame(page, "name=diagnostics")
    open_sections(tab)
    too_wide = {}
    for width in (900, 1100, 1440, 1900):
        page.set_viewport_size({"width": width, "height": 900})
        wide = frame.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        height = tab.locator("tfperf-bar").evaluate("bar => bar.getBoundingClientRect().height")
        if wide or height != 81:
            too_wide[width] = (wide, height)
    assert too_wide == {}


def test_on_a_narrow_screen_an_answer_has_all_of_the_width(fakes: str, page: Page) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    show(page, fakes, "staggered")
    answer = page.locator("tfperf-sections .answer").first
    expect(answer).to_be_visible()

    widths = answer.evaluate("found => [found.clientWidth, found.closest('.head').clientWidth]")
    assert widths[0] > 0.85 * widths[1]
