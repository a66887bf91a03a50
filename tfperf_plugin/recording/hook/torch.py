"""Updates of PyTorch's optimizers: those of the first one that makes enough are the training's steps.

An update knows neither its loss nor its batch. For the first steps, what ``backward`` is called on and what a
``DataLoader`` hands out tell them; then both are left as PyTorch made them. Nothing here holds a tensor.
"""

from __future__ import annotations

import contextlib
import functools
import statistics
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

from tfperf_plugin.recording.hook.framework import Framework
from tfperf_plugin.recording.hook.recorder import HIDDEN, LOSSES, Recorder, Steps
from tfperf_plugin.recording.launch import Means

MOST_CALLS: Final = 1000
"""After this many batches and calls of ``backward`` without an update, no update is awaited."""
_forget: Final[list[Callable[[], None]]] = []
"""What gives PyTorch its own methods back."""


class _Seen:
    """What was seen since the last update."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """An update was made."""
        self.examples = 0  # of batches
        self.calls = 0  # that told examples or the loss
        self.loss: float | None = None  # the latest one

    def backward(self, loss: Any, _: Any) -> None:
        """``backward`` was called on ``loss``. Of a loss that is a tensor of another kind, such as one that
        is spread over processes, the number may take communication."""
        is_number = type(loss) is _torch().Tensor and loss.numel() == 1
        self.loss = float(loss.detach()) if is_number else None

    def loaded(self, _: Any, batch: Any) -> None:
        """A ``DataLoader`` handed out ``batch``."""
        self.examples += _examples(batch)


_seen = _Seen()


def watch(optimizers: Any, recorder: Recorder) -> None:
    """Has each update counted. ``optimizers``: the module ``torch.optim.optimizer``."""
    known: WeakKeyDictionary[Any, Steps] = WeakKeyDictionary()
    # The optimizer of the latest update, and its steps: to find these takes longest.
    latest: Callable[[], Any] = type(None)
    latest_steps: Steps | None = None
    if not recorder.request.profile:
        _look_at(_torch().Tensor, "backward", _seen.backward)

    def count(optimizer: Any) -> None:
        nonlocal latest, latest_steps
        steps = known.get(optimizer)
        if steps is None:
            steps = known[optimizer] = Steps(recorder, _Updates(optimizer))
        latest, latest_steps = ref(optimizer), steps
        recorder.after(steps, (), None)
        _seen.begin_anew()
        if steps.count >= LOSSES:
            _leave_pytorch_alone()

    def updated(optimizer: Any, args: Any, kwargs: Any) -> None:
        if latest_steps is not None and latest() is optimizer and not _forget and latest_steps.passes():
            return
        if recorder.done:
            _leave_pytorch_alone()
        elif not _is_capturing():
            recorder.safely(lambda: count(optimizer))

    optimizers.register_optimizer_step_post_hook(updated)


def watch_loaders(loaders: Any) -> None:
    """Has examples counted. ``loaders``: the module ``torch.utils.data.dataloader``."""
    _look_at(loaders._BaseDataLoaderIter, "__next__", _seen.loaded)


def _look_at(kind: Any, name: str, look: Callable[[Any, Any], None]) -> None:
    """Calls ``look`` with the object and the result of each call of a method."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def looked_at(self: Any, *args: Any, **kwargs: Any) -> Any:
        with HIDDEN:
            result = method(self, *args, **kwargs)
        if _forget:
            with contextlib.suppress(Exception):
                _seen.calls += 1
                if _seen.calls > MOST_CALLS:
                    _leave_pytorch_alone()
                elif not _is_capturing():
                    look(self, result)
        return result

    def forget() -> None:
        if getattr(kind, name) is looked_at:  # else somebody has wrapped it once more
            setattr(kind, name, method)

    setattr(kind, name, looked_at)
    _forget.append(forget)


def _leave_pytorch_alone() -> None:
    while _forget:
        _forget.pop()()


def _is_capturing() -> bool:
    """Whether the operations become a CUDA graph, which a look at their results would break."""
    cuda = _torch().cuda
    return bool(cuda.is_initialized() and cuda.is_current_stream_capturing())


def _examples(batch: Any) -> int:
    """The first length in a batch, which may be nested; 0 without one."""
    if hasattr(batch, "shape"):
        return int(batch.shape[0]) if len(batch.shape) else 0
    parts = batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, tuple | list) else ()
    return next(filter(None, map(_examples, parts)), 0)


class _Updates(Framework):
    """A step lasts from one update to the next."""

    means: Means = "torch"

    def __init__(self, optimizer: Any) -> None:
        self._trainable: dict[str, int] = {}
        for group in optimizer.param_groups:
            for weight in group["params"]:
                kind = str(weight.dtype).removeprefix("torch.")
                self._trainable[kind] = self._trainable.get(kind, 0) + weight.numel()
        self._sizes: list[int] = []

    def early(self, given: tuple[Any, ...], result: Any) -> Any | None:
        """The last loss. With several processes, this one does not know the whole batch."""
        distributed = _torch().distributed
        alone = not (distributed.is_available() and distributed.is_initialized())
        if alone and _seen.examples:
            self._sizes.append(_seen.examples)
            self.batch_size = statistics.mode(self._sizes)
        return _seen.loss

    def wait(self, result: Any) -> None:
        """Waits for the GPU, if one was used."""
        cuda = _torch().cuda
        if cuda.is_initialized():
            cuda.synchronize()

    def facts(self) -> dict[str, Any]:
        """What the optimizer updates."""
        return {"trainable": self._trainable, "batch_size": self.batch_size}

    def start(self, folder: str) -> None:
        """Starts the profiler, whose first step begins now. It belongs to its thread: if that ends before, or
        another one stops it, the process crashes."""
        if not _in_main_thread():
            raise RuntimeError("PyTorch can be recorded in the main thread only")
        profiler = _torch().profiler
        self._profiler = profiler.profile(
            schedule=lambda step: profiler.ProfilerAction.RECORD,  # without a schedule it marks no steps
            on_trace_ready=profiler.tensorboard_trace_handler(folder),
            record_shapes=True,
        )
        self._profiler.start()

    def leave(self) -> None:
        """The next step begins with this update."""
        self._profiler.step()

    def stop(self) -> None:
        """Stops, and writes a trace. To stop twice would crash the process."""
        profiler, self._profiler = self._profiler, None
        if profiler is not None and _in_main_thread():
            profiler.stop()

    def soon(self, work: Callable[[], None]) -> None:
        """Does ``work`` where the main thread next calls a module."""

        def called(*_: Any) -> None:
            if _in_main_thread():
                handle.remove()
                work()

        handle = _torch().nn.modules.module.register_module_forward_pre_hook(called)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _torch() -> Any:
    return sys.modules["torch"]
