"""Updates of PyTorch's optimizers: those of the first one that makes enough are the training's steps.

An update knows neither its loss nor its batch. For the first steps, what ``backward`` is called on and what a
``DataLoader`` hands out tell them; then both are left as PyTorch made them.
"""

from __future__ import annotations

import contextlib
import statistics
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from tfperf_plugin.recording.hook.recorder import LOSSES, Recorder, Steps
from tfperf_plugin.recording.launch import Means

_losses: Final[list[Any]] = []
_sizes: Final[list[int]] = []
"""What was seen since the last update: losses, and examples of batches."""
_forget: Final[list[Callable[[], None]]] = []
"""What gives PyTorch its own methods back."""


def watch(optimizers: Any, recorder: Recorder) -> None:
    """Has each update counted. ``optimizers``: the module ``torch.optim.optimizer``."""
    known: WeakKeyDictionary[Any, Steps] = WeakKeyDictionary()
    _look_at(_torch().Tensor, "backward", lambda loss, _: _losses.append(loss.detach()))

    def updated(optimizer: Any, args: Any, kwargs: Any) -> None:
        if recorder.done:
            _leave_pytorch_alone()
            return
        steps = known.get(optimizer)
        if steps is None:
            steps = known[optimizer] = Steps(recorder, _Updates(optimizer))
        recorder.after(steps, (), None)
        _losses.clear()
        _sizes.clear()
        if steps.count >= LOSSES:
            _leave_pytorch_alone()

    optimizers.register_optimizer_step_post_hook(updated)


def watch_loaders(loaders: Any) -> None:
    """Has examples counted. ``loaders``: the module ``torch.utils.data.dataloader``."""
    _look_at(loaders._BaseDataLoaderIter, "__next__", lambda _, batch: _sizes.append(_examples(batch)))


def _look_at(kind: Any, name: str, look: Callable[[Any, Any], None]) -> None:
    """Calls ``look`` with the object and the result of each call of a method."""
    method = getattr(kind, name)

    def looked_at(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        with contextlib.suppress(Exception):
            look(self, result)
        return result

    setattr(kind, name, looked_at)
    _forget.append(lambda: setattr(kind, name, method))


def _leave_pytorch_alone() -> None:
    while _forget:
        _forget.pop()()


def _examples(batch: Any) -> int:
    """The first length in a batch, which may be nested; 0 without one."""
    if hasattr(batch, "shape"):
        return int(batch.shape[0]) if len(batch.shape) else 0
    parts = batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, tuple | list) else ()
    return next(filter(None, map(_examples, parts)), 0)


class _Updates:
    """A step lasts from one update to the next."""

    means: Means = "torch"
    steps_per_call = 1

    def __init__(self, optimizer: Any) -> None:
        self._trainable: dict[str, int] = {}
        for group in optimizer.param_groups:
            for weight in group["params"]:
                kind = str(weight.dtype).removeprefix("torch.")
                self._trainable[kind] = self._trainable.get(kind, 0) + weight.numel()
        self._seen: list[int] = []
        self.batch_size: int | None = None

    def early(self, given: tuple[Any, ...], result: Any) -> Any | None:
        """The last loss. With several processes, this one does not know the whole batch."""
        distributed = _torch().distributed
        alone = not (distributed.is_available() and distributed.is_initialized())
        examples = sum(_sizes)
        if alone and examples:
            self._seen.append(examples)
            self.batch_size = statistics.mode(self._seen)
        return _losses[-1] if _losses and _losses[-1].numel() == 1 else None

    def wait(self, result: Any) -> None:
        """Waits for the GPU, if one was used."""
        cuda = _torch().cuda
        if cuda.is_available() and cuda.is_initialized():
            cuda.synchronize()

    def facts(self) -> dict[str, Any]:
        """What the optimizer updates."""
        return {"trainable": self._trainable, "batch_size": self.batch_size}

    def start(self, folder: str) -> None:
        """Starts the profiler, whose first step begins now."""
        profiler = _torch().profiler
        self._profiler = profiler.profile(
            schedule=lambda step: profiler.ProfilerAction.RECORD,  # without a schedule it marks no steps
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


def _torch() -> Any:
    return sys.modules["torch"]
