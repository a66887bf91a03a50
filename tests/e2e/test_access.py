"""The tab for everybody: axe, keyboard, live regions, reduced motion, and wide windows.

``test_access_in_tensorboard.py`` has what the dev page cannot show.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.fakes import ask, axe, recorded_report, settle, show, state_names

STATES = state_names()
#: States that show a report of another one: axe looks at the panel that is different.
PANELS = {
    "better": "tfperf-compare",
    "worse": "tfperf-compare",
    "unproven": "tfperf-compare",
    "not-comparable": "tfperf-compare",
    "scaling": "tfperf-compare",
    "what-if": "tfperf-budget",
    "marked": "tfperf-budget",
}
#: Rules of axe that may say otherwise in another theme.
OF_COLOURS = ("color-contrast", "link-in-text-block")
WIDTH, HEIGHT = 1180, 900


def test_the_states_are_those_of_the_dev_page(fakes: str, page: Page) -> None:
    page.goto(f"{fakes}index.html")

    expect(page.get_by_label("State").locator("option")).to_have_text(STATES)
    assert len(STATES) == len(set(STATES)) >= 14


# "huge" and "pod" are as "crowded" and "many-hosts", only longer.
@pytest.mark.parametrize("state", [name for name in STATES if name not in ("huge", "pod")])
def test_axe_finds_nothing(fakes: str, page: Page, state: str) -> None:
    # High enough for the timeline, which is drawn when it comes near the screen.
    page.set_viewport_size({"width": WIDTH, "height": 6000})
    show(page, fakes, state, opened=True)

    assert axe(page, PANELS.get(state)) == []
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    settle(page)
    assert axe(page, PANELS.get(state), *OF_COLOURS) == []


@pytest.mark.parametrize("state", ["staggered", "host-only"])
def test_axe_finds_nothing_before_anything_is_opened(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)

    assert axe(page) == []


@pytest.mark.parametrize("state", ["staggered", "many-hosts", "no-profiles", "unreadable"])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(fakes: str, page: Page, state: str) -> None:
    # All of it on the screen: what is drawn when it comes near would come in the middle of the walk.
    page.set_viewport_size({"width": WIDTH, "height": 9000})
    show(page, fakes, state, opened=True)
    count = ask(page, "findOperable")
    reached, unseen = set(), []
    page.locator("body").focus()
    for _ in range(count + 5):
        page.keyboard.press("Tab")
        focus = ask(page, "focused")
        if focus["at"] in reached:
            break
        if focus["at"] < 0:
            continue  # the page itself, between its end and its start
        reached.add(focus["at"])
        if not focus["seen"]:
            unseen.append(focus["what"])

    assert ask(page, "operableAt", sorted(set(range(count)) - reached)) == []
    assert unseen == []
    assert count >= 1


def test_arrows_walk_through_the_parts_of_a_chart(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    bar = page.locator("tfperf-communication svg[tabindex]").first
    tip = page.locator("tfperf-communication div.tip")
    bar.focus()
    expect(tip).not_to_be_empty()
    first = tip.inner_text()
    page.keyboard.press("ArrowRight")
    expect(tip).not_to_have_text(first)
    page.keyboard.press("ArrowLeft")
    expect(tip).to_have_text(first)
    expect(tip).to_have_attribute("role", "status")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_the_machine_is_read_by_the_pointer(fakes: str, page: Page) -> None:
    show(page, fakes, "pausing")
    machine = page.locator("tfperf-machine")
    readout, values = machine.locator("#readout"), machine.locator(".value")
    page.get_by_role("slider", name="Time").scroll_into_view_if_needed()
    means, height = values.all_inner_texts(), machine.bounding_box()

    plot = machine.locator(".plot").nth(3)
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] * 226 / 3600, "y": 20})
    expect(readout).to_contain_text("Pauses between steps")
    expect(machine.locator(".plot .cursor")).to_have_count(len(means))
    expect(values.first).to_have_text("0\u00a0%")
    assert machine.bounding_box() == height
    page.mouse.move(0, 0)
    expect(readout).to_have_text("Means while steps ran")
    assert values.all_inner_texts() == means


def test_who_does_not_see_hears_what_changes(fakes: str, page: Page) -> None:
    show(page, fakes, "analysing")
    expect(page.get_by_role("status").filter(has_text="Dividing each step")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.62")

    page.keyboard.press("r")
    expect(page.get_by_role("status").filter(has_text="The runs are shown.")).to_be_attached()
    healthy = recorded_report("healthy")["run"]
    page.get_by_role("link", name=healthy, exact=True).click()
    expect(page.get_by_role("status").filter(has_text=f"The report of {healthy} is shown.")).to_be_attached()
    page.get_by_role("button", name="‹ Runs").click()
    page.get_by_role("link", name="unreadable", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="ends in the middle of an event")).to_be_visible()


def test_nothing_moves_for_who_wants_it_so(fakes: str, page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    show(page, fakes, "staggered", opened=True)

    assert ask(page, "moving") == []


def test_wide_windows_are_used_and_lines_stay_readable(fakes: str, page: Page) -> None:
    widths = {}
    for window in (1180, 1600, 2500):
        page.set_viewport_size({"width": window, "height": HEIGHT})
        show(page, fakes, "staggered")
        bar, text = (
            page.locator("tfperf-budget .track").first,
            page.locator("tfperf-chosen-finding tfperf-fix li").first,
        )
        widths[window] = [(part.bounding_box() or {"width": 0.0})["width"] for part in (bar, text)]

    assert widths[2500][0] > 1.4 * widths[1180][0]
    assert widths[2500][1] < 1000
