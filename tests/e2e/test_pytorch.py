"""A trace of PyTorch's profiler in TensorBoard: XProf cannot show it, so the tab saves ranges of it."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.tab import Visit
from tests.e2e.tensorboard import tensorboard
from tests.tensorboard.test_slice import pytorch


@pytest.mark.own_window
def test_a_range_is_saved_as_a_trace(tmp_path: Path, cache: None, page: Page, visit: Visit) -> None:
    pytorch(tmp_path / "torch", name="training.pt.trace.json", steps=8)
    with tensorboard(tmp_path) as server:
        tab = visit(server)
        expect(tab.locator("tfperf-bar")).to_contain_text("PyTorch profiler")
        timeline = tab.locator("tfperf-finding-timeline")
        timeline.get_by_role("button", name="Kernel rows").click()
        expect(timeline.locator("#labels")).to_contain_text("GPU 0 kernels")
        timeline.locator("canvas").last.focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):
            page.keyboard.press(key)

        expect(timeline.locator(".selected")).to_contain_text(re.compile(r"Launched\s+by 7"))
        expect(tab.get_by_text("Open in trace viewer")).to_have_count(0)
        expect(tab.get_by_text("The trace viewer does not")).to_have_count(0)
        with page.expect_download() as download:
            timeline.get_by_role("link", name="Save as trace").press("Enter")
        expect(timeline.locator("tfperf-save-trace")).to_contain_text("Saved.")

    assert download.value.suggested_filename.endswith("ms.json.gz")
    found = json.loads(gzip.decompress(Path(download.value.path()).read_bytes()))["traceEvents"]
    assert {"sgemm", "cudaLaunchKernel"} <= {event["name"] for event in found}
    assert {"s", "f"} <= {event["ph"] for event in found}
