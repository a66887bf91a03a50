"""The Communication section: measured beside estimated, typed in place without moving anything, and who comes
last."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import ask, settle, show, widen
from tests.e2e.tab import Visit, assert_zoomed, choose_run, fetch_report, unfold, wait_for_frame, whole_tab
from tfperf_plugin.judging.engine import words

RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")
ALONE_RUN = demo_run("healthy_single_gpu")
FIRST_ESTIMATE = "120\xa0GB/s"
"""What NVLink 2 reaches between V100s."""
STATES = ("staggered", "all-to-all", "grouped", "many-hosts")
TABLES = "Tables: each number"
WATCH = """input => {
    const own = input.getRootNode();
    const above = [input, ...own.querySelectorAll('p, h3, .tiles li')].filter(one => one === input
        || input.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING);
    const seen = new Set();
    const look = () => {
        seen.add(JSON.stringify([scrollY, own.activeElement === input,
            ...above.map(one => one.getBoundingClientRect()).map(({ x, y, width }) => [x, y, width])]));
        window.watching = requestAnimationFrame(look);
    };
    window.watched = seen;
    look();
}"""
WATCHED = """() => {
    cancelAnimationFrame(window.watching);
    return [...window.watched].map(one => JSON.parse(one));
}"""
CUT = """all => all
    .filter(one => [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && /\\d/.test(data)))
    .filter(one => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right } = range.getBoundingClientRect();
        const box = (one.closest('td, li, p') ?? one).getBoundingClientRect();
        return right - left > 0 && (left < box.left - 1 || right > box.right + 1);
    }).map(one => one.textContent)"""
TIP_OVER = """tip => {
    const box = tip.getBoundingClientRect();
    const parts = 'h3, li, p, td, summary, #chart text, #chart g > rect:not(.slot)';
    const near = [...tip.getRootNode().querySelectorAll(parts)];
    return near.filter(one => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return right > box.left + 1 && left < box.right - 1 && bottom > box.top + 1 && top < box.bottom - 1;
    }).map(one => one.localName + one.textContent);
}"""


def section(tab: FrameLocator | Page) -> Locator:
    return tab.locator("tfperf-communication")


def per_step(card: Locator, term: str) -> Locator:
    """The number under this term."""
    return card.get_by_role("listitem").filter(has_text=re.compile(rf"^\s*{term}")).locator("b")


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


def test_it_shows_what_the_report_says_and_the_formula(server: str, visit: Visit) -> None:
    report = fetch_report(server, RUN)
    found = report["allreduce"]
    accounts = {account["id"]: account["ns"] for account in report["ledger"]["accounts"]}
    card = section(visit(server, RUN))

    guide = found["parameters"] * 4 / found["bandwidth_gbps"]
    assert guide == pytest.approx(found["guide_ns"], abs=1)
    ring = found["bytes_per_step"] * 2 * (found["participants"] - 1) / found["participants"]
    expect(per_step(card, "guide estimate")).to_have_text(ms(guide))
    expect(per_step(card, "ring bound")).to_have_text(ms(ring / found["bandwidth_gbps"]))
    expect(per_step(card, "measured transfer")).to_have_text(ms(found["transfer_ns"]))
    expect(per_step(card, "achievable")).to_have_text(ms(found["achievable_ns"]))
    expect(card.get_by_role("listitem").filter(has_text="guide estimate").first).to_contain_text(
        "parameters × 4 bytes / bandwidth"
    )
    wait = accounts["communication.wait"]
    expect(card.locator("p").first).to_contain_text(f"Straggler wait {wait / 1e6:.1f}\xa0ms")
    expect(card.locator("#legend")).to_contain_text(f"ring bound {ms(found['ring_bound_ns'])}")

    expect(card.locator("details.tables tfperf-table table")).to_have_count(0)
    unfold(card, TABLES)
    steps = unfold(card, "AllReduce of each step").get_by_role("row")
    expect(steps).to_have_count(1 + len(found["steps"]))
    for row, step in zip(steps.all()[1:], found["steps"], strict=True):
        expect(row.get_by_role("cell").nth(0)).to_have_text(str(step["step"]))
        expect(row.get_by_role("cell").nth(1)).to_have_text(ms(step["transfer_ns"]))
        expect(row.get_by_role("cell").nth(4)).to_have_text(f"{step['exposed_ns'] / 1e6:.1f}\xa0ms")


@pytest.mark.parametrize("run", [RUN, HOSTS_RUN])
def test_who_comes_last_is_as_the_report_says(server: str, visit: Visit, run: str) -> None:
    report = fetch_report(server, run)
    stragglers, several = report["stragglers"], len(report["hosts"]) > 1
    assert stragglers[0]["behind_ns"] == max(one["behind_ns"] for one in stragglers) > 0
    caused = {(one["host"], one["device"]): one["caused_wait_ns"] for one in report["allreduce"]["devices"]}
    rows = section(visit(server, run)).get_by_role("group", name="Who comes last").locator("tbody tr")

    expect(rows).to_have_count(len(stragglers))
    for row, one in zip(rows.all(), stragglers, strict=True):
        name = one["device"].replace(":", " ")
        gpu, *told, cause = row.get_by_role("cell").all_inner_texts()
        assert gpu == (f"{one['host']} {name}" if several else name)
        waits = caused[one["host"], one["device"]]
        expected = words.ms(one["behind_ns"]), words.percent(one["last_ratio"]), words.ms(waits)
        assert [cell.replace("\xa0", " ") for cell in told] == list(expected)
        late = one["behind_ns"] >= report["ledger"]["step_ns"] / 100
        assert cause == ((one["cause"] or "not known") if late else "not late")


def test_one_gpu_has_no_section(server: str, visit: Visit) -> None:
    tab = visit(server, ALONE_RUN)

    expect(tab.locator("tfperf-budget")).to_be_visible()
    expect(tab.locator("tfperf-sections #checks")).to_be_visible()
    expect(section(tab)).to_have_count(0)


def test_typing_moves_nothing(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    card = section(tab)
    whole_tab(page)
    field = card.get_by_label("Bandwidth of one GPU")
    expect(field).to_have_attribute("placeholder", FIRST_ESTIMATE)
    parameters = fetch_report(server, RUN)["allreduce"]["parameters"]
    field.scroll_into_view_if_needed()
    field.focus()
    frame = wait_for_frame(page, "name=diagnostics")
    field.evaluate(WATCH)

    for text, gbps in (("60 GB/s", 60), ("NVLink 3", 300), ("1", 1)):
        field.fill("")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(per_step(card, "guide estimate")).to_have_text(re.compile(f"^{ms(parameters * 4 / gbps)[:2]}"))
        expect(card.get_by_text("Recomputing")).to_have_count(0)
    field.fill("fast")
    page.keyboard.press("Enter")
    expect(card.get_by_role("alert")).to_contain_text("not 'fast'.")
    field.fill("")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("placeholder", FIRST_ESTIMATE)
    settle(frame)

    (scroll, has_focus, *boxes), *others = frame.evaluate(WATCHED)
    assert has_focus
    for at, focus, *there in others:
        assert (at, focus) == (scroll, True)
        for before, now in zip(boxes, there, strict=True):
            assert now == pytest.approx(before, abs=1)


def test_a_finding_that_comes_or_goes_leaves_the_field_where_it_is(
    server: str, page: Page, visit: Visit
) -> None:
    tab = visit(server, HOSTS_RUN)
    whole_tab(page)
    field = section(tab).get_by_label("Bandwidth of one GPU")
    picks = tab.locator("tfperf-budget .pick")
    expect(picks).to_have_count(1)
    field.scroll_into_view_if_needed()
    field.focus()
    frame = wait_for_frame(page, "name=diagnostics")
    settle(frame)
    field.evaluate(WATCH)

    for text, findings in (("600 GB/s", 2), ("20 GB/s", 1)):
        enter(field, text)
        expect(picks).to_have_count(findings)
        settle(frame)

    (_, _, before, *_), *others = frame.evaluate(WATCHED)
    assert others
    for _, focus, there, *_ in others:
        assert focus
        assert there == pytest.approx(before, abs=1)


def test_typed_values_recompute_the_estimates(server: str, page: Page, visit: Visit) -> None:
    report = fetch_report(server, RUN)["allreduce"]
    card = section(visit(server, RUN))
    parameters = card.get_by_label("Parameters of the model")
    bandwidth = card.get_by_label("Bandwidth of one GPU")
    guide, ring = per_step(card, "guide estimate"), per_step(card, "ring bound")
    expect(parameters).to_have_value("")

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
    tab = visit(server, RUN)
    card = section(tab)
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
    expect(card.locator("h3").first).to_contain_text("4 hosts")
    expect(parameters).to_have_value("")
    expect(bandwidth).to_have_value("")
    expect(page).not_to_have_url(re.compile("NVLink"))

    page.goto("about:blank")
    visit(server, RUN)
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
    tab = visit(server, RUN)
    card = section(tab)
    bandwidth = card.get_by_label("Bandwidth of one GPU")
    expect(bandwidth).to_be_visible()
    verdict = tab.locator("tfperf-verdict").inner_text()

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
    assert tab.locator("tfperf-verdict").inner_text() == verdict
    assert "fast" not in page.url
    enter(bandwidth, "230")
    expect(refusal).to_be_hidden()
    expect(bandwidth).to_have_attribute("aria-invalid", "false")


def test_the_longest_call_opens_in_the_trace(server: str, page: Page, visit: Visit) -> None:
    call = fetch_report(server, RUN)["allreduce"]["calls"][0]
    card = section(visit(server, RUN))

    unfold(card, TABLES)
    longest = unfold(card, "The longest calls").get_by_role("row").nth(1)
    expect(longest).to_contain_text("GPU 3")
    longest.get_by_role("button", name=f"Show AllReduce of step {call['step']} at").click()

    assert_zoomed(page, call)
    expect(card.get_by_role("button", name="Close the trace")).to_be_visible()


def test_the_keyboard_reaches_all_of_the_card(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    card = section(tab)
    whole_tab(page)
    card.get_by_label("Parameters of the model").focus()

    page.keyboard.press("Tab")
    assert focused(tab) == ["input", "Bandwidth of one GPU"]
    terms = (
        "measured waiting",
        "exposed",
        "hidden",
    )
    for term in terms:
        page.keyboard.press("Tab")
        assert focused(tab) == ["button", term]
        expect(card.get_by_role("tooltip")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(card.get_by_role("tooltip")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(card.get_by_text("Step 2: measured transfer")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(card.get_by_text("Step 3: measured transfer")).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(tab) == ["button", "Columns"]
    page.keyboard.press("Tab")
    assert focused(tab)[0] == "div"
    for heading in ("GPU", "Behind", "Comes last", "Others wait", "Cause"):
        page.keyboard.press("Tab")
        assert focused(tab) == ["button", heading]
    page.keyboard.press("Tab")
    assert focused(tab)[1].startswith(TABLES)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused(tab) == ["summary", "Each number, and how it is known"]
    page.keyboard.press("Enter")
    row = card.get_by_role("row", name="Guide estimate")
    expect(row).to_contain_text("parameters × 4 bytes / bandwidth")


def test_a_tip_of_the_chart_covers_nothing(server: str, page: Page, visit: Visit) -> None:
    card = section(visit(server, RUN))
    whole_tab(page)
    for width in (900, 1440):
        page.set_viewport_size({"width": width, "height": 1000})
        chart = card.locator("#chart svg")
        chart.focus()
        expect(card.locator("#chart .tip")).to_contain_text("measured transfer")
        for _ in range(4):
            assert card.locator("#chart .tip").evaluate(TIP_OVER) == []
            page.keyboard.press("ArrowRight")
        chart.blur()


@pytest.mark.parametrize("state", STATES)
def test_it_fits_every_window_and_cuts_no_number(fakes: str, page: Page, state: str) -> None:
    show(page, fakes, state)
    found = {}
    for fallback in (False, True):
        if fallback:
            widen(page)
        for width in (900, 1100, 1440, 1900):
            page.set_viewport_size({"width": width, "height": 900})
            wider = ask(page, "overflowing")
            if wider or (wider := section(page).locator("b, p, span, td, li, small").evaluate_all(CUT)):
                found[width, fallback] = wider
    assert found == {}


def test_beside_each_other_where_there_is_room(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    for width, beside in ((1440, True), (1180, True), (1100, False), (900, False)):
        page.set_viewport_size({"width": width, "height": 900})
        chart, table = (section(page).locator(".pair > div").nth(i).bounding_box() for i in (0, 1))
        assert chart
        assert table
        assert (table["x"] > chart["x"] + chart["width"]) == beside
        assert (table["y"] >= chart["y"] + chart["height"]) != beside


def test_without_allreduce_there_is_no_formula_to_fill_in(fakes: str, page: Page) -> None:
    show(page, fakes, "all-to-all")
    card = section(page)
    said = card.get_by_text("These steps run AllToAll, and no AllReduce")
    expect(said).to_be_visible()
    expect(card.get_by_role("row").filter(has_text="AllToAll")).to_contain_text("\xa0ms")
    expect(card.get_by_role("textbox")).to_have_count(0)
    expect(card.get_by_text("guide estimate")).to_have_count(0)
    expect(card.get_by_role("heading", name="Exposed communication of each step")).to_be_visible()
