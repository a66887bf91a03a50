"""The cell that needs least, in the suite; ``make matrix`` tries all of them.

It needs pip and the package index, as setting up for the tests does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.conftest import REPOSITORY
from tests.e2e.conftest import CHROMIUM_FLAGS, chromium
from tests.e2e.tab import LIMIT_MS
from tests.matrix import environment
from tests.matrix.cells import BY_NAME, CELLS, IN_THE_SUITE, OLDEST, Cell
from tests.matrix.runs import logdir_of_all
from tests.wheels import build_wheel


def test_the_oldest_versions_without_profile_plugin_and_tensorflow(tmp_path: Path) -> None:
    cell = BY_NAME[IN_THE_SUITE]
    if sys.version_info >= cell.below:
        pytest.skip(f"there are no wheels of {', '.join(cell.requirements)} for this Python")
    logdir, runs = logdir_of_all(tmp_path / "logdir")
    python = environment.make(cell, build_wheel(tmp_path / "wheel"), tmp_path / "environment")

    for run in runs:
        expected = environment.report(sys.executable, logdir, run)
        assert environment.differences(expected, environment.report(python, logdir, run)) == []

    def look(address: str) -> None:
        assert_no_links(f"{address}#diagnostics&p.diagnostics.run={run}")

    assert environment.differences(expected, environment.served(python, cell, logdir, run, look)) == []


def assert_no_links(address: str) -> None:
    """The tab shows places in words, and no link into a trace viewer that is not there."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        page = browser.new_page()
        page.goto(address)
        tab = page.frame_locator('iframe[src$="plugin_entry.html?name=diagnostics"]')
        tab.get_by_text("TensorBoard’s profile plugin is missing").first.wait_for(timeout=LIMIT_MS)
        assert tab.get_by_role("button", name="Show in trace").count() == 0
        assert tab.get_by_role("link", name="trace").count() == 0
        browser.close()


def test_lower_bounds_are_those_that_are_tried() -> None:
    text = (REPOSITORY / "setup.py").read_text(encoding="utf-8")
    (block,) = re.findall(r"install_requires=\[(.*?)\]", text.replace("[epath]", ""), re.DOTALL)
    stated = dict(re.findall(r'"([a-z]+)>=([0-9.]+)', block))
    tried = dict(re.findall(r"([a-z]+)==([0-9.]+)\.\*", " ".join(OLDEST).replace("[epath]", "")))

    assert stated
    assert stated == {name: tried[name] for name in stated}


def test_cells_cover_with_and_without() -> None:
    def pairs(cells: tuple[Cell, ...]) -> set[tuple[bool, bool]]:
        return {(cell.profile, cell.tensorflow) for cell in cells}

    for age in ("oldest", "newest"):
        mine = tuple(cell for cell in CELLS if cell.name.startswith(age))
        assert {(False, False), (True, False), (True, True)} <= pairs(mine)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, ["report.a[1]: 2 and 3"]),
        ({"a": 1.0}, {"a": 1.0 + 1e-13}, []),
        ({"a": 1.0}, {"a": 1.001}, ["report.a: 1.0 and 1.001"]),
        ({"a": 1}, {"a": 1.0}, ["report.a: 1 and 1.0"]),
        ({"a": [1]}, {"a": []}, ["report.a: 1 and 0 items"]),
    ],
)
def test_what_counts_as_different(one: object, other: object, said: list[str]) -> None:
    assert environment.differences(one, other) == said
