"""Updates of PyTorch's optimizers: those of one optimizer are the training's steps."""

from __future__ import annotations

import sys
from typing import Any
from weakref import WeakKeyDictionary

from tfperf_plugin.recording.hook.recorder import Recorder, Steps
from tfperf_plugin.recording.launch import Means


def watch(optimizers: Any, recorder: Recorder) -> None:
    """Has each update of each optimizer counted. ``optimizers``: the module ``torch.optim.optimizer``."""
    known: WeakKeyDictionary[Any, Steps] = WeakKeyDictionary()

    def updated(optimizer: Any, args: Any, kwargs: Any) -> None:
        if recorder.done:
            return
        steps = known.get(optimizer)
        if steps is None:
            steps = known[optimizer] = Steps(recorder, _Updates(optimizer))
        recorder.after(steps, (), None)

    optimizers.register_optimizer_step_post_hook(updated)


class _Updates:
    """A step lasts from one update to the next."""

    means: Means = "torch"
    steps_per_call = 1
    batch_size: int | None = None

    def __init__(self, optimizer: Any) -> None:
        weights = [weight for group in optimizer.param_groups for weight in group["params"]]
        sizes: dict[str, int] = {}
        for weight in weights:
            kind = str(weight.dtype).removeprefix("torch.")
            sizes[kind] = sizes.get(kind, 0) + weight.numel()
        self._sizes = sizes

    def early(self, given: tuple[Any, ...], result: Any) -> None:
        """An update knows neither loss nor batch."""

    def wait(self, result: Any) -> None:
        """Waits for the GPU, if there is one that was used."""
        cuda = self._torch().cuda
        if cuda.is_available() and cuda.is_initialized():
            cuda.synchronize()

    def facts(self) -> dict[str, Any]:
        """What the optimizer updates."""
        return {"trainable": self._sizes}

    def start(self, folder: str) -> None:
        """Starts the profiler, whose first step begins now."""
        profiler = self._torch().profiler
        self._profiler = profiler.profile(
            schedule=lambda step: profiler.ProfilerAction.RECORD,  # with a schedule it marks steps
            on_trace_ready=profiler.tensorboard_trace_handler(folder),
            record_shapes=True,
        )
        self._profiler.start()

    def enter(self, step: int) -> None:
        """The step has begun with the last update."""

    def leave(self) -> None:
        """The next step begins."""
        self._profiler.step()

    def stop(self) -> None:
        """Stops, and writes a trace."""
        self._profiler.stop()

    @staticmethod
    def _torch() -> Any:
        return sys.modules["torch"]
