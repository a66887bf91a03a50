"""The verdict: it says what the first finding says, and promises no more than is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from demo.build import build
from tests.conftest import REAL_PROFILES
from tests.e2e.conftest import DEMO_RUNS, REAL_RUN, demo_run
from tests.e2e.fakes import show
from tests.e2e.tab import Visit, fetch_report

NUMBER = re.compile(r"([\d.,]+)\s(s|ms|µs|ns)\b")
MORE = ("step_gaps", "allreduce_slow", "h2d_copy_bound")
RUNS = [*map(demo_run, (*DEMO_RUNS, *MORE)), *([REAL_RUN] if REAL_PROFILES.is_dir() else [])]


@pytest.fixture(scope="module")
def demos(logdir: Path, server: str) -> str:
    """The TensorBoard of all tests, with more demo runs from now on."""
    build(logdir, MORE)
    return server


def plain(part: Locator) -> str:
    return re.sub(r"\s+", " ", part.inner_text()).strip()


def ns(words: str) -> float:
    found = NUMBER.search(words)
    assert found, words
    return float(found[1].replace(",", "")) * {"s": 1e9, "ms": 1e6, "µs": 1e3, "ns": 1}[found[2]]


def first_row(tab: FrameLocator | Page) -> Locator:
    return tab.locator("tfperf-budget .row.finding").first


@pytest.mark.parametrize("run", RUNS)
def test_the_verdict_is_that_of_row_1(demos: str, visit: Visit, run: str) -> None:
    tab, report = visit(demos, run), fetch_report(demos, run)
    panel = tab.locator("tfperf-verdict")
    expect(panel.locator("h1")).not_to_be_empty()
    first = report["findings"][0] if report["findings"] else None

    if first is None or first["severity"] == "info":
        expect(panel.locator("h1")).to_have_text(report["advice"])
        expect(panel.locator(".after")).to_have_count(0)
        return
    row = first_row(tab)
    expect(panel.locator("h1")).to_have_text(first["action"] or first["title"])
    expect(row.locator(".pick small")).to_have_text(first["action"])
    expect(panel.locator("tfperf-severity")).to_contain_text(first["severity"])
    expect(row.locator(".rank")).to_have_attribute("title", first["severity"])
    if first["saving"]:
        saved = first["saving"]["ns"]
        assert ns(plain(panel.locator(".saving"))) == pytest.approx(saved, rel=0.05)
        assert ns(plain(row.locator(".number b"))) == pytest.approx(saved, rel=0.05)


def test_what_if_leaves_the_verdict_as_it_is(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    before = plain(page.locator("tfperf-verdict .after"))

    page.locator("tfperf-budget").get_by_role("checkbox").first.uncheck()

    expect(page.locator("tfperf-budget .track.pale")).to_have_count(1)
    expect(page.locator("tfperf-budget #projected")).to_contain_text("with 3 of 4 findings fixed")
    assert plain(page.locator("tfperf-verdict .after")) == before
