"""What the recorder asks of a framework, and the profilers and step markers of TensorFlow and JAX."""

from __future__ import annotations

import sys
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


class _Profiler(Framework):
    """Holds the marker of the step that is being made."""

    _mark: Any = None

    def _open(self, mark: Any) -> None:
        self._mark = mark
        mark.__enter__()

    def _close(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            mark.__exit__(None, None, None)


class TensorFlowProfiler(_Profiler):
    """A marker of TensorFlow encloses a call of the step, as the callback ``TensorBoard`` does it."""

    def start(self, folder: str) -> None:
        """Starts recording; raises if another profiler is at work."""
        self._tensorflow().start(folder)

    def stop(self) -> None:
        """Stops and writes ``plugins/profile/TIME/HOST.xplane.pb``."""
        self._close()
        self._tensorflow().stop()

    def enter(self, step: int) -> None:
        """A step begins."""
        self._open(self._tensorflow().Trace("train", step_num=step, _r=1))

    def leave(self) -> None:
        """The step ends."""
        self._close()

    @staticmethod
    def _tensorflow() -> Any:
        return sys.modules["tensorflow"].profiler.experimental


class JaxProfiler(_Profiler):
    """A marker of JAX reaches from step to step: a loop fetches its batch outside the jitted call."""

    def wait(self, result: Any) -> None:
        """Waits for all that the step returned."""
        sys.modules["jax"].block_until_ready(result)

    def start(self, folder: str) -> None:
        """Starts recording; raises if another profiler is at work."""
        profiler = self._jax()
        options: dict[str, Any] = {}
        if hasattr(profiler, "ProfileOptions"):
            options["profiler_options"] = profiler.ProfileOptions()
            options["profiler_options"].python_tracer_level = 0  # tracing each call of Python slows the steps
        profiler.start_trace(folder, **options)

    def stop(self) -> None:
        """Stops and writes ``plugins/profile/TIME/HOST.xplane.pb``."""
        self._close()
        self._jax().stop_trace()

    def enter(self, step: int) -> None:
        """A step begins, and the one before ends."""
        self._close()  # first: a marker begins when it is made
        self._open(self._jax().StepTraceAnnotation("train", step_num=step))

    @staticmethod
    def _jax() -> Any:
        return sys.modules["jax"].profiler
