"""What terms and charts say when they are hovered: inside the page, and beside what they explain."""

from __future__ import annotations

from itertools import product

from playwright.sync_api import Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit

TERMS = "tfperf-verdict tfperf-term, tfperf-budget tfperf-term, tfperf-chosen-finding tfperf-term"
BOXES = """term => {
    const box = one => { const { left, right, top, bottom } = one.getBoundingClientRect();
                         return [left, right, top, bottom]; };
    const root = term.shadowRoot;
    const { clientWidth, clientHeight } = document.documentElement;
    return [box(root.getElementById('word')), box(root.getElementById('meaning')), clientWidth, clientHeight];
}"""


def test_meanings_stay_inside_the_page_and_beside_their_word(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, demo_run("gpu_stagger"))
    terms = tab.locator(TERMS)
    expect(terms.first).to_be_visible()
    assert terms.count() >= 8
    for width, term in product((900, 1440), terms.all()):
        page.set_viewport_size({"width": width, "height": 700})
        if not term.is_visible():  # inside what is folded
            continue
        term.scroll_into_view_if_needed()
        term.hover()
        expect(term.get_by_role("tooltip")).to_contain_text(".")
        word, tip, wide, high = term.evaluate(BOXES)
        assert tip[0] >= 0 and tip[1] <= wide and tip[2] >= 0 and tip[3] <= high
        assert tip[2] >= word[3] or tip[3] <= word[2]
        page.keyboard.press("Escape")
        page.mouse.move(0, 0)
        expect(term.get_by_role("tooltip")).to_have_count(0)
