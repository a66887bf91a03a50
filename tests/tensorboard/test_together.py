"""One scan of the log directory serves all who ask meanwhile, and is never older than the question."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.logdirs import add_run
from tests.tensorboard.test_routes import make_client
from tests.tensorboard.test_service import LONG_S
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.tensorboard.together import Together

ASKERS = 20
T = TypeVar("T")


class Turn:
    """In place of the lock of a Together: tells of each who has come to it, and so has asked."""

    def __init__(self, together: Together[Any]) -> None:
        self._lock, self._came = threading.Lock(), threading.Semaphore(0)
        together._turn = self  # type: ignore[assignment]

    def __enter__(self) -> None:
        self._came.release()
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def ask(self, pool: ThreadPoolExecutor, ask: Callable[[], T]) -> Future[T]:
        """Asks in another thread, and returns when it waits for its turn or has it."""
        found = pool.submit(ask)
        assert self._came.acquire(timeout=LONG_S)
        return found


class Calls:
    """A function whose calls wait until they are let go; some of them raise."""

    def __init__(self, *errors: int) -> None:
        self.began = [threading.Event() for _ in range(ASKERS)]
        self.go = [threading.Event() for _ in range(ASKERS)]
        self.errors, self.count = errors, 0

    def __call__(self) -> int:
        number, self.count = self.count, self.count + 1
        self.began[number].set()
        assert self.go[number].wait(LONG_S)
        if number in self.errors:
            raise UnreadableInput("It cannot be read.")
        return number


def test_all_who_ask_during_a_call_share_the_next() -> None:
    calls = Calls()
    together = Together(calls)
    turn = Turn(together)
    with ThreadPoolExecutor(ASKERS) as pool:
        first = turn.ask(pool, together.ask)
        assert calls.began[0].wait(LONG_S)
        others = [turn.ask(pool, together.ask) for _ in range(ASKERS - 2)]
        calls.go[0].set()
        assert calls.began[1].wait(LONG_S)
        late = turn.ask(pool, together.ask)
        calls.go[1].set()
        calls.go[2].set()

    assert first.result() == 0
    # The lock may let the late one in before the last of them, who then gets the newer answer.
    assert {other.result() for other in others} <= {1, 2}
    assert late.result() == 2
    assert calls.count == 3


def test_a_call_that_raises_fails_only_who_made_it() -> None:
    calls = Calls(0, 1)
    together = Together(calls)
    turn = Turn(together)
    with ThreadPoolExecutor(ASKERS) as pool:
        first = turn.ask(pool, together.ask)
        assert calls.began[0].wait(LONG_S)
        others = [turn.ask(pool, together.ask) for _ in range(5)]
        for go in calls.go:
            go.set()

    assert isinstance(first.exception(), UnreadableInput)
    errors = [other.exception() for other in others]
    assert [type(error) for error in errors if error] == [UnreadableInput]
    assert {other.result() for other in others if not other.exception()} == {2}


def test_requests_at_once_share_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second scan serves nineteen."""
    add_run(tmp_path, "run")
    _, plugin = make_client(tmp_path)
    find_runs, scans = finding.find_runs, Calls()

    def counted(*places: str) -> tuple[Run, ...]:
        scans()
        return find_runs(*places)

    monkeypatch.setattr(finding, "find_runs", counted)
    turn = Turn(plugin._runs.__self__)  # type: ignore[attr-defined]

    def ask() -> Any:
        return plugin._runs_route(None)  # type: ignore[arg-type]

    with ThreadPoolExecutor(ASKERS) as pool:
        first = turn.ask(pool, ask)
        assert scans.began[0].wait(LONG_S)
        others = [turn.ask(pool, ask) for _ in range(ASKERS - 1)]
        add_run(tmp_path, "new")
        scans.go[0].set()
        assert scans.began[1].wait(LONG_S)
        scans.go[1].set()

    assert first.result()[0] == 200
    for other in others:
        _, body = other.result()
        assert isinstance(body, dict)
        assert {run["name"] for run in body["runs"]} == {"new", "run"}
    assert scans.count == 2
