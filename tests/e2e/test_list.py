"""Working the list: links, exports and thresholds that are tried out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import HOSTILE_RUN, demo_run
from tests.e2e.tab import Visit, fetch_report, heads, run_shown, whole_tab

RUN = demo_run("input_bound")
TWO = demo_run("kernel_launch_bound")
"""Has two findings, of two severities."""
FRAME = 'iframe[src$="name=diagnostics"]'


def chosen(tab: FrameLocator) -> Locator:
    """The title of the finding that is shown in full."""
    return tab.locator("tfperf-chosen-finding #title")


def test_a_link_leads_to_one_finding(server: str, page: Page, visit: Visit) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = visit(server, TWO)
    report = fetch_report(server, TWO)
    last = report["findings"][-1]
    expect(heads(tab)).to_have_count(len(report["findings"]))
    expect(heads(tab).last).to_have_attribute("aria-pressed", "false")
    heads(tab).last.click()
    expect(chosen(tab)).to_have_text(last["title"])

    tab.get_by_role("button", name="Link").first.click()

    expect(tab.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(server)
    other = page.context.new_page()
    other.set_viewport_size({"width": 1240, "height": 500})
    other.goto(link)
    opened = other.frame_locator(FRAME)
    expect(run_shown(opened)).to_have_text(TWO)
    expect(chosen(opened)).to_have_text(last["title"])
    expect(heads(opened).last).to_have_attribute("aria-pressed", "true")


@pytest.mark.own_window
def test_without_a_clipboard_the_old_way_copies_and_without_that_the_link_is_shown(
    server: str, page: Page, visit: Visit
) -> None:
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })")
    tab = visit(server, RUN)
    fix = fetch_report(server, RUN)["findings"][0]["fix"]

    button = tab.get_by_role("button", name="Copy this fix").first
    button.click()

    expect(tab.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    expect(button).to_be_focused()
    page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
    page.locator("#paste").focus()
    page.keyboard.press("Control+V")
    first = re.escape(f"{fix['summary']}\n1. {fix['actions'][0]}")
    code = re.escape(fix["snippets"][0]["code"])
    expect(page.locator("#paste")).to_have_value(re.compile(f"^{first}.*{code}", re.DOTALL))

    button.evaluate("() => { Document.prototype.execCommand = () => {}; }")
    tab.get_by_role("button", name="Link").first.click()
    shown = tab.get_by_role("textbox", name="Link")
    expect(shown).to_be_focused()
    expect(shown).to_have_value(re.compile(re.escape("p.diagnostics.finding=input-bound")))
    assert shown.evaluate("field => field.selectionEnd - field.selectionStart === field.value.length")


def test_the_report_is_exported(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    report = fetch_report(server, RUN)
    for words, ending in (("HTML", "html"), ("Markdown", "md"), ("JSON", "json")):
        tab.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            tab.get_by_role("menuitem", name=words).click()

        expected = f"diagnostics-{RUN.replace('/', '-')}.{ending}"
        assert download.value.suggested_filename == expected
        content = Path(download.value.path()).read_text(encoding="utf-8")
        if ending == "json":
            assert json.loads(content) == report
        else:
            assert report["findings"][0]["title"] in content
        expect(tab.get_by_role("menu")).to_be_hidden()
        expect(tab.get_by_role("button", name="Export")).to_be_focused()


def test_the_menu_is_worked_with_the_keyboard(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    button = tab.get_by_role("button", name="Export")
    items = tab.get_by_role("menuitem")
    button.focus()

    page.keyboard.press("ArrowDown")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(items.last).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.first).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(items.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(tab.get_by_role("menu")).to_be_hidden()


def test_an_exported_page_is_harmless_and_complete(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, HOSTILE_RUN)
    tab.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        tab.get_by_role("menuitem", name="HTML").click()
    document = Path(download.value.path()).read_text(encoding="utf-8")

    asked: list[str] = []
    alone = page.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.set_content(document)

    first = fetch_report(server, HOSTILE_RUN)["findings"][0]
    expect(alone.get_by_role("heading", level=1)).to_have_text(first["action"])
    assert asked == []
    assert alone.locator("img, script, iframe").count() == 0
    assert alone.get_by_text("<img src=x").count() > 0
    assert alone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_another_threshold_is_tried_out_and_the_report_stays(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    before = fetch_report(server, RUN)
    first = before["findings"][0]
    tab.get_by_role("button", name=f"Thresholds: {first['title']}").click()
    panel = tab.locator("tfperf-thresholds")
    field = panel.get_by_role("textbox", name="severity info")
    whole_tab(page)
    address = page.url

    field.fill("90 %")
    field.press("Enter")

    said = panel.get_by_role("status")
    expect(said).to_contain_text("With 90 % instead of 1 % (severity info):")
    expect(said).to_contain_text(f"“{first['title']}” would no longer be found")
    expect(heads(tab).first).to_contain_text(first["title"])
    assert fetch_report(server, RUN) == before
    assert page.url == address

    field.fill("1.5 %")
    panel.get_by_role("button", name="What would change?").click()
    expect(said).to_contain_text("With 1.5 % instead of 1 % (severity info): nothing would change.")
    field.fill("2")
    field.press("Enter")
    expect(said).to_contain_text("is 2 a percentage? Write 2 %, or a share like 0.02.")
