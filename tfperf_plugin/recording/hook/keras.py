"""Keras' training function: Keras 3 on TensorFlow and on JAX, Keras 2 as ``tf_keras`` or ``tf.keras``."""

from __future__ import annotations

import functools
import sys
from typing import Any, Final

from tfperf_plugin.recording import frameworks
from tfperf_plugin.recording.hook.framework import JaxProfiler, TensorFlowProfiler
from tfperf_plugin.recording.hook.recorder import HIDDEN, Recorder, Steps
from tfperf_plugin.recording.launch import Means

_TRAINERS: Final = ("TensorFlowTrainer", "JAXTrainer", "Model")
_METRICS: Final = 3
"""Where the variables of metrics stand in the state that Keras on JAX hands from step to step."""


def watch(module: Any, recorder: Recorder) -> None:
    """Wraps the function that each model makes for its training."""
    trainer = next(getattr(module, name) for name in _TRAINERS if hasattr(module, name))
    make = trainer.make_train_function

    @functools.wraps(make)
    def make_train_function(model: Any, *args: Any, **kwargs: Any) -> Any:
        with HIDDEN:
            make(model, *args, **kwargs)
        recorder.safely(lambda: _wrap(model, recorder))
        return model.train_function

    trainer.make_train_function = make_train_function


def _wrap(model: Any, recorder: Recorder) -> None:
    step = model.train_function
    if recorder.done or getattr(step, "of_tfperf", False):
        return
    recorder.note("fit")
    on_jax = any(kind.__name__ == "JAXTrainer" for kind in type(model).__mro__)
    steps = Steps(recorder, _OnJax(model) if on_jax else _OnTensorFlow(model))
    model.train_function = functools.partial(steps.around, step)
    model.train_function.of_tfperf = True


class _OnTensorFlow(TensorFlowProfiler):
    means: Means = "keras"

    def __init__(self, model: Any) -> None:
        self._model = model
        self._examples: float | None = None
        self.steps_per_call = frameworks.steps_per_execution(model) or 1

    def early(self, given: tuple[Any, ...], result: Any) -> Any:
        """The loss, which in Keras is the mean of the epoch so far."""
        self._look(frameworks.or_none(lambda: frameworks.examples(self._model)))
        return _loss(result)

    def _look(self, examples: float | None) -> None:
        """``examples``: of this epoch so far. The largest growth is a batch: the last may be smaller."""
        before, self._examples = self._examples, examples
        if before is not None and examples is not None:
            grown = examples - before if examples > before else examples  # else an epoch has begun
            size = frameworks.batch_size(self._model, grown, self.steps_per_call)
            self.batch_size = max(size or 0, self.batch_size or 0) or None

    def wait(self, result: Any) -> None:
        """Reads what the step returned: TensorFlow copies it once all that was launched before is done."""
        for leaf in sys.modules["tensorflow"].nest.flatten(result):
            if hasattr(leaf, "numpy"):
                leaf.numpy()

    def facts(self) -> dict[str, Any]:
        """What the model says of itself."""
        return {**frameworks.model_facts(self._model), "batch_size": self.batch_size}


class _OnJax(JaxProfiler, _OnTensorFlow):
    """Here the step returns its logs, and the state of model, optimizer and metrics."""

    def early(self, given: tuple[Any, ...], result: Any) -> Any:
        """The loss, which in Keras is the mean of the epoch so far."""
        logs, state = result
        self._look(frameworks.or_none(lambda: self._count(state)))
        return _loss(logs)

    def _count(self, state: Any) -> float:
        count = frameworks.loss_count(self._model)
        at = next(i for i, each in enumerate(self._model.metrics_variables) if each is count)
        return float(state[_METRICS][at])


def _loss(logs: Any) -> Any:
    return logs["loss"] if isinstance(logs, dict) else logs
