"""For ``model.fit``: a callback that records what the training knows of itself, beside its profiles.

Importing this module imports TensorFlow. The plugin and the command line never do.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import tensorflow
from msgspec.structs import replace

from tfperf_plugin.recording import frameworks, machine
from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.recording.write import warn, write

__all__ = ["DiagnosticsCallback"]

T = TypeVar("T")


class DiagnosticsCallback(tensorflow.keras.callbacks.Callback):  # type: ignore[misc]
    """Writes one small file to ``LOG_DIR/plugins/diagnostics`` when the training begins.

    ``model.fit(…, callbacks=[TensorBoard(log_dir, …), DiagnosticsCallback(log_dir)])``; with several workers,
    in each of them. For Keras 3 on TensorFlow and for tf.keras 2. Whatever goes wrong costs one warning in
    the log, never the training.

    Args:
        log_dir: as given to the callback ``TensorBoard``; may be remote (``gs://…``).
        batch_size: examples of one step over all replicas. By itself it is known once the training has run
            its step twice, unless the model has a ``train_step`` of its own.
    """

    def __init__(self, log_dir: str | os.PathLike[str], *, batch_size: int | None = None) -> None:
        super().__init__()
        # Without this, Keras 2 would wait for the GPU after each step to hand out plain numbers.
        self._supports_tf_logs = True
        self._log_dir = log_dir
        self._batch_size = batch_size
        self._start = datetime.now().astimezone()
        self._waiting = False
        self._machine: dict[str, Any] | None = None
        self._written: TrainingRecord | None = None
        self._failed = False

    def on_train_begin(self, logs: object = None) -> None:
        """Records all that is known before the first step."""
        self._start = datetime.now().astimezone()
        self._waiting = True
        self._write(self._with_batch_size_of_before)

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
        """Completes the record after the first steps, once; ``batch`` counts the steps before."""
        if self._waiting and batch and not _profiling():
            self._waiting = False
            size = self._batch_size or _or_none(lambda: _measured_batch_size(self.model, batch))
            self._write(lambda record: replace(record, batch_size=size))

    def _with_batch_size_of_before(self, record: TrainingRecord) -> TrainingRecord:
        """Where nothing else changed, the first steps will tell whether the batch size did."""
        before = self._written
        return before if before and replace(before, batch_size=record.batch_size) == record else record

    def _write(self, complete: Callable[[TrainingRecord], TrainingRecord]) -> None:
        """Writes what is news: a model that is fitted again and again leaves one file."""
        if self._failed:
            return
        try:
            record = complete(self._collect())
            if record != self._written:
                write(self._log_dir, self._start, record)
                self._written = record
        except Exception as error:
            self._failed = True
            warn(self._log_dir, error)

    def _collect(self) -> TrainingRecord:
        if self._machine is None:
            self._machine = {
                "environment": machine.environment(os.environ),
                "versions": {**frameworks.versions(), **machine.versions()},
                "links": machine.links(),
            }
        model = self.model
        return TrainingRecord(
            # Keras 2 builds some models in the first step.
            parameters=_or_none(
                lambda: sum(math.prod(w.shape) for w in model.weights) if model.built else None
            ),
            trainable=_or_none(lambda: frameworks.by_type(model.trainable_weights) if model.built else None),
            batch_size=self._batch_size,
            policy=_or_none(lambda: str(model.dtype_policy.name)),
            jit_compile=_or_none(lambda: model.jit_compile),
            steps_per_execution=_or_none(lambda: int(_plain(model.steps_per_execution))),
            **_or_none(lambda: frameworks.distribution(model.distribute_strategy)) or {},
            **self._machine,
        )


def _profiling() -> bool:
    """Whether TensorFlow records a profile now: then nothing of this shall be in it."""
    profiler = sys.modules.get("tensorflow.python.profiler.profiler_v2")
    return getattr(profiler, "_profiler", None) is not None


def _measured_batch_size(model: Any, steps: int) -> int | None:
    """Examples in each of the ``steps`` that this epoch has had, from the weight of its mean loss."""
    strategy = model.distribute_strategy
    # A train_step of the user's own counts as it likes; parameter servers are not done when asked.
    if model.train_step.__module__.partition(".")[0] not in ("keras", "tf_keras"):
        return None
    if "ParameterServer" in type(strategy).__name__:
        return None
    count = next(metric for metric in model.metrics if metric.name == "loss").count
    # The local replicas only: the sum over workers would wait for those that do not ask.
    local = [float(_plain(value)) for value in strategy.experimental_local_results(_variable(count))]
    replicas = strategy.num_replicas_in_sync
    if len(local) < replicas and len(set(local)) > 1:
        return None
    size, rest = divmod(sum(local) * replicas / len(local), steps)
    # Early versions of Keras 3 count 1 a step and replica, whatever the batch.
    return int(size) if not rest and size > replicas else None


def _variable(value: Any) -> Any:
    """TensorFlow's variable in a variable of Keras 3."""
    return value if callable(value.value) else value.value


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def _or_none(ask: Callable[[], T]) -> T | None:
    """What ``ask`` returns; None if this version of Keras answers otherwise."""
    try:
        return ask()
    except Exception:
        return None
