"""Two runs side by side in the tab, in Chromium and a real TensorBoard."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from demo.build import training
from demo.simulator import Training, simulate
from tests.e2e.conftest import add
from tests.e2e.tab import Visit

GAPS = training("step_gaps")
RUNS: dict[str, Training] = {"gaps": GAPS, "steady": replace(GAPS, between_steps=())}


@pytest.fixture(scope="module")
def pairs(logdir: Path, server: str) -> str:
    """The TensorBoard of all tests, which has runs to compare from now on."""
    for name, job in RUNS.items():
        for host, profile in simulate(job).files.items():
            add(logdir, name, host, profile)
    return server


def fetch(address: str, base: str, new: str) -> Any:
    query = urlencode({"base": base, "new": new})
    while True:
        with urllib.request.urlopen(f"{address}data/plugin/diagnostics/compare?{query}") as response:
            body = json.load(response)
            if response.status == 200:
                return body


def panel(tab: FrameLocator) -> Locator:
    return tab.locator("tfperf-compare")


def compare_with(tab: FrameLocator, base: str) -> Locator:
    shown = tab.locator("tfperf-bar .run").inner_text()
    tab.get_by_role("button", name="‹ Runs").click()
    tab.get_by_role("button", name=f"Baseline {base}", exact=True).click()
    tab.get_by_role("link", name=shown, exact=True).click()
    found = panel(tab)
    expect(found.locator(".verdict:visible")).to_have_count(1)
    return found


def test_a_step_of_each_run_is_on_one_axis(pairs: str, visit: Visit, page: Page) -> None:
    found = compare_with(visit(pairs, "steady"), "gaps")
    answer = fetch(pairs, "gaps", "steady")
    found.get_by_text("A step of each run, on one time axis").click()
    plots = found.locator("tfperf-timeline-plot")
    expect(found.get_by_text("Both from their start")).to_be_visible()
    views = "plots => plots.map(({ view }) => [view.begin, view.end])"

    expect(plots).to_have_count(2)
    before = plots.evaluate_all(views)
    lengths = [plot.evaluate("plot => plot.data.length_ns") for plot in plots.all()]
    assert lengths == pytest.approx([answer["base"]["p50_ns"], answer["new"]["p50_ns"]], rel=0.01)
    assert before == [[0, max(lengths)]] * 2
    left, right = (plot.get_by_role("application").bounding_box() for plot in plots.all())
    assert left is not None
    assert right is not None
    assert (left["x"], left["width"]) == (right["x"], right["width"])

    plots.last.get_by_role("application").focus()
    page.keyboard.press("+")
    page.wait_for_function(
        "([plot, end]) => plot.view.end < end", arg=[plots.first.element_handle(), max(lengths)]
    )
    first, second = plots.evaluate_all(views)
    assert first == second
