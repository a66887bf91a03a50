"""Chromium, and TensorBoard on one log directory with a run of every kind."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    Frame,
    FrameLocator,
    Page,
    Request,
    Route,
    ViewportSize,
    sync_playwright,
)

from demo import trials
from demo.build import build, training
from demo.scalars import write_scalars
from demo.simulator import simulate
from demo.simulator.training import SlowHost
from tests.conftest import REAL_PROFILES
from tests.e2e.fakes import dev_page
from tests.e2e.tab import LIMIT_MS
from tests.e2e.tensorboard import tensorboard
from tests.security.hostile import add_hostile_run
from tests.strategies import GEMM, MS, Recording
from tests.tensorboard.test_slice import pytorch
from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX, RECORD_TIME
from tfperf_plugin.recording.record import TrainingRecord, to_json

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
VIEWPORT: ViewportSize = {"width": 1240, "height": 1000}
RUN_DIRECTORY = "2026_01_01_00_00_00"
REAL_RUN = "GPU-multi-worker"
GARBAGE_RUN = "garbage"
HOSTILE = "<img src=x onerror=top.hacked=1>"
HOSTILE_RUN = f"hostile/{HOSTILE}"
DEMO_RUNS = ("input_bound", "gpu_stagger", "healthy_single_gpu", "slow_host", "kernel_launch_bound")
PYTORCH_RUN = "torch/training"
TRAINED = "trained"
TUNED_RUN = f"tuned/profile/{RUN_DIRECTORY}"
RECORDED_RUN = "slow_host"
RECORD = TrainingRecord(
    parameters=6_778_880,
    trainable={"float32": 6_778_880},
    batch_size=6_144,
    policy="mixed_float16",
    strategy="MultiWorkerMirroredStrategy",
    environment={"TF_GPU_THREAD_MODE": "gpu_private"},
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that needs a browser or a wheel is slow, but for one look at the tab."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name != "test_smoke.py":
            item.add_marker(pytest.mark.slow)


def chromium() -> str | None:
    """The browser of this machine; ``None`` leaves it to Playwright."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def demo_run(name: str) -> str:
    return f"{name}/{RUN_DIRECTORY}"


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Demo runs, one with a record of the training and one with its epochs, a trace of PyTorch, trials, a run
    of garbage, one full of hostile names, one with hostile text in every field and, where there is one, a
    real profile."""
    path = tmp_path_factory.mktemp("logdir")
    build(path, DEMO_RUNS)
    shutil.copytree(path / "healthy_single_gpu", path / TRAINED)
    began_s = 1_767_225_580.0  # before its profile
    epochs = (("epoch_loss", n, began_s + 36 * (n + 1)) for n in range(5))
    write_scalars(path / TRAINED / "train", began_s, epochs)
    pytorch(path / "torch", name="training.pt.trace.json", steps=8)
    add_trials(path)

    add(path, GARBAGE_RUN, "host", b"this is no profile " * 100)
    hostile = replace(training("gpu_stagger"), gpus=2, hosts=3, slow_host=SlowHost(2, gpu_factor=1.4))
    for host, profile in simulate(hostile).files.items():
        add(path / "hostile", HOSTILE, HOSTILE + host, with_hostile_names(profile))
        record(path / "hostile", HOSTILE + host)
    add_hostile_run(path)
    for number in range(training(RECORDED_RUN).hosts):
        record(path / RECORDED_RUN, f"worker{number}")
    if REAL_PROFILES.is_dir():
        shutil.copytree(
            REAL_PROFILES / REAL_RUN, path / "plugins" / "profile" / REAL_RUN, copy_function=shutil.copyfile
        )
    return path


def add(logdir: Path, run: str, host: str, profile: bytes) -> None:
    folder = logdir / "plugins" / "profile" / run
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{host}.xplane.pb").write_bytes(profile)


def add_trials(logdir: Path) -> None:
    """Trials and tunings, one of them beside a run, and again with markup in their names."""
    trials.write(logdir)
    shutil.copytree(logdir / "trials", logdir / HOSTILE)
    recording = Recording()
    for step in range(3):
        recording.step(step, step * MS, step * MS + MS)
        recording.run(0, GEMM, step * MS, step * MS + MS // 2)
    add(logdir / "tuned" / "profile", RUN_DIRECTORY, "host", recording.to_bytes())


def record(logdir: Path, host: str) -> None:
    """What the callback writes when the training begins, here in the year before the capture."""
    folder = logdir / "plugins" / "diagnostics"
    folder.mkdir(parents=True, exist_ok=True)
    start = datetime(2025, 12, 31, 23, 59, tzinfo=timezone.utc).strftime(RECORD_TIME)
    (folder / f"{host}.{start}{RECORD_SUFFIX}").write_bytes(to_json(RECORD))


def with_hostile_names(profile: bytes) -> bytes:
    """The profile with markup in the names of its iterators, of the threads that launch and of its GPUs; no
    length changes, so it stays valid."""

    def replaced(match: re.Match[bytes]) -> bytes:
        return match[1] + (HOSTILE.encode() * 9)[: len(match[2])]

    def tagged(match: re.Match[bytes]) -> bytes:
        return (b"<img src=x>" * 9)[: len(match[0])]

    iterators = re.sub(rb"(Iterator::[^\x00-\x20]*?::)([A-Za-z0-9\[\]:]{6,})", replaced, profile)
    return re.sub(rb"tf_Compute/\d+|Tesla V100-SXM2-16GB", tagged, iterators)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache directory of their own for all TensorBoards that are shared between tests."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def server(logdir: Path, cache: None) -> Iterator[str]:
    with tensorboard(logdir) as address:
        yield address


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the dev page."""
    with dev_page(tmp_path_factory.mktemp("fakes")) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_FLAGS))
        yield browser
        browser.close()


