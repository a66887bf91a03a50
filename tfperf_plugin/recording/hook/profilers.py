"""The profilers of TensorFlow and JAX, and their step markers."""

from __future__ import annotations

import sys
from typing import Any

from tfperf_plugin.recording.hook.framework import Framework


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
