"""Loops of TensorFlow without ``fit``: the first tf.function, or line that takes gradients eagerly, that runs
again and again is the training's step.
"""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from tfperf_plugin.recording.hook.anew import Anew
from tfperf_plugin.recording.hook.framework import TensorFlowProfiler
from tfperf_plugin.recording.hook.recorder import CALLS, HIDDEN, Recorder, Steps, is_helper
from tfperf_plugin.recording.launch import Means

_FUNCTIONS: Final = "tensorflow.python.eager.polymorphic_function.polymorphic_function"
"""The module of what ``tf.function`` returns, from TensorFlow 2.9 on."""
_FRAMEWORKS: Final = frozenset({"keras", "tensorflow", "tf_keras"})


def watch(tensorflow: Any, recorder: Recorder) -> None:
    """Counts calls of the program's own tf.functions, and gradients that it takes outside of these."""
    anew = Anew(lambda: Steps(recorder, _Loop(tensorflow), CALLS))
    of_function: WeakKeyDictionary[Any, Steps] = WeakKeyDictionary()
    of_line: WeakKeyDictionary[types.CodeType, dict[int, Steps]] = WeakKeyDictionary()

    def counts() -> bool:
        """Whether a call may be a step: Keras' steps and functions that are being traced make none."""
        return (
            not (recorder.done or recorder.inside)
            and threading.current_thread() is threading.main_thread()
            and tensorflow.executing_eagerly()
            and not is_helper()
        )

    def called(function: Any) -> Callable[..., Any]:
        call: Callable[..., Any] = types.MethodType(real_call, function)
        if not counts():
            return call
        if function not in of_function:
            if str(function.python_function.__module__).partition(".")[0] in _FRAMEWORKS:
                return call
            of_function[function] = anew.steps_of(function.python_function)
        return functools.partial(of_function[function].around, call)

    @functools.wraps(tensorflow.GradientTape.gradient)
    def gradient(tape: Any, *args: Any, **kwargs: Any) -> Any:
        with HIDDEN:
            if not counts():
                return real_gradient(tape, *args, **kwargs)
            caller = sys._getframe(1)
            lines = of_line.setdefault(caller.f_code, {})
            if caller.f_lineno not in lines:
                lines[caller.f_lineno] = Steps(recorder, _Loop(tensorflow), CALLS)
            return lines[caller.f_lineno].around(real_gradient, tape, *args, **kwargs)

    real_gradient = tensorflow.GradientTape.gradient
    tensorflow.GradientTape.gradient = gradient
    if functions := sys.modules.get(_FUNCTIONS):
        real_call = functions.Function.__call__
        # A method would stand in the traceback of each error of the function.
        functions.Function.__call__ = property(called)


class _Loop(TensorFlowProfiler):
    """A marker reaches from step to step: a loop fetches its batch outside of the call."""

    means: Means = "tensorflow"

    def __init__(self, tensorflow: Any) -> None:
        self._tensorflow_module = tensorflow

    def early(self, given: tuple[Any, ...], result: Any) -> Any:
        """The loss: of what is returned or, to a tape, given, the first number."""
        flat = self._tensorflow_module.nest.flatten
        tensors = [leaf for leaf in flat(given) if hasattr(leaf, "shape") and hasattr(leaf, "numpy")]
        sizes = [int(leaf.shape[0]) for leaf in tensors if len(leaf.shape) and not hasattr(leaf, "assign")]
        self.batch_size = self.batch_size or next(iter(sizes), None)
        returned = [leaf for leaf in flat(result) if hasattr(leaf, "numpy")]
        return next(
            (leaf for leaf in (*returned, *tensors) if leaf.shape == () and leaf.dtype.is_floating), None
        )

    def enter(self, step: int) -> None:
        """A step begins, and the one before ends."""
        self._close()
        super().enter(step)

    def leave(self) -> None:
        """Nothing ends before the next step begins."""

    def facts(self) -> dict[str, Any]:
        """The size of a batch, as far as a step's arguments show it."""
        return {"batch_size": self.batch_size}
