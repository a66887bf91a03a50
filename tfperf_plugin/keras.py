"""A callback for ``model.fit`` that records facts about the training beside its profiles.

Importing this module imports TensorFlow. The plugin and the command line never do.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import tensorflow
from msgspec.structs import replace

from tfperf_plugin.recording import frameworks, machine
from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.recording.sampler.start import start_in_training
from tfperf_plugin.recording.write import warn, write

__all__ = ["DiagnosticsCallback"]


class DiagnosticsCallback(tensorflow.keras.callbacks.Callback):  # type: ignore[misc]
    """Writes one small file to ``LOG_DIR/plugins/diagnostics`` when the training begins.

    ``model.fit(…, callbacks=[TensorBoard(log_dir, …), DiagnosticsCallback(log_dir)])``; with several workers,
    in each of them. If the directory is no remote one, a process beside the training also writes what the
    machine does until the training's process ends. Works with Keras 3 on TensorFlow and with tf.keras 2. If
    recording fails, it logs one warning and the training goes on.

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
        start_in_training(self._log_dir)
        self._write(self._keep_batch_size)

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
        """Adds the batch size once, after the first steps. ``batch``: number of earlier steps."""
        if self._waiting and batch and not _profiling():
            self._waiting = False
            size = self._batch_size or frameworks.or_none(lambda: _measured_batch_size(self.model, batch))
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
            self._machine = machine.facts()
        return TrainingRecord(
            **frameworks.model_facts(self.model),
            batch_size=self._batch_size,
            flops_per_step=self._flops_per_step,  # type: ignore[arg-type]  # becomes a whole number
            **self._machine,
        )


def _profiling() -> bool:
    """Whether TensorFlow is profiling: the callback must not appear in the profile."""
    profiler = sys.modules.get("tensorflow.python.profiler.profiler_v2")
    return getattr(profiler, "_profiler", None) is not None


def _measured_batch_size(model: Any, steps: int) -> int | None:
    """Examples in each of this epoch's ``steps`` so far."""
    examples = frameworks.examples(model)
    return None if examples is None else frameworks.batch_size(model, examples, steps)
