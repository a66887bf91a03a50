"""The cell of the matrix that needs least, in a browser; ``make matrix`` tries all of them.

It needs pip and the package index, as setting up for the tests does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.tab import LIMIT_MS
from tests.matrix import environment
from tests.matrix.cells import BY_NAME, IN_THE_SUITE
from tests.matrix.runs import logdir_of_all
from tests.wheels import build_wheel


def test_the_oldest_versions_without_profile_plugin_and_tensorflow(tmp_path: Path, page: Page) -> None:
    cell = BY_NAME[IN_THE_SUITE]
    if sys.version_info >= cell.below:
        pytest.skip(f"there are no wheels of {', '.join(cell.requirements)} for this Python")
    logdir, runs = logdir_of_all(tmp_path / "logdir")
    python = environment.make(cell, build_wheel(tmp_path / "wheel"), tmp_path / "environment")

    reports = {run: environment.report(sys.executable, logdir, run) for run in runs}
    for run, expected in reports.items():
        assert environment.differences(expected, environment.report(python, logdir, run)) == []
    run = runs[0]  # it has findings with places

    def look(address: str) -> None:
        assert_no_links(page, f"{address}#diagnostics&p.diagnostics.run={run}")

    assert environment.differences(reports[run], environment.served(python, cell, logdir, run, look)) == []


def assert_no_links(page: Page, address: str) -> None:
    """The tab shows places in words, and no link into a trace viewer that is not there."""
    page.goto(address)
    tab = page.frame_locator('iframe[src$="plugin_entry.html?name=diagnostics"]')
    tab.get_by_text("TensorBoard’s profile plugin is missing").first.wait_for(timeout=LIMIT_MS)
    assert tab.get_by_role("link", name="Open in trace viewer").count() == 0
    assert tab.get_by_role("button", name="Show in trace").count() == 0
