"""What the tab says of several GPUs and hosts: AllReduce, stagger, hosts, and what the training recorded."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import settle
from tests.e2e.tab import (
    FAINT_TEXTS,
    Visit,
    assert_zoomed,
    choose_run,
    fetch_report,
    heads,
    unfold,
    whole_tab,
)

STAGGER_RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")
FIRST_ESTIMATE = "120\xa0GB/s"
"""What NVLink 2 reaches between V100s."""


def allreduce_card(tab: FrameLocator) -> Locator:
    return tab.locator("tfperf-allreduce")


def per_step(card: Locator, term: str) -> Locator:
    """The number under this term."""
    return card.get_by_role("listitem").filter(has_text=term).locator("b")


def enter(field: Locator, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def ms(ns: float) -> str:
    return f"{ns / 1e6:.2g}\xa0ms"


def in_address(page: Page, part: str) -> None:
    page.wait_for_function("part => decodeURIComponent(location.hash).includes(part)", arg=part)


def focused(tab: FrameLocator) -> Any:
    """Tag and words of what has the focus inside the tab."""
    return tab.locator("body").evaluate(
        """() => {
            let active = document.activeElement;
            while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
            return [active.localName, active.labels?.[0]?.innerText || active.innerText];
        }"""
    )


def test_typed_values_recompute_the_estimates(server: str, page: Page, visit: Visit) -> None:
    report = fetch_report(server, STAGGER_RUN)["allreduce"]
    card = allreduce_card(visit(server, STAGGER_RUN))
    parameters = card.get_by_label("Parameters of the model")
    bandwidth = card.get_by_label("Bandwidth of one GPU")
    guide, ring = per_step(card, "guide estimate"), per_step(card, "ring bound")
    expect(parameters).to_have_value("")
    expect(bandwidth).to_have_attribute("placeholder", FIRST_ESTIMATE)

    enter(parameters, "25.6M")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 120))
    expect(card.locator("#parameters-note")).to_contain_text("25,600,000, as given")

    enter(bandwidth, "600 GB/s bidirectional")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 300))
    expect(ring).to_have_text(ms(report["bytes_per_step"] * 2 * 3 / 4 / 300))
    expect(card.locator("#bandwidth-note")).to_contain_text("300\xa0GB/s, as given, both directions halved")

    enter(bandwidth, "PCIe 4 x16")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 31.5))
    expect(per_step(card, "measured transfer")).to_have_text(ms(report["transfer_ns"]))
    enter(bandwidth, "NVLink 3")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 300))
    expect(card.locator("#bandwidth-note")).to_contain_text("NVLink 3 line rate, one direction")
    in_address(page, "p.diagnostics.parameters=25.6M&p.diagnostics.bandwidth=NVLink 3")


def test_typed_values_are_remembered_for_their_run_alone(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)
    card = allreduce_card(tab)
    parameters = card.get_by_label("Parameters of the model")
    bandwidth = card.get_by_label("Bandwidth of one GPU")
    guide = per_step(card, "guide estimate")
    expect(bandwidth).to_have_attribute("placeholder", FIRST_ESTIMATE)
    estimated = guide.inner_text()
    enter(parameters, "25.6M")
    in_address(page, "parameters=25.6M")
    enter(bandwidth, "NVLink 3")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 300))
    in_address(page, "bandwidth=NVLink 3")

    page.reload()
    expect(bandwidth).to_have_value("NVLink 3")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 300))

    choose_run(tab, HOSTS_RUN)
    expect(card.locator("h2")).to_contain_text("4 hosts")
    expect(parameters).to_have_value("")
    expect(bandwidth).to_have_value("")
    expect(page).not_to_have_url(re.compile("NVLink"))

    page.goto("about:blank")
    visit(server, STAGGER_RUN)
    expect(parameters).to_have_value("25.6M")
    expect(guide).to_have_text(ms(25.6e6 * 4 / 300))
    in_address(page, "bandwidth=NVLink 3")

    enter(bandwidth, "")
    expect(bandwidth).to_have_attribute("placeholder", FIRST_ESTIMATE)
    enter(parameters, "")
    expect(guide).to_have_text(estimated)
    page.wait_for_function("!location.hash.includes('parameters') && !location.hash.includes('bandwidth')")
    page.reload()
    expect(guide).to_have_text(estimated)
    expect(parameters).to_have_value("")


def test_a_text_that_is_no_bandwidth_is_refused_at_its_field(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)
    card = allreduce_card(tab)
    bandwidth = card.get_by_label("Bandwidth of one GPU")
    expect(bandwidth).to_be_visible()
    headline = tab.get_by_role("heading", level=1).inner_text()

    enter(bandwidth, "<b>fast</b>")

    refusal = card.get_by_role("alert")
    expect(refusal).to_contain_text("NVLink 3 or PCIe 4 x16, not '<b>fast</b>'.")
    expect(bandwidth).to_have_attribute("aria-invalid", "true")
    expect(bandwidth).to_have_value("<b>fast</b>")
    expect(bandwidth).to_have_accessible_description(
        refusal.inner_text()
        + " "
        + FIRST_ESTIMATE
        + ", NVLink 2, derived: 150 GB/s line rate less 20 % for the protocol"
    )
    expect(tab.get_by_role("heading", level=1)).to_have_text(headline)
    assert "fast" not in page.url
    enter(bandwidth, "230")
    expect(refusal).to_be_hidden()
    expect(bandwidth).to_have_attribute("aria-invalid", "false")


def test_the_longest_call_opens_in_the_trace(server: str, page: Page, visit: Visit) -> None:
    call = fetch_report(server, STAGGER_RUN)["allreduce"]["calls"][0]
    card = allreduce_card(visit(server, STAGGER_RUN))

    longest = unfold(card, "The longest calls").get_by_role("row").nth(1)
    expect(longest).to_contain_text("GPU 3")
    longest.get_by_role("button", name=f"Show AllReduce of step {call['step']} at").click()

    assert_zoomed(page, call)
    expect(card.get_by_role("button", name="Close the trace")).to_be_visible()


def test_the_slow_host_is_marked(server: str, visit: Visit) -> None:
    tab = visit(server, HOSTS_RUN)
    hosts = fetch_report(server, HOSTS_RUN)["by_host"]
    panel = tab.locator("tfperf-hosts")

    expect(heads(tab).first).to_contain_text("worker2 is slower than the other hosts")
    expect(panel.get_by_text("worker2 is slow:")).to_be_visible()
    rows = panel.locator("#rows").get_by_role("button")
    expect(rows).to_have_text(["worker2▲ slow", "worker0", "worker1", "worker3"])
    expect(rows.first).to_have_attribute("aria-pressed", "true")

    table = unfold(panel, "Each host").get_by_role("table")
    expect(table.get_by_role("columnheader", name="Clock off by")).to_be_visible()
    expect(table.get_by_role("row")).to_have_count(1 + len(hosts))
    for row, host in zip(table.get_by_role("row").all()[1:], hosts, strict=True):
        expect(row).to_contain_text(host["host"])
        expect(row).to_contain_text("the same clock" if host is hosts[0] else "ends of collectives")

    rows.nth(1).click()
    expect(panel.get_by_role("heading", name="Own time of worker0 step by step")).to_be_visible()
    steps = unfold(panel, "Each step of worker0").get_by_role("row")
    expect(steps).to_have_count(1 + len(hosts[0]["steps"]))


def test_one_host_has_no_panel_of_hosts(server: str, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)

    expect(allreduce_card(tab)).to_be_visible()
    expect(tab.locator("tfperf-hosts")).to_have_count(0)


def test_what_the_training_recorded_is_shown_and_used(server: str, visit: Visit) -> None:
    tab = visit(server, HOSTS_RUN)

    facts = unfold(tab.locator("tfperf-training"), "What the training recorded about itself")

    for host in range(4):
        expect(facts).to_contain_text(
            f"slow_host/plugins/diagnostics/worker{host}.20251231T235900.000000+0000"
        )
    expect(facts.get_by_text("2025-12-31 23:59:00 UTC").first).to_be_visible()
    expect(facts.locator("dd")).to_have_text(
        [
            "6,778,880",
            "6,778,880 in float32",
            "27.1 MB",
            "6,144",
            "mixed_float16",
            "MultiWorkerMirroredStrategy",
            "gpu_private",
        ]
    )
    expect(allreduce_card(tab).locator("#parameters-note")).to_contain_text(
        "6,778,880, trainable parameters, recorded by the training"
    )


def test_without_a_record_the_tab_says_how_to_get_one(server: str, visit: Visit) -> None:
    panel = visit(server, STAGGER_RUN).locator("tfperf-training")
    expect(panel.get_by_text("DiagnosticsCallback")).to_be_hidden()

    unfold(panel, "What the training recorded about itself")

    expect(panel.get_by_text("Nothing was recorded beside this profile")).to_be_visible()
    expect(panel.get_by_text("from tfperf_plugin.keras import DiagnosticsCallback")).to_be_visible()


def test_the_keyboard_reaches_all_of_the_card(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, STAGGER_RUN)
    card = allreduce_card(tab)
    whole_tab(page)
    card.get_by_label("Parameters of the model").focus()

    page.keyboard.press("Tab")
    assert focused(tab) == ["input", "Bandwidth of one GPU"]
    terms = (
        "guide estimate",
        "ring bound",
        "measured transfer",
        "waiting",
        "exposed",
        "hidden",
        "bus bandwidth",
        "achievable",
    )
    for term in terms:
        page.keyboard.press("Tab")
        assert focused(tab) == ["button", term]
        expect(card.get_by_role("tooltip")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(card.get_by_role("tooltip")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(card.get_by_text("Step 2: transfer")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(card.get_by_text("Step 3: transfer")).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(tab) == ["summary", "Each number, and how it is known"]
    page.keyboard.press("Enter")
    row = card.get_by_role("row", name="Guide estimate")
    expect(row).to_contain_text("parameters × 4 bytes / bandwidth")


@pytest.mark.parametrize(("run", "dark"), [(HOSTS_RUN, "true"), (STAGGER_RUN, "false")])
def test_all_panels_are_readable_in_a_narrow_window(
    server: str, page: Page, visit: Visit, run: str, dark: str
) -> None:
    page.set_viewport_size({"width": 900, "height": 1000})
    tab = visit(server, run, f"?darkMode={dark}")
    panels = tab.locator("tfperf-chosen-finding, tfperf-allreduce, tfperf-hosts, tfperf-training")
    expect(panels).to_have_count(4 if run == HOSTS_RUN else 3)
    frame = whole_tab(page)
    for summary in panels.locator("summary").all():
        summary.click()
    expect(panels.get_by_role("columnheader", name="Came last", exact=True)).to_be_visible()
    settle(frame)

    found = panels.evaluate_all(FAINT_TEXTS)
    wide = tab.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")

    assert found["texts"] > 300
    assert found["faint"] == []
    assert wide == 0
