"""The tab in real TensorBoard and a real browser, as a user goes through it."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import REAL_PROFILES
from tests.e2e.conftest import GARBAGE_RUN, HOSTILE_RUN, PYTORCH_RUN, REAL_RUN, TRAINED, demo_run
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


def test_a_range_of_a_pytorch_trace_is_saved_as_a_trace(server: str, page: Page, visit: Visit) -> None:
    """XProf cannot show it, so the tab saves ranges of it."""
    tab = visit(server, PYTORCH_RUN)
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


def test_with_the_steps_of_an_epoch_the_verdict_says_how_long_they_take(
    server: str, page: Page, visit: Visit
) -> None:
    """A recorded step of 39 ms, and epochs of 36 s."""
    verdict = visit(server, demo_run(TRAINED)).locator("tfperf-verdict")
    expect(verdict).to_contain_text("An epoch takes 36.0 s, the time of 923 recorded steps of 39.0 ms.")

    steps = verdict.get_by_label("Training steps of an epoch")
    steps.fill("some")
    steps.press("Enter")
    expect(verdict.get_by_role("alert")).to_contain_text("must be a whole number from 1 on, not 'some'")

    steps.fill("400")
    steps.press("Enter")
    expect(verdict.locator(".band")).to_contain_text("the training 90.0 ms a step")
    page.reload()
    expect(verdict.locator(".band")).to_contain_text("Its epochs hold 400 steps.")
    expect(steps).to_have_value("400")
