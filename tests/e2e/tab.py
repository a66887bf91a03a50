"""The parts of the tab that tests look at, and the trace viewer that it opens."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Frame, FrameLocator, Locator, Page, expect

LIMIT_MS = 60_000
expect.set_options(timeout=LIMIT_MS)

Visit = Callable[..., FrameLocator]


def fetch_report(address: str, run: str) -> Any:
    """The report as the route gives it, once it is there."""
    while True:
        query = urlencode({"run": run})
        with urllib.request.urlopen(f"{address}data/plugin/diagnostics/report?{query}") as response:
            body = json.load(response)
            if response.status == 200:
                return body


def run_picker(tab: FrameLocator) -> Locator:
    return tab.get_by_role("combobox", name="Run")


def heads(tab: FrameLocator) -> Locator:
    return tab.locator("tfperf-finding h3 button:not(tfperf-finding[nested] button)")


def unfold(part: Locator, summary: str) -> Locator:
    """Opens what is on demand, and returns it."""
    details = part.locator("details").filter(has=part.page.locator("summary", has_text=summary))
    details.locator("summary").click()
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


def wait_for_frame(page: Page, part_of_url: str) -> Frame:
    def found() -> Frame | None:
        return next((frame for frame in page.frames if part_of_url in frame.url), None)

    frame = found()
    if frame is None:
        page.wait_for_event("framenavigated", predicate=lambda frame: part_of_url in frame.url)
        frame = found()
    assert frame is not None
    return frame
