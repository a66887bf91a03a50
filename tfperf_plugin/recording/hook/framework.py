"""What the recorder asks of a framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfperf_plugin.recording.launch import Means


class Framework:
    """How the steps of one model, function or optimizer are looked at, waited for and profiled."""

    means: Means
    #: Examples of a step; None if unknown.
    batch_size: int | None = None
    steps_per_call = 1

    def early(self, given: tuple[Any, ...], result: Any) -> Any | None:
        """Looks at a call long before the recording; returns its loss, or what becomes one by ``float``."""
        return None

    def keep(self, result: Any) -> None:
        """Remembers what a call before the recording returned, without keeping it alive."""

    def carried(self, given: tuple[Any, ...]) -> bool:
        """Whether a call is given a part of what the latest call returned; ``True`` if unknown."""
        return True

    def wait(self, result: Any) -> None:
        """Returns when everything that led to ``result`` is computed."""

    def facts(self) -> dict[str, Any]:
        """Fields of ``TrainingRecord``."""
        return {}

    def start(self, folder: str) -> None:
        """Starts the profiler. Raises if another one is at work."""

    def enter(self, step: int) -> None:
        """Before each step of a profile: marks where it begins."""

    def leave(self) -> None:
        """After each step of a profile but the last."""

    def stop(self) -> None:
        """Stops the profiler, which writes into the folder."""

    def soon(self, work: Callable[[], None]) -> None:
        """Does ``work``, which stops the profiler: at once, unless only some threads may stop it."""
        work()
