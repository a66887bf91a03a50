"""What all tests share: a cache of their own, and the real profiles."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from demo.reports import SHARED

_COUNTER = count()
# By default Python looks for cycles of objects so often that simulations take a fifth longer.
gc.set_threshold(100_000)
# On a busy machine, one example may take any time; what code costs is tested in tests/fuzz.
settings.register_profile("busy", deadline=None)
settings.load_profile("busy")

REPOSITORY = Path(__file__).parent.parent
TOGETHER = {
    "the dev page": (
        "e2e/test_access.py",
        "e2e/test_pictures.py",
        "e2e/test_robust.py",
    ),
    "TensorBoard": (
        "e2e/test_access_in_tensorboard.py",
        "e2e/test_compare.py",
        "e2e/test_list.py",
        "e2e/test_next_board.py",
        "e2e/test_next_budget.py",
        "e2e/test_next_communication.py",
        "e2e/test_next_keys.py",
        "e2e/test_next_page.py",
        "e2e/test_next_sections.py",
        "e2e/test_next_timeline.py",
        "e2e/test_next_words.py",
        "e2e/test_robust_in_tensorboard.py",
        "e2e/test_smoke.py",
        "e2e/test_tab.py",
    ),
}
"""Files that share what takes long to make: one worker runs all of them."""
_GROUPS = {f"tests/{name}": group for group, names in TOGETHER.items() for name in names}
LONG = (
    "TensorBoard",
    "the dev page",
    "tests/snippets/test_snippets.py",
    "tests/recording/test_harmless.py",
    "tests/recording/test_trainings.py",
    "tests/proof/test_real_trial.py",
    "tests/accuracy/test_floor.py",
    "tests/fuzz/test_sanitizers.py",
    "tests/fuzz/test_fuzz.py",
    "tests/contributing/test_tour.py",
    "tests/analysis/artifacts/test_captured_pipelines.py",
    "tests/cli/test_cluster.py",
    "tests/demo/test_scenarios.py",
)
"""What takes more than half a minute begins first: at the end, it would keep one worker busy alone."""
REAL_PROFILES = REPOSITORY.parent / "shared" / "profiles"


def pytest_configure(config: pytest.Config) -> None:
    """All processes of a run of tests share the reports of demo runs."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory()
        config.add_cleanup(folder.cleanup)
        os.environ[SHARED] = folder.name


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Workers take file by file, or the files of a group, in the order in which tests are collected."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = _taken_together
    return scheduler


def _taken_together(test: str) -> str:
    file = test.partition("::")[0]
    return _GROUPS.get(file, file)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Workers begin with what takes long, then with the files that hold most tests."""
    if hasattr(config, "workerinput"):
        count = Counter(_taken_together(item.nodeid) for item in items)
        rank = {taken: place for place, taken in enumerate(LONG)}
        taken = {item: _taken_together(item.nodeid) for item in items}
        items.sort(key=lambda item: (rank.get(taken[item], len(LONG)), -count[taken[item]]))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For ``-m slow``, files without a slow test are not imported, which takes half a minute for all."""
    if not config.option.markexpr.startswith("slow") or not collection_path.name.startswith("test_"):
        return None
    marking = (collection_path, collection_path.parent / "conftest.py")
    return None if any("mark.slow" in path.read_text("utf-8") for path in marking if path.exists()) else True


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the user's cache. The folder is made by who needs it: most do not."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / f"cache-{next(_COUNTER)}"))


@pytest.fixture(autouse=True)
def _unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What records here starts no process that would watch these tests until they end."""
    monkeypatch.setattr("tfperf_plugin.recording.sampler.start.start", lambda pid, folder: None)


@pytest.fixture
def real_profile() -> Callable[[str], Path]:
    """``real_profile(name)`` is the folder of a real profile; the test is skipped where there are none."""

    def folder(name: str) -> Path:
        if not REAL_PROFILES.is_dir():
            pytest.skip("the real profiles are not beside this repository")
        return REAL_PROFILES / name

    return folder


@pytest.fixture
def real_logdir(real_profile: Callable[[str], Path], tmp_path: Path) -> Callable[..., Path]:
    """``real_logdir(name, …)`` is a log directory with copies of real profiles, one run of that name each."""

    def copy(*names: str) -> Path:
        for name in names:
            run = tmp_path / "plugins" / "profile" / name
            run.mkdir(parents=True)
            for file in real_profile(name).iterdir():
                shutil.copyfile(file, run / file.name)
        return tmp_path

    return copy


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is heard here, also where the tests run in the background of a shell that ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
