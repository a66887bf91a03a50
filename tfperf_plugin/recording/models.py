"""Facts from a Keras model that is being trained; imports no framework."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from tfperf_plugin.recording import frameworks

T = TypeVar("T")


def facts(model: Any) -> dict[str, Any]:
    """The fields of a ``TrainingRecord`` that ``model`` tells; None where its version of Keras does not."""
    return {
        # Keras 2 builds some models in the first step.
        "parameters": or_none(
            lambda: sum(math.prod(w.shape) for w in model.weights) if model.built else None
        ),
        "trainable": or_none(lambda: frameworks.by_type(model.trainable_weights) if model.built else None),
        "policy": or_none(lambda: str(model.dtype_policy.name)),
        "jit_compile": or_none(lambda: model.jit_compile),
        "steps_per_execution": steps_per_execution(model),
        # None, too, for a dataset of unknown length in its first epoch.
        "steps_per_epoch": or_none(lambda: int(model.history.params["steps"])),
        **(or_none(lambda: frameworks.distribution(model.distribute_strategy)) or {}),
    }


def steps_per_execution(model: Any) -> int | None:
    """Training steps in one call."""
    return or_none(lambda: int(_plain(model.steps_per_execution)))


def examples(model: Any) -> float | None:
    """Examples of all replicas in this epoch so far; None if the model counts something else.

    A model with its own ``train_step`` may do so; steps on parameter servers may be unfinished.
    """
    strategy = model.distribute_strategy
    if "ParameterServer" in type(strategy).__name__:
        return None
    count = loss_count(model)
    # Local replicas only: a sum over all workers would wait for workers that do not record.
    local = [float(_plain(value)) for value in strategy.experimental_local_results(_variable(count))]
    replicas: int = strategy.num_replicas_in_sync
    if len(local) < replicas and len(set(local)) > 1:
        return None
    return sum(local) * replicas / len(local)


def loss_count(model: Any) -> Any:
    """The variable that holds the number of examples behind the mean loss. Raises if there is none."""
    if model.train_step.__module__.partition(".")[0] not in ("keras", "tf_keras"):
        raise ValueError("a train_step of its own may count differently")
    return next(metric for metric in model.metrics if metric.name == "loss").count


def batch_size(model: Any, examples: float, steps: int) -> int | None:
    """Examples in each of ``steps`` that had ``examples`` together; None if the steps differ."""
    size, rest = divmod(examples, steps)
    replicas = getattr(getattr(model, "distribute_strategy", None), "num_replicas_in_sync", 1)
    # Early versions of Keras 3 count 1 for each step and replica, whatever the batch size.
    return int(size) if not rest and size > replicas else None


def _variable(value: Any) -> Any:
    """The TensorFlow variable inside a variable of Keras 3."""
    return value if callable(value.value) else value.value


def _plain(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def or_none(read: Callable[[], T]) -> T | None:
    """What ``read`` returns; None if it fails, as with other versions of Keras."""
    try:
        return read()
    except Exception:
        return None
