"""Measures how long a cached report takes to open in a real tab, from the choice of a run to its headline.

    python -m tests.benchmarks.opening [RUN …]      demo runs, by default from a small report to a large one,
                                                    and the profile of a million events of the benchmark

Each run is opened in a TensorBoard that was just started, so that the report comes from the disk, then again
from memory, beside what an empty answer and a trivial paint take. This is no test: it asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from demo.build import build
from tests.benchmarks.profiles import write_profile
from tests.e2e.conftest import CHROMIUM_FLAGS, RUN_DIRECTORY, VIEWPORT, chromium, demo_run
from tests.e2e.opening import floor_ms, opened_ms
from tests.e2e.tab import LIMIT_MS, fetch_report, wait_for_frame
from tests.e2e.tensorboard import tensorboard

MILLION = "million_events"
RUNS = ("no_device_events", "input_bound", "gpu_stagger", MILLION, "slow_host")
OTHER = "healthy_single_gpu"
QUIET = """() => {
  const app = document.querySelector('tfperf-app');
  if (app?.parts !== 3 || !app.whole || !app.access) return null;
  return new Promise((done) => requestIdleCallback(() => setTimeout(() => done(true), 500)));
}"""
"""All is drawn, the profile plugin has answered, and nothing is left to do."""


def measure(logdir: Path, page: Page, name: str) -> tuple[float, float, float]:
    """Milliseconds at first, later, and for nothing."""
    with tensorboard(logdir) as address:
        page.goto(f"{address}#diagnostics&p.diagnostics.run={demo_run(OTHER)}")
        frame = wait_for_frame(page, "name=diagnostics")

        def settle() -> None:
            frame.wait_for_function(QUIET, timeout=LIMIT_MS)

        settle()
        floor = min(floor_ms(frame) for _ in range(5))
        first = opened_ms(frame, demo_run(name))
        settle()
        later = []
        for _ in range(3):
            opened_ms(frame, demo_run(OTHER))
            settle()
            later.append(opened_ms(frame, demo_run(name)))
            settle()
        return first, median(later), floor


def main() -> None:
    """Builds the runs, measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.opening", description=__doc__.splitlines()[0]
    )
    parser.add_argument("runs", nargs="*", default=RUNS)
    parser.add_argument("--times", type=int, default=3, help="TensorBoards that are started for each run (3)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        logdir, os.environ["XDG_CACHE_HOME"] = Path(folder) / "logs", str(Path(folder) / "cache")
        build(logdir, [name for name in (*arguments.runs, OTHER) if name != MILLION])
        if MILLION in arguments.runs:
            profile = logdir / MILLION / "plugins" / "profile" / RUN_DIRECTORY / "worker0.xplane.pb"
            profile.parent.mkdir(parents=True)
            write_profile(profile, 1_000_000)
        with tensorboard(logdir) as address:
            sizes = {
                name: len(str(fetch_report(address, demo_run(name)))) for name in (*arguments.runs, OTHER)
            }
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        for name in arguments.runs:
            taken = []
            for _ in range(arguments.times):
                page = browser.new_page(viewport=VIEWPORT)
                taken.append(measure(logdir, page, name))
                page.close()
            first, later, floor = (
                f"{median(column):3.0f} ({min(column):.0f}–{max(column):.0f}) ms"
                for column in zip(*taken, strict=True)
            )
            print(
                f"{name:<20} {sizes[name] / 1e3:4.0f} KB {first} from the disk,"
                f" {later} from memory, {floor} for nothing",
                flush=True,
            )


if __name__ == "__main__":
    main()
