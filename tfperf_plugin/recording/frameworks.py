"""What TensorFlow and Keras say, where the training has imported them: nothing is imported here."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Any, Final, TypedDict

from tfperf_plugin.recording.record import ELEMENT_BYTES

# Classes whose names differ from the ones they are used under in tf.distribute.
_PUBLIC_NAMES: Final = {
    "CollectiveAllReduceStrategy": "MultiWorkerMirroredStrategy",
    "ParameterServerStrategyV2": "ParameterServerStrategy",
    "TPUStrategyV2": "TPUStrategy",
    "_DefaultDistributionStrategy": "none",
}


class Distribution(TypedDict, total=False):
    """The part of a ``TrainingRecord`` that a distribution strategy knows."""

    strategy: str
    replicas: int
    workers: int
    worker: int


def distribution(strategy: Any | None) -> Distribution:
    """What ``strategy`` knows, or the one whose scope this is called in; nothing if there is neither."""
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
    # Only how many there are: the addresses stay where they are.
    cluster = resolver.cluster_spec().as_dict()
    chiefs, workers = (len(cluster.get(job, ())) for job in ("chief", "worker"))
    found["workers"] = max(1, chiefs + workers)
    if resolver.task_type in ("chief", "worker", None) and resolver.task_id is not None:
        found["worker"] = resolver.task_id + (chiefs if resolver.task_type == "worker" else 0)
    return found


def by_type(variables: Iterable[Any]) -> dict[str, int] | None:
    """Type → number of elements of ``variables``; None if one is of a type without a gradient."""
    counts: dict[str, int] = {}
    for variable in variables:
        kind = getattr(variable.dtype, "name", variable.dtype)
        if kind not in ELEMENT_BYTES:
            return None
        counts[kind] = counts.get(kind, 0) + math.prod(variable.shape)
    return counts


def global_policy() -> str | None:
    """Keras' global precision policy, where Keras is imported."""
    keras = _keras()
    if keras is None:
        return None
    if hasattr(keras, "config"):
        return str(keras.config.dtype_policy().name)
    return str(keras.mixed_precision.global_policy().name)


def versions() -> dict[str, str]:
    """Versions of TensorFlow, Keras and what TensorFlow was built for, where they are imported."""
    found: dict[str, str] = {}
    tensorflow: Any = sys.modules.get("tensorflow")
    if tensorflow:
        built_for = tensorflow.sysconfig.get_build_info()
        found["tensorflow"] = tensorflow.__version__
        found.update(
            {
                name: built_for[f"{name}_version"]
                for name in ("cuda", "cudnn")
                if f"{name}_version" in built_for
            }
        )
    keras = _keras()
    if keras:
        found["keras"] = keras.__version__
    return found


def _keras() -> Any | None:
    # Who imports tf_keras, or has tf.keras import it, trains with it.
    return sys.modules.get("tf_keras") or sys.modules.get("keras")
