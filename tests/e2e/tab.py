"""The parts of the tab that tests look at, and the trace viewer that it opens."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Frame, FrameLocator, Locator, Page, expect

from tests.e2e.fakes import settle

LIMIT_MS = 60_000
expect.set_options(timeout=LIMIT_MS)

Visit = Callable[..., FrameLocator]

# Every text on screen whose colour stands out from what is behind it by less than 4.5 (WCAG 2.1, 1.4.3).
FAINT_TEXTS = """panels => {
    const parse = colour => {
        const [red, green, blue, alpha = 1] = colour.match(/[\\d.]+/g).map(Number);
        return { rgb: [red, green, blue], alpha };
    };
    const luminance = rgb => {
        const [red, green, blue] = rgb.map(value => value / 255)
            .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const above = element => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host;
    const ground = element => {
        for (let at = element; at; at = above(at)) {
            const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
            if (alpha === 1) return rgb;
        }
        return [255, 255, 255];
    };
    const every = root => [...root.querySelectorAll('*')]
        .flatMap(element => [element, ...(element.shadowRoot ? every(element.shadowRoot) : [])]);
    const texts = panels.flatMap(panel => every(panel.shadowRoot)).filter(element =>
        element.checkVisibility() && !element.matches('option, style')
        && [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''));
    const faint = texts.flatMap(element => {
        const style = getComputedStyle(element);
        const colour = element instanceof SVGElement ? style.fill : style.color;
        const [low, high] = [luminance(parse(colour).rgb), luminance(ground(element))].sort((a, b) => a - b);
        const contrast = (high + 0.05) / (low + 0.05);
        return contrast < 4.5 ? [`${element.textContent.trim()}: ${contrast.toFixed(2)}`] : [];
    });
    return { texts: texts.length, faint };
}"""


def fetch_report(address: str, run: str) -> Any:
    """The report as the route gives it, once it is there."""
    while True:
        query = urlencode({"run": run})
        with urllib.request.urlopen(f"{address}data/plugin/diagnostics/report?{query}") as response:
            body = json.load(response)
            if response.status == 200:
                return body


def run_shown(tab: FrameLocator) -> Locator:
    """The name of the run on screen."""
    return tab.locator("tfperf-bar .run")


def choose_run(tab: FrameLocator, run: str) -> None:
    """Goes back to all runs, and opens another one."""
    tab.get_by_role("button", name="‹ Runs").click()
    tab.get_by_role("link", name=run, exact=True).click()


def heads(tab: FrameLocator) -> Locator:
    """The findings in the budget: buttons that select them."""
    return tab.locator("tfperf-budget .pick")


def open_sections(tab: FrameLocator) -> None:
    """Opens all sections of the report."""
    expect(tab.locator("tfperf-sections section").first).to_be_visible()
    for title in tab.locator("tfperf-sections .title[aria-expanded=false]").element_handles():
        title.press("Enter")


def unfold(part: Locator, summary: str) -> Locator:
    """Opens what is on demand, and returns it."""
    details = part.locator("details").filter(has=part.page.locator("summary", has_text=summary)).last
    details.locator("summary", has_text=summary).click()
    return details


def assert_zoomed(page: Page, place: dict[str, Any]) -> None:
    """Waits until the trace viewer shows no more than the place and some padding, and it whole."""
    frame = wait_for_frame(page, "trace_viewer_index.html")
    padding = max(place["end_ms"] - place["begin_ms"], 1e-3) / 4
    handle = frame.wait_for_function(
        """([least, most]) => {
            const viewer = document.querySelector('tf-trace-viewer');
            if (!viewer?._traceViewer || viewer._isInitialLoad !== false || viewer._isLoading) return null;
            const { min, max } = viewer._trackViewRange(viewer._traceViewer.trackView);
            return least <= min && max <= most ? [min, max] : null;
        }""",
        arg=[place["begin_ms"] - padding, place["end_ms"] + padding],
        timeout=LIMIT_MS,
    )
    low, high = handle.json_value()
    assert low <= place["begin_ms"]
    assert place["end_ms"] <= high


def whole_tab(page: Page) -> Frame:
    """The frame of our tab in TensorBoard, once it shows its report with all panels: what is counted, listed
    or walked through is there then."""
    expect(page.frame_locator('iframe[src$="name=diagnostics"]').locator("tfperf-verdict")).to_be_visible()
    frame = wait_for_frame(page, "name=diagnostics")
    settle(frame)
    return frame


def wait_for_frame(page: Page, part_of_url: str) -> Frame:
    def found() -> Frame | None:
        return next((frame for frame in page.frames if part_of_url in frame.url), None)

    frame = found()
    if frame is None:
        page.wait_for_event("framenavigated", predicate=lambda frame: part_of_url in frame.url)
        frame = found()
    assert frame is not None
    return frame
