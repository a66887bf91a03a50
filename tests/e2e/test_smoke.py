"""The tab in real TensorBoard and a real browser: what ``make test`` sees of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit, fetch_report, heads

INPUT_RUN = demo_run("input_bound")


def test_the_tab_shows_what_the_report_says(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, INPUT_RUN)
    report = fetch_report(server, INPUT_RUN)
    first = report["findings"][0]

    expect(tab.get_by_role("heading", level=1)).to_have_text(first["action"])
    expect(tab.locator("tfperf-verdict .cause")).to_have_text(first["cause"])
    expect(heads(tab)).to_have_count(len(report["findings"]))
    for place, expected in enumerate(report["findings"]):
        expect(heads(tab).nth(place)).to_contain_text(expected["title"])
        expect(heads(tab).nth(place)).to_contain_text(expected["severity"])
    assert first["id"] == "input-bound"
    expect(heads(tab).first).to_have_attribute("aria-pressed", "true")
    expect(tab.locator("tfperf-chosen-finding").get_by_role("heading", name=first["title"])).to_be_visible()
    expect(page.get_by_role("tab", name="Diagnostics")).to_be_visible()
