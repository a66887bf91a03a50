"""Records facts about a training beside its profiles; to be called by training programs.

This code runs inside the training. It therefore never raises and never imports TensorFlow by itself. It
writes one small file without paths, addresses or command lines; of the environment, it records only
``record.VARIABLES``. What watches the machine is a process of its own (``sampler``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

__all__ = ["record_training"]


def record_training(
    log_dir: str | os.PathLike[str],
    *,
    parameters: int | None = None,
    trainable_variables: Iterable[object] | None = None,
    batch_size: int | None = None,
    flops_per_step: float | None = None,
    precision_policy: str | None = None,
    jit_compile: bool | None = None,
    steps_per_execution: int | None = None,
    steps_per_epoch: int | None = None,
    strategy: object | None = None,
) -> str | None:
    """Records a custom training loop. Call it once in each worker, before the training begins.

    With ``model.fit``, use ``tfperf_plugin.keras.DiagnosticsCallback`` instead. If ``log_dir`` is no remote
    one, a process beside this one also writes what the machine does until this one ends.

    Args:
        log_dir: the directory for profiles, as given to ``tf.profiler.experimental.start``; may be remote
            (``gs://…``).
        parameters: the number of all weights of the model.
        trainable_variables: the variables that have a gradient; only their shapes and types are used.
        batch_size: examples in one training step over all replicas.
        flops_per_step: floating-point operations of the model in one training step over all replicas, forward
            and backward, without what is computed again (a multiply-add is two).
        precision_policy: such as "mixed_float16"; by default Keras' global policy, if Keras is imported.
        jit_compile: whether XLA compiles the training step as a whole.
        steps_per_execution: training steps in one call, that is, under one step marker.
        steps_per_epoch: training steps of an epoch, to which scalars of epochs in TensorBoard are compared.
        strategy: the ``tf.distribute.Strategy``; by default the one of the current scope.

    Returns:
        The path of the file; None, after one warning in the log, if it could not be written.
    """
    # Reports import this package, too, for what a training has recorded.
    from tfperf_plugin.recording import frameworks, machine
    from tfperf_plugin.recording.record import TrainingRecord
    from tfperf_plugin.recording.sampler.start import start_in_training
    from tfperf_plugin.recording.write import warn, write

    start = datetime.now().astimezone()
    start_in_training(log_dir)
    try:
        record = TrainingRecord(
            parameters=parameters,
            trainable=None if trainable_variables is None else frameworks.by_type(trainable_variables),
            batch_size=batch_size,
            flops_per_step=flops_per_step,  # type: ignore[arg-type]  # becomes a whole number
            policy=precision_policy or frameworks.global_policy(),
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
            steps_per_epoch=steps_per_epoch,
            **frameworks.distribution(strategy),
            **machine.facts(),
        )
        return write(log_dir, start, record)
    except Exception as error:
        warn(log_dir, error)
        return None
