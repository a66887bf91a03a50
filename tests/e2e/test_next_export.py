"""The exported HTML file offline: the report's verdict and budget, and what works without a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.reports import demo_report
from tests.e2e.fakes import axe
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.report.panels.verdict import now_line
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.serialize import to_json

RUNS = ("gpu_stagger", "healthy_single_gpu", "step_outliers", "pipeline_bubble", "no_device_events")
light = pytest.mark.parametrize("page", ["light"], indirect=True)
WIDTHS = "all => all.map(one => one.getBoundingClientRect().width)"


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page without a network, which fails if anything is asked for."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=request.param)
    context.set_offline(True)
    page, asked = context.new_page(), list[str]()
    page.on("request", lambda one: asked.append(one.url))
    yield page
    context.close()
    assert [url for url in asked if not url.startswith("file:")] == []


def open_export(page: Page, folder: Path, name: str) -> None:
    path = folder / f"{name}.html"
    path.write_text(to_html(demo_report(name)), encoding="utf-8")
    page.goto(path.as_uri())


@light
@pytest.mark.parametrize("name", RUNS)
def test_it_says_what_the_report_says(page: Page, tmp_path: Path, name: str) -> None:
    report = demo_report(name)
    json: Any = to_json(report)
    open_export(page, tmp_path, name)

    first: Any = json["findings"][0] if json["findings"] else None
    acts = first is not None and first["severity"] != "info"
    expect(page.get_by_role("heading", level=1)).to_have_text(first["action"] if acts else json["advice"])
    expect(page.locator(".verdict dd").first).to_have_text(now_line(report.verdict))
    if first and first["saving"]:
        expect(page.locator(".verdict")).to_contain_text(ms(first["saving"]["ns"]))
    if first and first["saving"] and first["saving"]["accounts"]:  # rare steps have a budget of their own
        expect(page.locator(".claim").first).to_contain_text(f"−{ms(first['saving']['ns'])}")
    groups = json["steps"]["groups"]
    if json["ledger"] is None or groups:
        expect(page.locator("#now, #projected")).to_have_count(0)
        for group in groups:
            expect(page.locator("#budget .row", has_text=group["name"])).to_contain_text(ms(group["step_ns"]))
        return
    expect(page.locator("#now .n b")).to_have_text(ms(json["ledger"]["step_ns"]))
    (whole,) = page.locator("#now svg").evaluate_all(WIDTHS)
    parts = "rect[class^='a-']"
    assert sum(page.locator(f"#now {parts}").evaluate_all(WIDTHS)) == pytest.approx(whole, abs=1)
    if acts and first["saving"]["accounts"]:
        claimed = page.locator(f".claim {parts}").evaluate_all(WIDTHS)
        left = page.locator(f"#projected {parts}").evaluate_all(WIDTHS)
        assert sum(claimed) + sum(left) == pytest.approx(whole, abs=1)


@pytest.mark.parametrize("name", RUNS)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(page: Page, tmp_path: Path, name: str) -> None:
    open_export(page, tmp_path, name)
    page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")

    assert axe(page) == []
    for width in (900, 1100, 1440, 1900):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width


@light
def test_the_keyboard_does_what_needs_no_server(page: Page, tmp_path: Path) -> None:
    open_export(page, tmp_path, "gpu_stagger")
    gpus = page.locator(".gpus")
    expect(gpus).to_be_hidden()

    page.get_by_role("radio", name="Mean GPU").focus()
    page.keyboard.press("ArrowRight")
    expect(gpus.locator(".row")).to_have_count(4)
    expect(gpus).to_be_visible()

    page.get_by_role("link", name=re.compile("^Launch skew")).press("Enter")
    finding = page.locator("#gpu-stagger")
    expect(finding).to_be_in_viewport()
    assert finding.evaluate("one => one.matches(':target')")
    page.get_by_role("link", name="Back to the budget").press("Enter")
    expect(page.locator("#budget")).to_be_in_viewport()

    page.get_by_text("Copy for agent").press("Enter")
    agent = page.get_by_role("group", name="Text for an agent")
    expect(agent).to_contain_text("then: step near")
    for copied, words in (
        (page.get_by_role("group", name="Command"), "TF_GPU_THREAD_MODE"),
        (agent, "fix: Set TF_GPU_THREAD_MODE=gpu_private"),
    ):
        copied.click()
        selected = page.evaluate("getSelection().toString()")
        assert words in selected
        assert selected.strip() == (copied.text_content() or "").strip()
