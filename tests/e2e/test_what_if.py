"""Choosing findings and reading off the predicted step."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit, fetch_report

RUN = demo_run("gpu_stagger")


def fetch_prediction(address: str, *without: str) -> Any:
    query = urlencode({"run": RUN, "without": ",".join(without)})
    with urllib.request.urlopen(f"{address}data/plugin/diagnostics/predict?{query}") as response:
        return json.load(response)


def milliseconds(ns: int) -> str:
    return f"{ns / 1e6:.1f}\u00a0ms"


def chosen(panel: Locator) -> Locator:
    return panel.get_by_role("checkbox", checked=True)


def test_choosing_by_keyboard_shows_the_predicted_step(server: str, page: Page, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    found = fetch_prediction(server, "gpu-stagger")
    panel = tab.locator("tfperf-what-if")
    boxes = panel.get_by_role("checkbox")
    expect(boxes).to_have_count(sum(f["saving"] is not None for f in report["findings"]))
    expect(panel.locator("#result")).to_be_hidden()

    boxes.first.focus()
    page.keyboard.press("Space")

    said = panel.locator("[role=status].answer")
    expect(said).to_contain_text(f"about {milliseconds(found['predicted_ns'])} instead of")
    expect(said).to_contain_text(milliseconds(found["step_ns"]))
    assert found["saved_ns"] > 0.2 * found["step_ns"]
    bars = panel.locator("#rows svg")
    expect(bars).to_have_count(2)
    predicted = re.escape(f"predicted, {milliseconds(found['predicted_ns'])}")
    expect(bars.nth(1)).to_have_attribute("aria-label", re.compile(predicted))
    limits = panel.get_by_role("list", name="What limits the prediction").get_by_role("listitem")
    expect(limits).to_have_count(len(found["limits"]))
    # What is chosen stays chosen, and has the focus still.
    expect(chosen(panel)).to_have_count(1)
    expect(boxes.first).to_be_focused()


def test_what_is_chosen_is_in_the_address(server: str, page: Page, visit: Visit) -> None:
    panel = visit(server, RUN).locator("tfperf-what-if")
    panel.get_by_role("checkbox").first.check()
    expect(page).to_have_url(re.compile(r"p\.diagnostics\.without=gpu-stagger"))

    page.reload()

    expect(panel.locator(".answer")).to_contain_text("instead of")
    expect(chosen(panel)).to_have_count(1)
    panel.get_by_role("button", name="Choose none").click()
    expect(panel.locator("#result")).to_be_hidden()
    expect(chosen(panel)).to_have_count(0)
    expect(page).not_to_have_url(re.compile("without"))
    expect(panel.get_by_role("checkbox").first).to_be_focused()


def test_a_healthy_run_offers_nothing_to_remove(server: str, visit: Visit) -> None:
    tab = visit(server, demo_run("healthy_single_gpu"))
    expect(tab.get_by_role("heading", name="Where a step goes")).to_be_visible()

    expect(tab.get_by_role("heading", name="What if")).to_be_hidden()
