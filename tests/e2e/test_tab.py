"""The tab in real TensorBoard and a real browser, as a user goes through it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import REAL_PROFILES
from tests.e2e.conftest import GARBAGE_RUN, HOSTILE_RUN, REAL_RUN, demo_run
from tests.e2e.fakes import ask
from tests.e2e.tab import (
    Visit,
    assert_zoomed,
    choose_run,
    fetch_report,
    heads,
    run_shown,
    unfold,
    whole_tab,
)
from tests.e2e.tensorboard import tensorboard

INPUT_RUN = demo_run("input_bound")
STAGGER_RUN = demo_run("gpu_stagger")


@pytest.mark.parametrize(("query", "dark"), [("?darkMode=true", True), ("?darkMode=false", False)])
def test_the_theme_is_tensorboards(server: str, visit: Visit, query: str, dark: bool) -> None:
    tab = visit(server, INPUT_RUN, query)
    heading = tab.locator("tfperf-verdict h1")
    expect(heading).to_be_visible()
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark" if dark else "light")

    ink, ground = heading.evaluate(
        """heading => {
            const app = heading.getRootNode().host.getRootNode().host;
            return [getComputedStyle(heading).color, getComputedStyle(app).backgroundColor];
        }"""
    )

    assert (brightness(ink) > 128) == dark
    assert (brightness(ground) < 128) == dark


def brightness(colour: str) -> float:
    red, green, blue = (float(number) for number in re.findall(r"[\d.]+", colour)[:3])
    return 0.3 * red + 0.59 * green + 0.11 * blue


def test_the_trace_viewer_opens_on_the_place(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)
    place = fetch_report(server, STAGGER_RUN)["findings"][0]["where"][0]
    heads(tab).first.click()

    with page.context.expect_page() as opened:
        tab.locator("tfperf-finding-timeline").get_by_role("link", name="Open in trace viewer").click()

    assert_zoomed(opened.value, place)


def test_open_in_profile_tab_without_a_page_load(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)
    call = fetch_report(server, STAGGER_RUN)["allreduce"]["calls"][0]
    page.evaluate("window.stillHere = true")
    card = tab.locator("tfperf-communication")
    unfold(card, "Tables: each number")
    longest = unfold(card, "The longest calls").get_by_role("row").nth(1)
    longest.get_by_role("button", name=f"Show AllReduce of step {call['step']} at").click()

    card.get_by_role("link", name="Open in Profile tab").click()

    assert_zoomed(page, call)
    expect(page.get_by_role("tab", name="Profile")).to_have_attribute("aria-selected", "true")
    assert page.evaluate("window.stillHere") is True
    page.go_back()
    expect(heads(tab).first).to_be_visible()
    expect(page.get_by_role("tab", name="Diagnostics")).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(page.get_by_role("tab", name="Profile")).to_have_attribute("aria-selected", "true")


def test_how_a_finding_is_measured_is_one_click_away(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, INPUT_RUN)
    fix = unfold(tab.locator("tfperf-chosen-finding tfperf-fix").first, "and links")
    link = fix.get_by_role("link", name="How this is measured")

    with page.context.expect_page() as opened:
        link.click()

    document = opened.value
    expect(document).to_have_title("Input-bound · tfperf")
    expect(document.get_by_role("heading", level=1)).to_have_text("Input-bound")
    expect(document.get_by_role("heading", name="How it is measured")).to_be_visible()
    threshold = "share of the wait in which the stage to blame works"
    expect(document.get_by_role("cell", name=threshold, exact=True)).to_be_visible()
    expect(document.get_by_text("From the simulated training")).to_be_visible()
    document.get_by_role("link", name="All rules").click()
    expect(document.get_by_role("heading", level=1)).to_have_text("What tfperf checks")
    document.get_by_role("link", name="Launch skew across GPUs").click()
    expect(document.get_by_role("heading", level=1)).to_have_text("Launch skew across GPUs")


def test_garbage_is_said_so_and_other_runs_stay_usable(server: str, visit: Visit) -> None:
    tab = visit(server, GARBAGE_RUN)

    expect(tab.get_by_role("alert")).to_be_visible()
    expect(tab.get_by_role("alert")).not_to_contain_text("Traceback")
    choose_run(tab, INPUT_RUN)
    expect(heads(tab).first).to_be_visible()
    expect(tab.get_by_role("alert")).to_be_hidden()


def test_names_from_a_profile_stay_text(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, HOSTILE_RUN)
    report = fetch_report(server, HOSTILE_RUN)
    shown = ("devices", "input", "stagger", "allreduce", "by_host", "training", "findings")
    assert [part for part in shown if "<img src=x" not in json.dumps(report[part])] == []

    expect(run_shown(tab)).to_have_text(HOSTILE_RUN)
    frame = whole_tab(page)
    for head in reversed(heads(tab).all()):
        head.click()
    ask(frame, "openAll")
    parts = ("verdict", "budget", "chosen-finding", "communication", "hosts", "input", "training", "bar")
    for part in parts:
        expect(tab.locator(f"tfperf-{part}").get_by_text("<img src=x").first).to_be_attached()

    assert tab.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None


def test_with_the_default_data_server_below_a_path_prefix(logdir: Path, page: Page, visit: Visit) -> None:
    with tensorboard(logdir, "--path_prefix=/some/prefix", load_fast="auto") as address:
        assert address.endswith("/some/prefix/")
        tab = visit(address, INPUT_RUN)
        place = fetch_report(address, INPUT_RUN)["findings"][0]["where"][0]
        heads(tab).first.click()
        with page.context.expect_page() as opened:
            tab.locator("tfperf-finding-timeline").get_by_role("link", name="Open in trace viewer").click()
        assert_zoomed(opened.value, place)


def test_a_real_profile(server: str, visit: Visit) -> None:
    if not REAL_PROFILES.is_dir():
        pytest.skip("the real profiles are not beside this repository")
    tab = visit(server, REAL_RUN)
    report = fetch_report(server, REAL_RUN)
    (noted,) = [note for note in report["trust"] if note["id"] == "warm-up-captured"]

    expect(tab.get_by_role("heading", level=1)).to_have_text(report["advice"])
    expect(heads(tab)).to_have_count(0)  # what lies between two starts is no step
    expect(tab.locator("tfperf-verdict .evidence").get_by_text(noted["title"])).to_be_visible()
