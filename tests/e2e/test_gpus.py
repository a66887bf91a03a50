"""What the tab says of several GPUs and hosts: stagger, hosts, and what the training recorded."""

from __future__ import annotations

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.e2e.conftest import demo_run
from tests.e2e.fakes import ask, settle
from tests.e2e.tab import (
    FAINT_TEXTS,
    Visit,
    open_sections,
    whole_tab,
)

STAGGER_RUN = demo_run("gpu_stagger")
HOSTS_RUN = demo_run("slow_host")


def allreduce_card(tab: FrameLocator) -> Locator:
    return tab.locator("tfperf-communication")


def test_what_the_training_recorded_is_shown_and_used(server: str, visit: Visit) -> None:
    tab = visit(server, HOSTS_RUN)

    open_sections(tab)
    facts = tab.locator("tfperf-training")

    for host in range(4):
        expect(facts).to_contain_text(
            f"slow_host/plugins/diagnostics/worker{host}.20251231T235900.000000+0000"
        )
    expect(facts.get_by_text("2025-12-31 23:59:00 UTC").first).to_be_visible()
    expect(facts.locator("tbody td:nth-child(2)")).to_have_text(
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
    tab = visit(server, STAGGER_RUN)
    panel = tab.locator("tfperf-training")
    open_sections(tab)

    expect(panel.get_by_text("Nothing was recorded beside this profile")).to_be_visible()
    expect(panel.get_by_text("from tfperf_plugin.keras import DiagnosticsCallback")).to_be_visible()


@pytest.mark.parametrize(("run", "dark"), [(HOSTS_RUN, "true"), (STAGGER_RUN, "false")])
def test_all_panels_are_readable_in_a_narrow_window(
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

    assert found["texts"] > 300
    assert found["faint"] == []
    assert wide == 0
