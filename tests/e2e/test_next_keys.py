"""The list of keys, and switching single keys off."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import axe, show
from tests.e2e.tab import Visit, run_shown

RUN = demo_run("gpu_stagger")


def test_the_list_opens_by_key_and_button_and_gives_the_focus_back(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server, RUN)
    keys = tab.get_by_role("button", name="Keys", exact=True)
    dialog = tab.get_by_role("dialog", name="Keys")
    keys.press("Enter")
    expect(dialog).to_be_visible()
    page.keyboard.press("r")  # not while the list is open
    expect(run_shown(tab)).to_have_text(RUN)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(keys).to_be_focused()

    page.keyboard.press("?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_text("pin a run as baseline")).to_be_visible()


def test_axe_finds_nothing_in_the_list(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    page.get_by_role("button", name="Keys", exact=True).click()
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        assert axe(page, "tfperf-keys") == [], theme
