"""The board of runs, as somebody goes through it: in TensorBoard, and in each of its states."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from demo.build import build
from tests.e2e.conftest import DEMO_RUNS, demo_run
from tests.e2e.fakes import settle, show
from tests.e2e.tab import Visit, run_shown
from tests.e2e.tensorboard import tensorboard
from tests.logdirs import add_run

STATES = ("runs", "runs-compared", "runs-launches")


def rows(tab: FrameLocator) -> Locator:
    return tab.locator("tfperf-board tbody tr")


def names(tab: FrameLocator) -> list[str]:
    return tab.locator("tfperf-board td.run a").all_inner_texts()


def test_several_runs_open_the_board_and_back_keeps_row_and_order(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server)
    expect(tab.get_by_role("heading", name="Runs", level=1)).to_be_visible()
    expect(rows(tab).filter(has_text=demo_run("gpu_stagger"))).to_contain_text("4 × V100")
    expect(tab.locator("tfperf-board progress, tfperf-board td[colspan] .quiet")).to_have_count(0)
    tab.get_by_role("button", name="Step, median").click()
    tab.get_by_role("searchbox").fill("2026")
    order = names(tab)
    assert len(order) >= len(DEMO_RUNS)
    chosen = tab.get_by_role("link", name=order[2], exact=True)
    tab.get_by_role("link", name=order[1], exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_be_focused()

    page.keyboard.press("Enter")
    expect(run_shown(tab)).to_have_text(order[2])
    page.wait_for_function("location.hash.includes('p.diagnostics.run=')")
    page.go_back()

    expect(chosen).to_be_focused()
    assert names(tab) == order
    assert "p.diagnostics.sort=step" in page.url
    page.go_forward()
    expect(run_shown(tab)).to_have_text(order[2])
    page.keyboard.press("r")
    expect(chosen).to_be_focused()
    assert names(tab) == order


def test_no_row_moves_when_its_report_comes(server: str, page: Page, visit: Visit) -> None:
    address = "**/data/plugin/diagnostics/board?*"
    page.route(address, lambda _: None)
    with page.expect_request(address):
        tab = visit(server)
    expect(rows(tab).first).to_contain_text("Waiting")
    places = "all => all.map(one => Math.round(one.getBoundingClientRect().top))"
    before = rows(tab).evaluate_all(places)

    # What is still held then goes on.
    page.unroute(address)
    expect(tab.locator("tfperf-board td[colspan] .quiet")).to_have_count(0)

    assert rows(tab).evaluate_all(places) == before


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, cache: None) -> Iterator[str]:
    """10,000 runs, of which only the newest are profiles."""
    path = tmp_path_factory.mktemp("many")
    build(path, ("healthy_single_gpu",))
    for i in range(10_000):
        add_run(path, f"run{i}/2025_01_01_00_00_00")
    with tensorboard(path) as address:
        yield address


def test_thousands_of_runs_open_fast_and_only_rows_in_view_are_asked_for(
    many: str, page: Page, visit: Visit
) -> None:
    asked: set[str] = set()
    page.on("request", lambda request: asked.update(parse_qs(urlsplit(request.url).query).get("run", [])))

    tab = visit(many)

    expect(tab.get_by_text("10,001 profiles in this log directory")).to_be_visible()
    expect(rows(tab)).to_have_count(50)
    expect(rows(tab).first).to_contain_text("Nothing to fix")
    expect(rows(tab).nth(1)).to_contain_text("cut off or not a profile")
    assert 1 < len(asked) < 50


@pytest.mark.parametrize("state", STATES)
def test_no_number_is_cut_at_any_width(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)
    expect(page.locator("tfperf-board td.finding").first).to_be_visible()
    # A font as wide as any that may stand in for the usual one.
    page.add_style_tag(content="body { letter-spacing: 0.03em; }")
    for width in (900, 1100, 1440, 1900):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        cut = page.locator("tfperf-board td.number, tfperf-board td.recoverable").evaluate_all(
            "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
        )
        assert cut == [], width


def test_the_top_finding_is_in_view_on_a_phone(fakes: str, page: Page) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    show(page, fakes, "runs")
    cells = page.locator("tfperf-board td.finding")
    expect(cells.first).to_be_visible()

    right = page.locator("tfperf-board .scroll").evaluate("box => box.getBoundingClientRect().right")
    assert (
        cells.evaluate_all("all => Math.max(...all.map(one => one.getBoundingClientRect().right))") <= right
    )
    cut = cells.locator("div").evaluate_all(
        "all => all.filter(one => one.scrollHeight > one.clientHeight + 1).map(one => one.textContent)"
    )
    assert cut == []


def test_long_names_of_gpus_cut_no_column(fakes: str, page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    show(page, fakes, "runs")
    expect(page.locator("tfperf-board td.finding").first).to_be_visible()
    page.locator("tfperf-board td.gpus").evaluate_all(
        "cells => cells.forEach(cell => (cell.textContent = '8 × Instinct MI300X (inferred)'))"
    )
    page.locator("tfperf-board td.step .quiet").evaluate_all(
        "spans => spans.forEach(span => (span.textContent = 'p95 1,240 ms'))"
    )

    assert page.locator("tfperf-board .scroll").evaluate("box => box.scrollWidth - box.clientWidth") == 0
