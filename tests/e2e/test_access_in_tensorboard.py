"""The tab for everybody, in real TensorBoard: axe, and nothing that moves under the hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import REAL_PROFILES
from tests.e2e.conftest import HOSTILE_RUN, REAL_RUN, demo_run
from tests.e2e.fakes import ask, axe, settle
from tests.e2e.tab import FAINT_TEXTS, Visit, run_shown, wait_for_frame, whole_tab


@pytest.mark.parametrize(("run", "dark"), [(HOSTILE_RUN, "true"), (REAL_RUN, "false")])
def test_axe_finds_nothing_in_tensorboard(server: str, page: Page, visit: Visit, run: str, dark: str) -> None:
    if run == REAL_RUN and not REAL_PROFILES.is_dir():
        pytest.skip("the real profiles are not beside this repository")
    tab = visit(server, run, f"?darkMode={dark}")
    expect(run_shown(tab)).to_have_text(run)
    frame = whole_tab(page)
    ask(frame, "openAll")
    settle(frame)

    assert axe(frame) == []


@pytest.mark.parametrize(
    ("run", "dark"), [(demo_run("slow_host"), "true"), (demo_run("gpu_stagger"), "false")]
)
def test_all_panels_are_readable_in_tensorboards_theme_and_a_narrow_window(
    server: str, page: Page, visit: Visit, run: str, dark: str
) -> None:
    page.set_viewport_size({"width": 900, "height": 1000})
    tab = visit(server, run, f"?darkMode={dark}")
    panels = tab.locator(
        ", ".join(f"tfperf-{name}" for name in ("bar", "verdict", "budget", "finding-timeline", "sections"))
    )
    frame = whole_tab(page)
    expect(panels).to_have_count(5)
    ask(frame, "openAll")
    settle(frame)
    expect(panels.get_by_role("columnheader", name="Came last", exact=True)).to_be_visible()

    found = panels.evaluate_all(FAINT_TEXTS)
    wide = tab.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
    ground = tab.locator("tfperf-app").evaluate("app => getComputedStyle(app).backgroundColor")

    assert found["texts"] > 300
    assert found["faint"] == []
    assert wide == 0
    assert (max(map(int, re.findall(r"\d+", ground)[:3])) < 128) == (dark == "true")


@pytest.mark.parametrize("scenario", ["gpu_stagger", "slow_host", "input_bound"])
def test_nothing_moves_under_the_hand_when_what_is_slow_comes(
    server: str, page: Page, visit: Visit, scenario: str
) -> None:
    late = ("**/data/plugin/profile/hosts?*", "**/data/plugin/diagnostics/timeline?*")
    held: list[Route] = []
    for address in late:
        page.route(address, lambda route: held.append(route))
    with page.expect_request(late[0]), page.expect_request(late[1]):
        tab = visit(server, demo_run(scenario))
    frame = wait_for_frame(page, "name=diagnostics")
    ask(frame, "atRest")
    assert ask(frame, "findOperable") > 20
    before = ask(frame, "tops")
    assert len(held) == 2
    # What is still held then goes on.
    for address in late:
        page.unroute(address)
    expect(tab.get_by_role("link", name="Open in trace viewer").first).to_be_visible()
    expect(tab.get_by_text("What is in view, as a table")).to_be_visible()

    assert ask(frame, "tops") == before