@dataclass
class Window:
    """A page that reaches only this machine, and what was noticed in it."""

    page: Page
    beyond: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def guard(self, route: Route, request: Request) -> None:
        if urlsplit(request.url).hostname in LOOPBACK:
            route.continue_()
            return
        # The profile plugin's own pages ask for charts from elsewhere.
        if "profile" not in urlsplit(request.headers.get("referer", "")).path + request.frame.url:
            self.beyond.append(request.url)
        route.abort()

    def tab(self) -> Frame | None:
        """The frame of our tab, if TensorBoard shows this and no other plugin has been there."""
        frames = [frame for frame in self.page.frames if frame.parent_frame == self.page.main_frame]
        ours = len(frames) == 1 and frames[0].url.endswith("name=diagnostics")
        return frames[0] if ours and "#diagnostics" in self.page.url else None

    def reusable(self, shown: str) -> bool:
        """Whether it is as TensorBoard showed our tab, or a dev page can be shown in it."""
        if shown == "TensorBoard":
            return self.tab() is not None
        return len(self.page.frames) == 1 and self.page.url.startswith("http")

    def clear(self) -> None:
        """Forgets what the test did with it. A dev page is left, with nothing remembered."""
        self.page.unroute_all()
        self.page.context.clear_permissions()
        self.page.set_viewport_size(VIEWPORT)
        if self.tab() is None:
            self.page.emulate_media(reduced_motion="null")
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            self.page.goto("about:blank")
        self.beyond.clear()
        self.errors.clear()


def new_window(browser: Browser) -> Window:
    context = browser.new_context(viewport=VIEWPORT)
    context.set_default_timeout(LIMIT_MS)
    window = Window(context.new_page())
    context.route("**/*", lambda route, request: window.guard(route, request))
    window.page.on("pageerror", lambda error: window.errors.append(str(error)))
    return window


@pytest.fixture(scope="session")
def kept() -> dict[str, Window]:
    """Windows of tests before, by what they show, if the next test can use them: making one takes half a
    second, and TensorBoard itself takes seconds to load."""
    return {}


@pytest.fixture
def window(request: pytest.FixtureRequest, browser: Browser, kept: dict[str, Window]) -> Iterator[Window]:
    own = request.node.get_closest_marker("own_window") is not None
    shown = request.node.path.name if "fakes" in request.fixturenames else "TensorBoard"
    window = new_window(browser) if own or shown not in kept else kept.pop(shown)
    yield window
    beyond, errors = [*window.beyond], [error for error in window.errors if "plugin/diagnostics" in error]
    context = window.page.context
    if own or len(context.pages) > 1 or not window.reusable(shown):
        context.close()
    else:
        window.clear()
        kept[shown] = window
    assert beyond == []
    assert errors == []


@pytest.fixture
def page(window: Window) -> Page:
    """A page that reaches only this machine; that our own page never tries more is checked at the end."""
    return window.page


@pytest.fixture
def visit(window: Window) -> Callable[..., FrameLocator]:
    """``visit(address, run)`` opens our tab and returns what is inside it."""
    page = window.page

    def open_tab(address: str, run: str | None = None, query: str = "") -> FrameLocator:
        selected = "" if run is None else f"&p.diagnostics.run={quote(run)}"
        tab = window.tab()
        if tab and page.url.startswith(f"{address}{query}#"):
            # Our page is loaded anew in the TensorBoard that stands there, with nothing remembered.
            entry = tab.url
            tab.goto("about:blank")
            page.evaluate("hash => { localStorage.clear(); location.hash = hash; }", f"diagnostics{selected}")
            tab.goto(entry)
        else:
            page.goto(f"{address}{query}#diagnostics{selected}")
        return page.frame_locator('iframe[src$="plugin_entry.html?name=diagnostics"]')

    return open_tab
