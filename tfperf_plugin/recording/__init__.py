"""For training programs: writes down what the training knows of itself, beside its profiles.

Runs inside the training. It therefore never raises, never imports TensorFlow by itself and writes one small
file: no paths, no addresses, no command lines, and of the environment only ``training.VARIABLES``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from tfperf_plugin.recording import frameworks, machine
from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.recording.write import warn, write

__all__ = ["record_training"]


def record_training(
    log_dir: str | os.PathLike[str],
    *,
    parameters: int | None = None,
    trainable_variables: Iterable[object] | None = None,
    batch_size: int | None = None,
    precision_policy: str | None = None,
    jit_compile: bool | None = None,
    steps_per_execution: int | None = None,
    strategy: object | None = None,
) -> str | None:
    """Records a training with a loop of its own; call it once, in each worker, before the training begins.

    With ``model.fit`` use ``tfperf_plugin.keras.DiagnosticsCallback`` instead.

    Args:
        log_dir: the directory that profiles are written to, as given to ``tf.profiler.experimental.start``;
            may be remote (``gs://…``).
        parameters: number of all weights of the model.
        trainable_variables: the variables that have a gradient; only their shapes and types are used.
        batch_size: examples of one training step over all replicas.
        precision_policy: such as "mixed_float16"; without it Keras' global one, where Keras is imported.
        jit_compile: whether the training step is compiled as a whole by XLA.
        steps_per_execution: training steps that run in one call, that is under one step marker.
        strategy: the ``tf.distribute.Strategy``; without it the one whose scope this is called in.

    Returns:
        The file that was written; None, after one warning in the log, if that was not possible.
    """
    start = datetime.now().astimezone()
    try:
        record = TrainingRecord(
            parameters=parameters,
            trainable=None if trainable_variables is None else frameworks.by_type(trainable_variables),
            batch_size=batch_size,
            policy=precision_policy or frameworks.global_policy(),
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
            **frameworks.distribution(strategy),
            environment=machine.environment(os.environ),
            versions={**frameworks.versions(), **machine.versions()},
            links=machine.links(),
        )
        return write(log_dir, start, record)
    except Exception as error:
        warn(log_dir, error)
        return None
