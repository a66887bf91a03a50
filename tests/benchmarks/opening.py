"""Measures how long a cached report takes to open in a real tab, from the choice of a run to its headline.

    python -m tests.benchmarks.opening [RUN …]      demo runs, by default from a small report to a large one,
                                                    the profile of a million events of the benchmark, and one
                                                    of 256 hosts

They lie in a log directory of hundreds of runs (``--beside``), as those of a long work do. Each run is opened
in a TensorBoard that was just started, so that the report comes from the disk, then again from memory, beside
what an empty answer and a trivial paint take. On a shared machine others take processors away for longer than
a report takes: what was disturbed so is counted apart. It asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from demo.build import build
from tests.benchmarks.profiles import write_hosts, write_profile
from tests.e2e.conftest import CHROMIUM_FLAGS, RUN_DIRECTORY, VIEWPORT, chromium, demo_run
from tests.e2e.opening import floor_ms, opened_ms
from tests.e2e.tab import fetch_report, whole_tab
from tests.e2e.tensorboard import tensorboard

MILLION = "million_events"
HOSTS = "256_hosts"
RUNS = ("no_device_events", "input_bound", "gpu_stagger", MILLION, "slow_host", HOSTS)
OTHER = "healthy_single_gpu"

Opening = tuple[float, float]
"""Milliseconds, and those that other machines took from all processors meanwhile."""
DISTURBED_MS = 10.0
"""Above this an opening says more of the others; the system counts in steps as long."""


def stolen_ms() -> float:
    """What other machines have taken from ours since it began; 0 where the system does not say."""
    stat = Path("/proc/stat")
    ticks = int(stat.read_text().split(maxsplit=9)[8]) if stat.exists() else 0
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def measure(logdir: Path, page: Page, name: str) -> tuple[list[Opening], list[Opening], float]:
    """The first opening, later ones, and the milliseconds for nothing."""

    def opened(run: str) -> Opening:
        before = stolen_ms()
        return opened_ms(frame, demo_run(run)), stolen_ms() - before

    with tensorboard(logdir) as address:
        page.goto(f"{address}#diagnostics&p.diagnostics.run={demo_run(OTHER)}")
        frame = whole_tab(page)
        floor = min(floor_ms(frame) for _ in range(5))
        first = opened(name)
        whole_tab(page)
        later = []
        for _ in range(3):
            opened(OTHER)
            whole_tab(page)
            later.append(opened(name))
            whole_tab(page)
        return [first], later, floor


def summed_up(openings: list[Opening]) -> str:
    """The median and range of those that nothing disturbed, and the median of all."""
    calm = [took for took, stolen in openings if stolen <= DISTURBED_MS]
    every = f"{median(took for took, _ in openings):.0f} ms of all {len(openings)}"
    return (
        f"{median(calm):.0f} ({min(calm):.0f}–{max(calm):.0f}) ms of {len(calm)} undisturbed, {every}"
        if calm
        else every
    )


def main() -> None:
    """Builds the runs, measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.opening", description=__doc__.splitlines()[0]
    )
    parser.add_argument("runs", nargs="*", default=RUNS)
    parser.add_argument("--times", type=int, default=3, help="TensorBoards that are started for each run (3)")
    parser.add_argument("--beside", type=int, default=300, help="further runs in the log directory (300)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        logdir, os.environ["XDG_CACHE_HOME"] = Path(folder) / "logs", str(Path(folder) / "cache")
        build(logdir, [name for name in (*arguments.runs, OTHER) if name not in (MILLION, HOSTS)])
        if MILLION in arguments.runs:
            profile = logdir / MILLION / "plugins" / "profile" / RUN_DIRECTORY / "worker0.xplane.pb"
            profile.parent.mkdir(parents=True)
            write_profile(profile, 1_000_000)
        if HOSTS in arguments.runs:
            write_hosts(logdir / HOSTS / "plugins" / "profile" / RUN_DIRECTORY, 256)
        for number in range(arguments.beside):
            shutil.copytree(logdir / OTHER, logdir / f"run{number:04d}")
        with tensorboard(logdir) as address:
            sizes = {
                name: len(str(fetch_report(address, demo_run(name)))) for name in (*arguments.runs, OTHER)
            }
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        for name in arguments.runs:
            first, later, floors = [], [], []
            for _ in range(arguments.times):
                page = browser.new_page(viewport=VIEWPORT)
                one = measure(logdir, page, name)
                first += one[0]
                later += one[1]
                floors.append(one[2])
                page.close()
            print(
                f"{name} {sizes[name] / 1e3:.0f} KB\n  from the disk {summed_up(first)}\n"
                f"  from memory   {summed_up(later)}\n  for nothing   {median(floors):.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
