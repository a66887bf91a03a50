"""A callback for ``model.fit`` that records facts about the training beside its profiles.

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
    in each of them. Works with Keras 3 on TensorFlow and with tf.keras 2. If recording fails, it logs one
    warning and the training goes on.

    Args:
        log_dir: as given to the callback ``TensorBoard``; may be remote (``gs://…``).
        batch_size: examples in one step over all replicas. Without it, the callback derives the batch size
            after two steps, unless the model has its own ``train_step``.
        flops_per_step: floating-point operations of the model in one training step over all replicas, forward
            and backward, without what is computed again (a multiply-add is two).
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *,
        batch_size: int | None = None,
        flops_per_step: float | None = None,
    ) -> None:
        super().__init__()
        # Otherwise Keras 2 waits for the GPU after each step to pass plain numbers.
        self._supports_tf_logs = True
        self._log_dir = log_dir
        self._batch_size = batch_size
        self._flops_per_step = flops_per_step
        self._start = datetime.now().astimezone()
        self._waiting = False
        self._machine: dict[str, Any] | None = None
        self._written: TrainingRecord | None = None
        self._failed = False

    def on_train_begin(self, logs: object = None) -> None:
        """Records what is known before the first step."""
        self._start = datetime.now().astimezone()
        self._waiting = True
        self._write(self._keep_batch_size)

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
        """Adds the batch size once, after the first steps. ``batch``: number of earlier steps."""
        if self._waiting and batch and not _profiling():
            self._waiting = False
            size = self._batch_size or _or_none(lambda: _measured_batch_size(self.model, batch))
            self._write(lambda record: replace(record, batch_size=size))

    def _keep_batch_size(self, record: TrainingRecord) -> TrainingRecord:
        """The former record if only the batch size differs, which the first steps will show anew."""
        former = self._written
        return former if former and replace(former, batch_size=record.batch_size) == record else record

    def _write(self, complete: Callable[[TrainingRecord], TrainingRecord]) -> None:
        """Writes a record that differs from the last one, so that repeated fits leave one file."""
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
            flops_per_step=self._flops_per_step,  # type: ignore[arg-type]  # becomes a whole number
            policy=_or_none(lambda: str(model.dtype_policy.name)),
            jit_compile=_or_none(lambda: model.jit_compile),
            steps_per_execution=_or_none(lambda: int(_plain(model.steps_per_execution))),
            **_or_none(lambda: frameworks.distribution(model.distribute_strategy)) or {},
            **self._machine,
        )


def _profiling() -> bool:
    """Whether TensorFlow is profiling: the callback must not appear in the profile."""
    profiler = sys.modules.get("tensorflow.python.profiler.profiler_v2")
    return getattr(profiler, "_profiler", None) is not None


def _measured_batch_size(model: Any, steps: int) -> int | None:
    """Examples in each of this epoch's ``steps`` so far, from the count behind its mean loss."""
    strategy = model.distribute_strategy
    # A custom train_step may count differently; steps on parameter servers may be unfinished.
    if model.train_step.__module__.partition(".")[0] not in ("keras", "tf_keras"):
        return None
    if "ParameterServer" in type(strategy).__name__:
        return None
    count = next(metric for metric in model.metrics if metric.name == "loss").count
    # Local replicas only: a sum over all workers would wait for workers without this callback.
    local = [float(_plain(value)) for value in strategy.experimental_local_results(_variable(count))]
    replicas = strategy.num_replicas_in_sync
    if len(local) < replicas and len(set(local)) > 1:
        return None
    size, rest = divmod(sum(local) * replicas / len(local), steps)
    # Early versions of Keras 3 count 1 for each step and replica, whatever the batch size.
    return int(size) if not rest and size > replicas else None


def _variable(value: Any) -> Any:
    """The TensorFlow variable inside a variable of Keras 3."""
    return value if callable(value.value) else value.value


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def _or_none(read: Callable[[], T]) -> T | None:
    """What ``read`` returns; None if it fails, as with other versions of Keras."""
    try:
        return read()
    except Exception:
        return None
