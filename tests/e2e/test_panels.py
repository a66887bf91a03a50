"""What the tab says of one GPU: its input pipeline, the phases of a step, ops and kernels, and memory."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.tab import Visit, fetch_report, heads, open_sections, unfold

RUN = demo_run("input_bound")
EXPLAINS = demo_run("kernel_launch_bound")
"""Its first finding explains another one."""


def rows(table: Locator) -> Locator:
    return table.locator("tbody tr")


def test_the_tree_of_the_input_pipeline_marks_what_steps_wait_for(server: str, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    panel = tab.locator("tfperf-input")
    (worst,) = (item for item in report["input"]["iterators"] if item["is_bottleneck"])

    (section,) = (one for one in report["sections"] if one["id"] == "input")
    expect(tab.locator("tfperf-sections #input .answer")).to_have_text(section["answer"])
    marked = rows(panel).filter(has_text="bottleneck")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text(worst["written"])
    expect(panel.get_by_text("on it", exact=True)).to_have_count(len(report["input"]["critical_path"]))


def test_phases_add_up_to_compute(server: str, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    (compute,) = (a["ns"] for a in report["ledger"]["accounts"] if a["id"] == "compute")

    assert sum(phase["ns"] for phase in report["phases"]["items"]) == compute
    open_sections(tab)
    panel = tab.locator("tfperf-kernels")
    expect(panel.get_by_role("list", name="Phases, shares of compute").get_by_role("listitem")).to_have_count(
        sum(phase["ns"] > 0 for phase in report["phases"]["items"])
    )


def test_ops_are_filtered_by_phase_and_by_name_and_sorted_by_keyboard(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server, RUN)
    open_sections(tab)
    panel = tab.locator("tfperf-kernels")
    panel.get_by_role("button", name="Ops", exact=True).click()
    table = panel.locator("tfperf-rows table")
    expect(rows(table).first).to_be_visible()
    every = rows(table).count()

    panel.get_by_role("combobox", name="Phase").select_option(label="optimizer")
    expect(rows(table).first).to_contain_text("ResourceApplyAdam")
    expect(rows(table)).not_to_have_count(every)
    panel.get_by_role("combobox", name="Phase").select_option(index=0)
    panel.get_by_role("searchbox", name="Search").fill("block_0/conv")
    expect(rows(table).first).to_contain_text("block_0/conv")
    panel.get_by_role("searchbox", name="Search").fill("")

    head = table.get_by_role("button", name="Calls")
    head.focus()
    page.keyboard.press("Enter")
    expect(table.locator("th[aria-sort]")).to_contain_text("Calls")


def test_memory_names_its_peak(server: str, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    open_sections(tab)
    panel = tab.locator("tfperf-memory")

    assert report["memory"]
    expect(panel.locator("svg").first).to_be_visible()
    expect(panel.get_by_text("peak").first).to_be_visible()
    expect(rows(unfold(panel, "What is in use at the peak").locator("table")).first).to_be_visible()


def test_a_finding_shows_what_it_explains(server: str, visit: Visit) -> None:
    tab, report = visit(server, EXPLAINS), fetch_report(server, EXPLAINS)
    folded = report["findings"][0]["explains"]

    assert folded
    expect(heads(tab)).to_have_count(len(report["findings"]))
    nested = tab.locator("tfperf-chosen-finding .inner summary").first
    expect(nested).to_contain_text(folded[0]["title"])
    nested.click()
    expect(tab.get_by_text(folded[0]["summary"])).to_be_visible()
