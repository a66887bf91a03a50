"""A finding beside the timeline: whose time is whose, what the hand does, and what comes back."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, Route, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import axe, change_report, show
from tests.e2e.tab import Visit, fetch_report

RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")
SPANS = 5000
# Sixty frames a second leave 16.7 ms for each; the bound leaves room for a slow and shared machine.
FRAME_MS = 50
ROW_PX = 22

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


def region(tab: FrameLocator) -> Locator:
    """The region, once its timeline is there."""
    panel = tab.locator("tfperf-finding-timeline")
    panel.scroll_into_view_if_needed()
    expect(panel.get_by_role("list", name="What the rows show").get_by_role("listitem").first).to_be_visible()
    return panel


def canvas(panel: Locator) -> Locator:
    return panel.locator("canvas")


def whole(panel: Locator) -> Any:
    """The answer of the route that is drawn."""
    return panel.evaluate("panel => panel.whole")


def plot(panel: Locator) -> Locator:
    return panel.locator("tfperf-timeline-plot")


def labels(panel: Locator) -> Locator:
    return panel.locator("#labels div")


def selected(panel: Locator) -> Locator:
    return panel.locator(".selected")


def click_span(panel: Locator, row: int, at_ns: float) -> None:
    """Clicks the timeline where the row is at this time."""
    view = plot(panel).evaluate("plot => ({...plot.view, width: plot.width})")
    left = (at_ns - view["begin"]) / (view["end"] - view["begin"]) * view["width"]
    canvas(panel).click(position={"x": left, "y": ROW_PX * (row + 1) + ROW_PX / 2})


def budget_row(tab: FrameLocator, finding: str) -> Locator:
    return tab.locator(f"tfperf-budget .row[data-finding='{finding}']")


def scrolled(page: Page) -> tuple[float, float]:
    """How far TensorBoard and our page in it are scrolled."""
    frame = page.frame(url=re.compile("name=diagnostics"))
    assert frame is not None
    return page.evaluate("scrollY"), frame.evaluate("scrollY")


def test_a_click_on_a_span_names_its_owner_or_none(server: str, page: Page, visit: Visit) -> None:
    report = fetch_report(server, RUN)
    tab = visit(server, RUN)
    panel = region(tab)
    answer = whole(panel)
    skew = max(answer["claims"], key=lambda claim: claim["end_ns"] - claim["begin_ns"])
    scroll = page.evaluate("scrollY")

    click_span(panel, skew["row"], (skew["begin_ns"] + skew["end_ns"]) / 2)
    expect(selected(panel)).to_contain_text(f"claimed by 1 {report['findings'][0]['title']}")
    expect(selected(panel)).to_contain_text(answer["rows"][skew["row"]]["name"].replace(":", " "))
    expect(selected(panel).locator("dt", has_text="Host")).to_be_visible()
    expect(budget_row(tab, skew["finding"])).to_have_attribute("data-owner", "")

    row = answer["rows"][skew["row"]]
    compute = answer["codes"].index("compute")
    begin, end = max(
        ((b, e) for b, e, code in zip(row["begin_ns"], row["end_ns"], row["code"], strict=True)
         if code == compute),
        key=lambda span: span[1] - span[0],
    )  # fmt: skip
    click_span(panel, skew["row"], (begin + end) / 2)
    expect(selected(panel)).to_contain_text("no finding claims it")
    expect(budget_row(tab, skew["finding"])).not_to_have_attribute("data-owner", "")
    assert page.evaluate("scrollY") == scroll


def test_a_click_on_a_wait_says_for_whom_and_draws_an_arrow_there(server: str, visit: Visit) -> None:
    panel = region(visit(server, RUN))
    answer = whole(panel)
    code = answer["codes"].index("communication.wait")

    def longest(wait: Any) -> tuple[int, int]:
        """The longest part of a wait that nothing hides: its length and where it begins."""
        row = answer["rows"][wait["row"]]
        spans = zip(row["begin_ns"], row["end_ns"], row["code"], strict=True)
        parts = [(max(b, wait["begin_ns"]), min(e, wait["end_ns"])) for b, e, c in spans if c == code]
        return max((end - begin, begin) for begin, end in [*parts, (0, 0)])

    wait = max(answer["waits"], key=longest)
    length, begin = longest(wait)
    assert wait["device"] == "GPU:3"

    click_span(panel, wait["row"], begin + length / 2)

    expect(selected(panel)).to_contain_text(f"in {wait['call']} for GPU 3, which")
    assert plot(panel).evaluate("plot => plot.wait.device") == "GPU:3"


def test_shift_and_drag_measure_a_range(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    panel = page.locator("tfperf-finding-timeline")
    panel.scroll_into_view_if_needed()
    expect(labels(panel).first).to_be_visible()
    box = canvas(panel).bounding_box()
    view = plot(panel).evaluate("plot => plot.view")
    assert box is not None
    drawn = panel.locator("#range")

    def drag(begin: float, end: float) -> None:
        page.mouse.move(box["x"] + begin * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], box["y"] + 60, steps=4)
        page.mouse.up()

    page.keyboard.down("Shift")
    drag(0.75, 0.25)
    page.keyboard.up("Shift")
    expect(selected(panel).locator("dt").first).to_have_text("Range")
    expect(selected(panel)).to_contain_text("Mean GPU")
    measured = panel.evaluate("panel => panel.range")
    step = view["end"] - view["begin"]
    assert [measured["begin"] / step, measured["end"] / step] == pytest.approx([0.25, 0.75], abs=0.01)
    assert plot(panel).evaluate("plot => plot.view") == view
    shown = drawn.bounding_box()
    assert shown is not None and shown["width"] == pytest.approx(box["width"] / 2, abs=3)

    page.keyboard.press("Escape")
    expect(drawn).to_be_hidden()
    page.keyboard.press("m")
    expect(selected(panel).locator("dt").first).to_have_text("Range")
    assert panel.evaluate("panel => panel.range") == view


def test_marking_keeps_the_page_and_the_verdict_goes_on(server: str, page: Page, visit: Visit) -> None:
    run = demo_run("kernel_launch_bound")
    first, second, *_ = (one for one in fetch_report(server, run)["findings"])
    tab = visit(server, run)
    panel = region(tab)
    detail = panel.locator("tfperf-chosen-finding")
    verdict = tab.locator("tfperf-verdict h1")
    expect(verdict).to_have_text(first["action"])
    done = detail.get_by_role("button", name="Done")
    done.scroll_into_view_if_needed()
    before = done.bounding_box()

    done.click()

    expect(done).to_have_attribute("aria-pressed", "true")
    expect(verdict).not_to_have_text(first["action"])
    acts = second["severity"] != "info"
    expect(verdict).to_have_text(second["action"] if acts else re.compile("^No other finding is worth 5"))
    expect(detail.locator("#title")).to_have_text(first["title"])
    after = done.bounding_box()
    assert before and after
    assert abs(after["y"] - before["y"]) <= 1 and after["x"] == before["x"]
    done.click()
    expect(verdict).to_have_text(first["action"])


def test_a_host_is_chosen_by_its_dot(server: str, page: Page, visit: Visit) -> None:
    report = fetch_report(server, HOSTS_RUN)
    panel = region(visit(server, HOSTS_RUN))
    dots = panel.get_by_role("listbox", name="Hosts by own step time").get_by_role("option")
    by_own = sorted(report["by_host"], key=lambda one: one["own_ns"])
    expect(dots).to_have_count(len(by_own))
    slow = dots.last
    expect(slow).to_have_attribute("aria-label", re.compile(f"^{by_own[-1]['host']}: .*, slow$"))
    slow.scroll_into_view_if_needed()
    before = scrolled(page)

    slow.click()
    expect(panel.locator("#host")).to_have_value(by_own[-1]["host"])
    expect(slow).to_have_attribute("aria-selected", "true")
    for one in by_own[:-1]:
        expect(labels(panel).filter(has_text=one["host"])).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(panel.locator("#host")).to_have_value(by_own[-2]["host"])
    page.keyboard.press("Enter")
    expect(panel.locator("#host")).to_have_value("")
    assert scrolled(page) == before


def test_a_finding_without_a_timeline_stands_alone(fakes: str, page: Page) -> None:
    show(page, fakes, "staggered")
    panel = page.locator("tfperf-finding-timeline")
    change_report(page, "({ steps }) => ({ steps: { ...steps, columns: [], columns_total: 0 } })")
    detail = panel.locator("tfperf-chosen-finding")

    expect(panel.locator("section")).to_have_count(0)
    expect(detail.get_by_role("heading", name="Places")).to_be_visible()
    expect(detail.get_by_text("scroll to GPU 3").first).to_be_visible()
    for key in ("+", "-", "0", "n", "]", "Escape"):
        page.keyboard.press(key)
    assert axe(page, "tfperf-finding-timeline") == []


def test_the_finding_is_beside_the_timeline_where_there_is_room(
    server: str, page: Page, visit: Visit
) -> None:
    panel = region(visit(server, HOSTS_RUN))
    for width, beside in ((900, False), (1440, True)):
        page.set_viewport_size({"width": width, "height": 900})
        section, finding = panel.locator("section"), panel.locator("tfperf-chosen-finding")
        timeline, detail = section.bounding_box(), finding.bounding_box()

        assert timeline and detail
        assert (timeline["y"] < detail["y"] + detail["height"] - 5) == beside


def test_panning_five_thousand_spans_is_smooth(server: str, page: Page, visit: Visit) -> None:
    def many(route: Route) -> None:
        query = parse_qs(urlsplit(route.request.url).query)
        route.fulfill(body=json.dumps(synthetic(query["step"][0])), content_type="application/json")

    page.route("**/data/plugin/diagnostics/timeline?*", many)
    panel = region(visit(server, RUN))

    took = plot(panel).evaluate(PAN)

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
        "kernels": False, "behind_ns": None,
    }  # fmt: skip
    return {
        "step": step,
        "length_ns": length,
        "begin_ns": 0,
        "end_ns": length,
        "merged_below_ns": 0,
        "hosts": ["worker0"],
        "hosts_cap": 8,
        "left_out": [],
        "names": [],
        "claims": [],
        "arrows": [],
        "others": None,
        "codes": ["compute", "communication.wait", "idle.input", "idle.launch", "idle.unknown"],
        "rows": [{**row, "name": f"GPU:{i}", "code": [(i + k) % 5 for k in range(count)]} for i in range(10)],
    }
