"""The step budget: blocks that add up, edges that meet, ticks that project anew, and nothing that scrolls."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit, fetch_report, whole_tab

EDGES = "all => all.map(one => one.getBoundingClientRect()).map(({ left, right }) => [left, right])"


def milliseconds(words: str | None) -> float:
    found = re.search(r"([\d.,]+)\u00a0(s|ms|µs)", words or "")
    assert found, words
    return float(found[1].replace(",", "")) * {"s": 1e3, "ms": 1, "µs": 1e-3}[found[2]]


def shown_ms(ns: int) -> Any:
    return pytest.approx(ns / 1e6, rel=0.05, abs=1e-3)


def edges(blocks: Locator) -> list[list[float]]:
    found: list[list[float]] = blocks.evaluate_all(EDGES)
    return found


@pytest.mark.parametrize("name", ["gpu_stagger", "kernel_launch_bound", "healthy_single_gpu"])
def test_blocks_add_up_and_edges_meet(server: str, visit: Visit, name: str) -> None:
    tab, report = visit(server, demo_run(name)), fetch_report(server, demo_run(name))
    panel = tab.locator("tfperf-budget")
    step, claimed = report["ledger"]["step_ns"], [f for f in report["findings"] if f["saving"]]
    expect(panel.locator("#now .number b")).to_be_visible()

    assert milliseconds(panel.locator("#now .number b").text_content()) == shown_ms(step)
    now = edges(panel.locator("#now .block"))
    track = edges(panel.locator("#now .track"))[0]
    assert now[0][0] == pytest.approx(track[0], abs=1)
    assert now[-1][1] == pytest.approx(track[1], abs=1)
    rows = panel.locator("#now ~ .row.finding")
    expect(rows).to_have_count(len(claimed))
    right = track[1]
    for row, finding in zip(rows.all(), claimed, strict=True):
        assert milliseconds(row.locator(".number b").text_content()) == shown_ms(finding["saving"]["ns"])
        blocks = edges(row.locator(".block"))
        assert blocks[-1][1] == pytest.approx(right, abs=1)
        right = blocks[0][0]
    if claimed:
        left = step - sum(finding["saving"]["ns"] for finding in claimed)
        assert milliseconds(panel.locator("#projected .number b").text_content()) == shown_ms(left)
        assert edges(panel.locator("#projected .block"))[-1][1] == pytest.approx(right, abs=1)
        assert edges(panel.locator("#projected .gone"))[0][0] == pytest.approx(right, abs=1)
    else:
        expect(panel.locator("#projected")).to_have_count(0)


def test_unticking_projects_anew_as_the_route_says(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    tab, report = visit(server, run), fetch_report(server, run)
    panel = tab.locator("tfperf-budget")
    first, *others = [finding for finding in report["findings"] if finding["saving"]]
    query = urlencode({"run": run, "without": ",".join(finding["id"] for finding in others)})
    with urllib.request.urlopen(f"{server}data/plugin/diagnostics/predict?{query}") as response:
        found = json.load(response)
    box = panel.get_by_role("checkbox", name=first["title"])
    whole_tab(page)

    box.focus()
    page.keyboard.press("Space")

    expect(box).not_to_be_checked()
    expect(box).to_be_focused()
    said = panel.get_by_role("status")
    expect(said).to_contain_text(f"with {len(others)} of {len(others) + 1} findings fixed")
    expect(said).to_contain_text("Likely")
    assert milliseconds(said.text_content()) == shown_ms(found["predicted_ns"])
    expect(page).to_have_url(re.compile(r"p\.diagnostics\.without=" + others[0]["id"]))
    page.reload()
    expect(panel.get_by_role("checkbox", checked=False)).to_have_count(1)
    panel.get_by_role("checkbox", checked=False).check()
    expect(page).not_to_have_url(re.compile("without"))
