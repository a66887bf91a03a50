"""Facts from TensorFlow and Keras, if the training has imported them; imports neither."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Any, Final, TypedDict

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
