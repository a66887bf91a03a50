"""Trials and tunings in the tab, in a real TensorBoard, and at any width."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo import trials
from tests.e2e.conftest import add
from tests.e2e.fakes import show
from tests.e2e.tab import Visit
from tests.e2e.tensorboard import tensorboard
from tests.strategies import GEMM, MS, Recording

EVIL = "<img src=x onerror=top.hacked=1>"


@pytest.mark.own_window
def test_a_tuning_lies_beside_its_run(tmp_path: Path, cache: None, page: Page, visit: Visit) -> None:
    trials.write(tmp_path)
    shutil.copytree(tmp_path / "trials", tmp_path / EVIL)
    recording = Recording()
    for step in range(3):
        recording.step(step, step * MS, step * MS + MS)
        recording.run(0, GEMM, step * MS, step * MS + MS // 2)
    add(tmp_path / "tuned" / "profile", "2026_01_01_00_00_00", "host", recording.to_bytes())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    with tensorboard(tmp_path) as address:
        tab = visit(address)

        expect(tab.get_by_role("heading", name="Trials")).to_be_visible()
        expect(tab.get_by_role("link", name="tuned/profile/2026_01_01_00_00_00")).to_be_visible()
        expect(tab.locator("tfperf-trials li")).to_have_count(8)
        tab.get_by_role("button", name="8 trials").press("Enter")
        page.keyboard.press("Tab")
        for _ in range(7):
            if "tuned" in tab.locator("tfperf-trials .head:focus").inner_text():
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(tab.locator("#launches circle")).to_have_count(12)
        expect(tab.locator("#switches .change")).to_have_count(5)
        assert "p.diagnostics.trial=tuned" in page.url

        tab.get_by_role("button", name="Copy the lines").click()
        expect(tab.get_by_role("status").filter(has_text="Copied")).to_be_visible()
        assert "num_workers=4" in page.evaluate("navigator.clipboard.readText()")

        tab.get_by_role("link", name="tuned/profile/2026_01_01_00_00_00").click()
        tab.get_by_role("button", name="‹ Runs").click()
        expect(tab.locator("#launches circle")).to_have_count(12)
        tab.get_by_role("button", name=f"{EVIL}/private threads").click()
        expect(tab.locator("#launches .foretold")).to_have_count(3)
        assert tab.locator("tfperf-trials img").count() == 0
        assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("width", [1440, 900, 420])
def test_nothing_is_cut_off(fakes: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    show(page, fakes, "tuned", opened=True)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    beyond = page.locator("tfperf-trials").evaluate(
        """trials => [...trials.shadowRoot.querySelectorAll('span, p, svg')]
            .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.textContent)"""
    )
    assert beyond == []
