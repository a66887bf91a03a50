"""What only the whole page shows: the first screen, a hand that moves nothing, every width, no promise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Frame, Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import ask, settle, show, state_names, widen
from tests.e2e.tab import Visit, fetch_report, whole_tab

RUN = demo_run("gpu_stagger")
HELD = (
    "staggered", "idle-gpus", "healthy", "thin", "grouped", "no-steps", "host-only", "many-hosts",
    "all-to-all", "what-if", "marked", "better", "not-comparable", "runs", "runs-compared", "runs-launches",
)  # fmt: skip
WIDTHS = (900, 1100, 1440, 1900)
# 590 and 450 px are what is left of 1,180 and 900 px at a zoom of 200 %.
ZOOMED = (450, 590, 900, 1180, 1600, 2500)
CUT = """() => {
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(one => [one, ...(one.shadowRoot ? every(one.shadowRoot) : [])]);
    const above = one => one.assignedSlot ?? one.parentElement ?? one.getRootNode().host;
    // What scrolls shows all of it, and names of a profile may be shortened.
    const hides = one => /hidden|clip/.test(getComputedStyle(one).overflowX);
    const digits = one => [...one.childNodes]
        .some(({ nodeType, data }) => nodeType === 3 && /\\d/.test(data));
    return every(document).filter(one => one.checkVisibility() && digits(one)
            && !one.closest('.unseen, style, .name, .about, .run, text, option')
            && !/</.test(one.textContent))
        .flatMap(one => {
            const range = document.createRange();
            range.selectNodeContents(one);
            const { left, right, top, bottom } = range.getBoundingClientRect();
            for (let at = one; at; at = above(at)) {
                if (!(at instanceof HTMLElement) || !hides(at) || at.matches('.unseen')) continue;
                const box = at.getBoundingClientRect();
                const shown = top < box.bottom - 1 && bottom > box.top + 1;
                if (shown && (left < box.left - 1 || right > box.right + 1)) return [one.textContent.trim()];
            }
            return [];
        });
}"""
TEXTS = """() => {
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(one => [one, ...(one.shadowRoot ? every(one.shadowRoot) : [])]);
    return every(document.querySelector('tfperf-app').shadowRoot).filter(one => !one.matches('style'))
        .flatMap(one => [...one.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data))
        .join(' ');
}"""
EMPTY = """() => [...document.querySelector('tfperf-app').shadowRoot.querySelector('main').children]
    .filter(one => one.shadowRoot && one.checkVisibility() && one.getBoundingClientRect().height > 0
        && ![...one.shadowRoot.querySelectorAll('*')]
            .some(part => part.checkVisibility() && (part.shadowRoot || part.textContent.trim())))
    .map(one => one.localName)"""
UNKNOWN = ("thin", "host-only", "no-steps", "unreadable", "not-judgeable", "not-found")
PROMISES = "tfperf-verdict .after .big, tfperf-budget #projected .number b"


def bottom(part: Locator) -> float:
    """Where it ends in the window, TensorBoard's own bar above it."""
    box = part.bounding_box()
    assert box
    return box["y"] + box["height"]


def test_the_first_screen_holds_verdict_budget_and_four_gpus(server: str, page: Page, visit: Visit) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    tab = visit(server, RUN)
    frame = whole_tab(page)
    assert frame.evaluate("scrollY") == 0
    gpus = tab.locator("tfperf-timeline-plot #labels div").filter(has_text=re.compile(r"GPU \d"))
    expect(gpus).to_have_count(4)

    for part in (tab.locator("tfperf-verdict"), tab.locator("tfperf-budget"), *gpus.all()):
        assert 0 < bottom(part) <= 900
    assert frame.evaluate("document.documentElement.scrollHeight") < 2000
    expect(tab.locator("tfperf-communication #chart svg")).to_be_attached()


def test_no_hand_and_no_key_in_budget_finding_and_timeline_scrolls(
    server: str, page: Page, visit: Visit
) -> None:
    run = demo_run("kernel_launch_bound")
    tab = visit(server, run)
    frame = whole_tab(page)
    frame.evaluate("scrollTo(0, 200)")

    def act(part: Locator) -> None:
        """Clicks as a hand would that already is there: Playwright itself would scroll to it."""
        part.hover(trial=True)
        part.evaluate("one => one.focus({ preventScroll: true })")
        part.dispatch_event("click")
        settle(frame)

    heads, detail = tab.locator("tfperf-budget .pick"), tab.locator("tfperf-chosen-finding")
    expect(heads).to_have_count(len(fetch_report(server, run)["findings"]))
    hands: tuple[Locator, ...] = (
        heads.last,
        heads.first,
        tab.locator("tfperf-budget").get_by_role("checkbox").first,
        tab.locator("tfperf-budget").get_by_role("checkbox").first,
        tab.locator("tfperf-step-strip [role=option]").last,
        tab.locator(".places button").last,
        detail.get_by_role("button", name="Done"),
        detail.get_by_role("button", name="Done"),
        detail.get_by_role("button", name="Not relevant"),
        detail.get_by_role("button", name="Not relevant"),
        tab.get_by_role("button", name="Kernel rows"),
        tab.get_by_role("button", name="Launch arrows"),
        tab.get_by_role("button", name="Whole step"),
    )
    for hand in hands:
        hand.scroll_into_view_if_needed()
        before = frame.evaluate("scrollY")
        act(hand)
        assert frame.evaluate("scrollY") == before, hand
    tab.locator("tfperf-timeline-plot canvas").focus()
    before = page.evaluate("scrollY"), frame.evaluate("scrollY")
    for key in ("ArrowDown", "ArrowDown", "Enter", "ArrowRight", *"jkxx][n+-0c", "Escape"):
        page.keyboard.press(key)
        settle(frame)
        assert (page.evaluate("scrollY"), frame.evaluate("scrollY")) == before, key


def too_wide(page: Page | Frame, view: Page) -> dict[int, Any]:
    found = {}
    for width in WIDTHS:
        view.set_viewport_size({"width": width, "height": 900})
        if wrong := [*ask(page, "overflowing"), *page.evaluate(CUT)]:
            found[width] = wrong
    return found


@pytest.mark.parametrize("state", state_names())
def test_a_state_fits_every_window_and_promises_nothing_that_is_not_known(
    fakes: str, page: Page, state: str
) -> None:
    show(page, fakes, state)
    words = page.evaluate(TEXTS)

    assert words.strip()
    assert not re.search(r"\bNaN\b|\bInfinity\b|\bundefined\b|\bnull\b|\[object", words)
    if state in UNKNOWN:
        for promise in page.locator(PROMISES).all():
            expect(promise).to_have_text(re.compile("^≥"))
    assert page.evaluate(EMPTY) == []
    assert beyond(page, ZOOMED) == {}
    if state != "huge":
        ask(page, "openAll")
        assert beyond(page, (450, 900, 2500)) == {}
    if state in HELD:
        page.set_viewport_size({"width": 1180, "height": 900})
        show(page, fakes, state)
        widen(page)
        assert too_wide(page, page) == {}


def beyond(page: Page, widths: Sequence[int]) -> dict[int, list[str]]:
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if wider := ask(page, "overflowing"):
            found[width] = wider
    return found
