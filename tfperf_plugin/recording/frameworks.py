"""Facts from TensorFlow and Keras, if the training has imported them; imports neither."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final, TypedDict, TypeVar

from tfperf_plugin.recording.record import ELEMENT_BYTES

# Class names that differ from the public names in tf.distribute.
_PUBLIC_NAMES: Final = {
    "CollectiveAllReduceStrategy": "MultiWorkerMirroredStrategy",
    "ParameterServerStrategyV2": "ParameterServerStrategy",
    "TPUStrategyV2": "TPUStrategy",
    "_DefaultDistributionStrategy": "none",
}


class Distribution(TypedDict, total=False):
    """The fields of a ``TrainingRecord`` that come from the distribution strategy."""

    strategy: str
    replicas: int
    workers: int
    worker: int


def distribution(strategy: Any | None) -> Distribution:
    """The facts of ``strategy``, else of the strategy of the current scope; empty without either."""
    tensorflow: Any = sys.modules.get("tensorflow")
    if strategy is None and tensorflow and tensorflow.distribute.has_strategy():
        strategy = tensorflow.distribute.get_strategy()
    if strategy is None:
        return {}
    name = type(strategy).__name__
    found = Distribution(strategy=_PUBLIC_NAMES.get(name, name), replicas=strategy.num_replicas_in_sync)
    resolver = strategy.cluster_resolver
    if resolver is None:
        return {**found, "workers": 1}
    # Records the number of workers only, not their addresses.
    cluster = resolver.cluster_spec().as_dict()
    chiefs, workers = (len(cluster.get(job, ())) for job in ("chief", "worker"))
    found["workers"] = max(1, chiefs + workers)
    if resolver.task_type in ("chief", "worker", None) and resolver.task_id is not None:
        found["worker"] = resolver.task_id + (chiefs if resolver.task_type == "worker" else 0)
    return found


def by_type(variables: Iterable[Any]) -> dict[str, int] | None:
    """Type → number of elements of ``variables``; None if a type cannot have a gradient."""
    counts: dict[str, int] = {}
    for variable in variables:
        kind = getattr(variable.dtype, "name", variable.dtype)
        if kind not in ELEMENT_BYTES:
            return None
        counts[kind] = counts.get(kind, 0) + math.prod(variable.shape)
    return counts


def global_policy() -> str | None:
    """Keras' global precision policy; None if Keras is not imported."""
    keras = _keras()
    if keras is None:
        return None
    if hasattr(keras, "config"):
        return str(keras.config.dtype_policy().name)
    return str(keras.mixed_precision.global_policy().name)


def versions() -> dict[str, str]:
    """Versions of TensorFlow, its CUDA and cuDNN, Keras, JAX and PyTorch, as far as they are imported."""
    modules: dict[str, Any] = {
        name: sys.modules.get(name) for name in ("tensorflow", "jax", "jaxlib", "torch")
    }
    modules["keras"] = _keras()
    # A module that another thread is still importing has no version yet.
    found = {name: str(it.__version__) for name, it in modules.items() if hasattr(it, "__version__")}
    tensorflow = modules["tensorflow"]
    if hasattr(tensorflow, "sysconfig"):
        built_for = tensorflow.sysconfig.get_build_info()
        for name in ("cuda", "cudnn"):
            if f"{name}_version" in built_for:
                found[name] = built_for[f"{name}_version"]
    return found


def _keras() -> Any | None:
    # If tf_keras is imported, directly or by tf.keras, the training uses it.
    return sys.modules.get("tf_keras") or sys.modules.get("keras")


# ----------------------------------------------------------------------------------- models of Keras

T = TypeVar("T")


def model_facts(model: Any) -> dict[str, Any]:
    """The fields of a ``TrainingRecord`` that ``model`` tells; None where its version of Keras does not."""
    return {
        # Keras 2 builds some models in the first step.
        "parameters": or_none(
            lambda: sum(math.prod(w.shape) for w in model.weights) if model.built else None
        ),
        "trainable": or_none(lambda: by_type(model.trainable_weights) if model.built else None),
        "policy": or_none(lambda: str(model.dtype_policy.name)),
        "jit_compile": or_none(lambda: model.jit_compile),
        "steps_per_execution": steps_per_execution(model),
        # None, too, for a dataset of unknown length in its first epoch.
        "steps_per_epoch": or_none(lambda: int(model.history.params["steps"])),
        **(or_none(lambda: distribution(model.distribute_strategy)) or {}),
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
