"""Steps and the timeline of one: choosing, zooming, places of findings, the trace at exactly that range."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import FrameLocator, Locator, Page, Route, expect

from tests.e2e.conftest import HOSTILE_RUN, demo_run
from tests.e2e.tab import Visit, assert_zoomed, fetch_report

RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")
SPANS = 5000
# Sixty frames a second leave 16.7 ms for each; the bound leaves room for a slow and shared machine.
FRAME_MS = 50

# Pans back and forth, one move a frame, and measures what drawing takes in each and how long frames last.
PAN = """async plot => {
    const draw = plot.drawNow.bind(plot);
    const drawn = [], lasted = [];
    plot.drawNow = () => { const begun = performance.now(); draw(); drawn.push(performance.now() - begun); };
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    const canvas = plot.shadowRoot.querySelector('canvas'), box = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => undefined;
    const pointer = (type, x) => canvas.dispatchEvent(new PointerEvent(type,
        { clientX: box.left + x, clientY: box.top + 40, button: 0, pointerId: 1, bubbles: true }));
    const idle = [];
    let last = await frame();
    for (let i = 0; i < 30; i++) {
        const now = await frame();
        idle.push(now - last);
        last = now;
    }
    plot.zoomIn();
    pointer('pointerdown', 500);
    last = await frame();
    for (let i = 0; i < 60; i++) {
        pointer('pointermove', 500 + 200 * Math.sin(i / 5));
        const now = await frame();
        lasted.push(now - last);
        last = now;
    }
    pointer('pointerup', 500);
    const median = values => values.sort((a, b) => a - b)[values.length >> 1];
    return { draw: median(drawn), frame: median(lasted), idle: median(idle), frames: drawn.length };
}"""


def chart(tab: FrameLocator) -> Locator:
    return tab.get_by_role("listbox", name="Steps")


def timeline(tab: FrameLocator) -> Locator:
    """The timeline, once its table is there: the last thing to come."""
    panel = tab.locator("tfperf-timeline")
    panel.scroll_into_view_if_needed()
    expect(panel.get_by_role("list", name="What the rows show").get_by_role("listitem").first).to_be_visible()
    expect(panel.get_by_text("What is in view, as a table")).to_be_visible()
    return panel


def canvas(panel: Locator) -> Locator:
    return panel.locator("canvas")


def seen(panel: Locator) -> Locator:
    return panel.locator(".tools [role=status]")


def chosen_step(tab: FrameLocator) -> Locator:
    return chart(tab).locator("[aria-selected=true]")


def test_every_step_is_a_column_that_says_its_numbers(server: str, page: Page, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    columns = report["steps"]["columns"]

    options = chart(tab).get_by_role("option")
    expect(options).to_have_count(len(columns))
    for index, column in enumerate(columns):
        expect(options.nth(index)).to_have_accessible_name(re.compile(f"^Step {column['number']}: "))
    chart(tab).focus()
    page.keyboard.press("End")
    expect(tab.locator("tfperf-step-chart").get_by_role("status")).to_contain_text(
        f"Step {columns[-1]['number']}"
    )


def test_the_chosen_step_is_in_the_address_and_survives_a_reload(
    server: str, page: Page, visit: Visit
) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    timeline(tab)
    chart(tab).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wanted = report["steps"]["columns"][2]["id"]

    page.wait_for_function(f"location.hash.includes('p.diagnostics.step={wanted}')")
    page.reload()

    again = page.frame_locator('iframe[src$="name=diagnostics"]')
    expect(chosen_step(again)).to_have_attribute("id", "step-2")
    expect(again.get_by_role("heading", name=f"Step {wanted}")).to_be_visible()


def test_a_row_for_each_gpu_and_for_what_the_host_does(server: str, page: Page, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    panel = timeline(tab)

    labels = panel.locator("#labels div")
    gpus = [device["device"].replace(":", " ") for device in report["devices"]]
    expect(labels).to_have_text([*gpus, "Host: step", "Host: launches", "Host: input"])
    panel.locator("summary", has_text="What is in view, as a table").click()
    expect(
        panel.locator("tbody tr").filter(has_text="GPU 3").filter(has_text="idle while other")
    ).not_to_have_count(0)


def test_keys_and_wheel_zoom_and_move(server: str, page: Page, visit: Visit) -> None:
    panel = timeline(visit(server, RUN))
    expect(seen(panel)).to_contain_text("The whole step")
    canvas(panel).focus()
    page.keyboard.press("+")
    expect(seen(panel)).not_to_contain_text("The whole step")
    zoomed = seen(panel).inner_text()
    page.keyboard.press("ArrowRight")
    expect(seen(panel)).not_to_have_text(zoomed)
    page.keyboard.press("0")
    expect(seen(panel)).to_contain_text("The whole step")

    canvas(panel).hover(position={"x": 300, "y": 40})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    expect(seen(panel)).not_to_contain_text("The whole step")
    panel.get_by_role("button", name="Whole step").click()
    expect(seen(panel)).to_contain_text("The whole step")


def test_spans_are_explained_on_hover_and_focus(server: str, page: Page, visit: Visit) -> None:
    panel = timeline(visit(server, RUN))
    tip = panel.locator("tfperf-timeline-plot").get_by_role("status")

    canvas(panel).hover(position={"x": 500, "y": 34})
    expect(tip).to_contain_text("GPU 0: compute")
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    canvas(panel).focus()
    expect(tip).to_contain_text("GPU 0: ")
    page.keyboard.press("ArrowDown")
    expect(tip).to_contain_text("GPU 1: ")
    page.keyboard.press("Shift+ArrowRight")
    expect(tip).to_contain_text("into the step")


def test_a_place_of_a_finding_is_shown_in_chart_and_timeline(server: str, page: Page, visit: Visit) -> None:
    tab, report = visit(server, RUN), fetch_report(server, RUN)
    place = report["findings"][0]["where"][1]
    finding = tab.locator("tfperf-finding").first
    finding.get_by_role("list", name="Places, worst first").get_by_role("button").nth(1).click()
    finding.get_by_role("button", name="Show in timeline").click()

    panel = timeline(tab)
    page.wait_for_function(f"location.hash.includes('p.diagnostics.step={place['step']}')")
    expect(chosen_step(tab)).to_have_attribute("aria-label", re.compile(f"^Step {place['step']}: "))
    expect(chosen_step(tab).locator(".mark")).to_have_count(1)
    expect(panel.locator("tfperf-places")).to_contain_text(place["label"])
    expect(canvas(panel)).to_be_in_viewport()
    expect(seen(panel)).not_to_contain_text("The whole step")


def test_a_span_opens_the_trace_at_exactly_its_range(server: str, page: Page, visit: Visit) -> None:
    tab = visit(server, RUN)
    panel = timeline(tab)
    canvas(panel).click(position={"x": 500, "y": 34})
    expect(panel.locator("tfperf-places")).to_contain_text("GPU 0: compute")
    (place,) = panel.evaluate("panel => panel.places")
    panel.get_by_role("button", name="Show in trace").click()

    assert_zoomed(page, place)
    assert place["device"] == "GPU:0"


def test_hosts_have_rows_of_their_own(server: str, page: Page, visit: Visit) -> None:
    tab, report = visit(server, HOSTS_RUN), fetch_report(server, HOSTS_RUN)
    panel = timeline(tab)
    last = report["hosts"][-1]

    expect(panel.locator("#labels div").filter(has_text=f"{last} · GPU 0")).to_be_visible()
    panel.get_by_label("Host").select_option(last)
    expect(panel.locator("#labels div").filter(has_text=report["hosts"][0])).to_have_count(0)
    expect(panel.locator("#labels div").filter(has_text=f"{last} · GPU 0")).to_be_visible()


def test_hostile_names_stay_text(server: str, page: Page, visit: Visit) -> None:
    panel = timeline(visit(server, HOSTILE_RUN))

    expect(panel.locator("#labels div").first).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None


def test_panning_five_thousand_spans_is_smooth(server: str, page: Page, visit: Visit) -> None:
    def many(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        route.fulfill(body=json.dumps(synthetic(query["step"][0])), content_type="application/json")

    page.route("**/data/plugin/diagnostics/timeline?*", many)
    panel = timeline(visit(server, RUN))

    took = panel.locator("tfperf-timeline-plot").evaluate(PAN)

    print(
        f"\ndrawing {took['draw']:.1f} ms, frame {took['frame']:.1f} ms, idle {took['idle']:.1f} ms "
        f"(medians of {took['frames']} frames)"
    )
    assert took["frames"] >= 50
    assert took["draw"] < FRAME_MS
    # On a busy machine frames in which nothing is drawn come late, too.
    assert took["frame"] < max(2 * FRAME_MS, 3 * took["idle"])


def synthetic(step: str) -> dict[str, Any]:
    """A step with ``SPANS`` spans on ten rows, as the route answers."""
    count, length = SPANS // 10, 50_000_000
    edges = [i * length // count for i in range(count + 1)]
    row = {
        "host": "worker0", "is_gpu": True, "origin_ms": 1.0, "length_ns": length,
        "sums_ns": {"compute": length}, "pieces_count": count,
        "begin_ns": edges[:-1], "end_ns": edges[1:], "pieces": [1] * count,
    }  # fmt: skip
    return {
        "step": step,
        "length_ns": length,
        "begin_ns": 0,
        "end_ns": length,
        "merged_below_ns": 0,
        "hosts": ["worker0"],
        "hosts_cap": 8,
        "codes": ["compute", "communication.wait", "idle.input", "idle.launch", "idle.unknown"],
        "rows": [{**row, "name": f"GPU:{i}", "code": [(i + k) % 5 for k in range(count)]} for i in range(10)],
    }
