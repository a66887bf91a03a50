"""The board of runs, as somebody goes through it: in TensorBoard, and in each of its states."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from demo.build import build
from tests.e2e.conftest import DEMO_RUNS, HOSTILE, TUNED_RUN, demo_run
from tests.e2e.fakes import show
from tests.e2e.tab import Visit, run_shown
from tests.e2e.tensorboard import tensorboard
from tests.logdirs import add_run


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


def test_a_tuning_lies_beside_its_run(server: str, page: Page, visit: Visit) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = visit(server)
    expect(tab.get_by_role("heading", name="Trials")).to_be_visible()
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

    tab.get_by_role("link", name=TUNED_RUN).click()
    tab.get_by_role("button", name="‹ Runs").click()
    expect(tab.locator("#launches circle")).to_have_count(12)
    tab.get_by_role("button", name=f"{HOSTILE}/private threads").click()
    expect(tab.locator("#launches .foretold")).to_have_count(3)
    assert tab.locator("tfperf-trials img").count() == 0
    assert page.evaluate("window.hacked") is None


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
