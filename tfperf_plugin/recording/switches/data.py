"""Switches of the input: of tf.data, and of PyTorch's DataLoader."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from tfperf_plugin.recording.machine import available_bytes
from tfperf_plugin.recording.switches.switch import Switch, Tell, fill, gives, wrap

LOADERS: Final = "torch.utils.data.dataloader"
CACHED: Final = 1 / 3
"""The most of the free memory that an epoch may take."""
MOST_BATCHES: Final = 1000
"""An epoch of the first batch, where TensorFlow does not know how many batches there are."""


def _parallel_map(tensorflow: Any, _: str, tell: Tell) -> None:
    for name in ("map", "interleave"):
        told = partial(tell, f"{name}(num_parallel_calls=tf.data.AUTOTUNE)")
        auto = tensorflow.data.AUTOTUNE
        fill(tensorflow.data.Dataset, name, "num_parallel_calls", auto, told, like_default=1)


def _prefetch(tensorflow: Any, _: str, tell: Tell) -> None:
    def around(method: Any, data: Any) -> Any:
        if "Prefetch" not in type(data).__name__:
            data = data.prefetch(tensorflow.data.AUTOTUNE)
            tell("prefetch(tf.data.AUTOTUNE) at the end")
        return method(data)

    wrap(tensorflow.data.Dataset, "__iter__", around)


def _cache(tensorflow: Any, _: str, tell: Tell) -> None:
    def around(method: Any, data: Any) -> Any:
        if "_tfperf_cached" not in vars(data):  # each epoch iterates the same Dataset
            fits = _epoch_bytes(tensorflow, data) < CACHED * available_bytes()
            vars(data)["_tfperf_cached"] = data.cache() if fits else data
            if fits:
                tell(f"cache() of {int(data.cardinality())} batches at the end")
        return method(vars(data)["_tfperf_cached"])

    wrap(tensorflow.data.Dataset, "__iter__", around)


def _epoch_bytes(tensorflow: Any, data: Any) -> float:
    """What an epoch holds; inf where tf.data does not know it, or a cache holds it already."""
    count, stages = int(data.cardinality()), list(_stages(data))
    if count < 0 or any("Cache" in type(stage).__name__ for stage in stages):
        return math.inf
    batches = (getattr(stage, "_batch_size", None) for stage in stages)
    batch = next((int(size) for size in batches if size is not None), math.inf)
    held = 0.0
    for spec in tensorflow.nest.flatten(data.element_spec):
        is_plain = isinstance(spec, tensorflow.TensorSpec) and spec.dtype != tensorflow.string
        if not is_plain or spec.shape.rank is None:
            return math.inf
        first, *rest = [*spec.shape] or [1]
        sizes = [batch if first is None else first, *(math.inf if size is None else size for size in rest)]
        held += spec.dtype.size * math.prod(sizes)
    return count * held


def _stages(data: Any) -> Iterator[Any]:
    """A Dataset, and what it is made of, up to one that is made of several, or of none."""
    yield data
    while len(made_of := data._inputs()) == 1:
        (data,) = made_of
        yield data


def _one_batch_of_tf_data(tensorflow: Any, _: str, tell: Tell) -> None:
    def around(method: Any, data: Any) -> Any:
        count = int(data.cardinality())
        tell("take(1).cache().repeat(...) at the end")
        return method(data.take(1).cache().repeat(MOST_BATCHES if count < -1 else count))

    wrap(tensorflow.data.Dataset, "__iter__", around)


def _loader_workers(module: Any, value: str, tell: Tell) -> None:
    def around(method: Any, *args: Any, **named: Any) -> None:
        call = inspect.signature(method).bind(*args, **named)
        streams = isinstance(call.arguments["dataset"], module.IterableDataset)
        if not call.arguments.get("num_workers") and not streams:
            call.arguments |= {"num_workers": int(value), "persistent_workers": True}
            gives(tell, f"DataLoader(num_workers={value}, persistent_workers=True)")
        method(*call.args, **call.kwargs)

    wrap(module.DataLoader, "__init__", around)


def _pin_memory(module: Any, _: str, tell: Tell) -> None:
    def has_gpu() -> bool:  # PyTorch imports this module before it is whole
        return bool(module.torch.cuda.is_available())

    told = partial(gives, tell, "DataLoader(pin_memory=True)")
    fill(module.DataLoader, "__init__", "pin_memory", True, told, only_if=has_gpu)


def _one_batch_of_loaders(module: Any, _: str, tell: Tell) -> None:
    def around(method: Any, iterator: Any) -> Any:
        first, left = getattr(iterator, "_tfperf_first", (None, None))
        if left is None:
            first = method(iterator)
            left = _length(iterator)
            tell("the first batch of each epoch again and again")
        elif left <= 0:
            raise StopIteration
        iterator._tfperf_first = first, left - 1
        return first

    wrap(module._BaseDataLoaderIter, "__next__", around)


def _length(iterator: Any) -> float:
    """Batches of an epoch; without an end where PyTorch does not know."""
    try:
        return len(iterator)
    except TypeError:
        return float("inf")


_ITERATES: Final = "a Dataset that the training iterates"
SWITCHES: Final = (
    Switch(
        id="parallel-map",
        does="Lets map and interleave of tf.data make several calls at a time.",
        works_in=("TensorFlow",),
        finds="a map or interleave that makes one call at a time",
        changes={"tensorflow": _parallel_map},
        keep="dataset.map(f, num_parallel_calls=tf.data.AUTOTUNE)",
        limit="Functions that call Python stay serial.",
    ),
    Switch(
        id="prefetch",
        does="Prepares batches ahead, while the step computes.",
        works_in=("TensorFlow",),
        finds=f"{_ITERATES}, and that does not end with prefetch",
        changes={"tensorflow": _prefetch},
        keep="dataset = dataset.prefetch(tf.data.AUTOTUNE)",
        limit="Distribution strategies iterate data in another way, so it changes nothing there.",
    ),
    Switch(
        id="cache",
        does="Keeps the batches of the first epoch in memory.",
        works_in=("TensorFlow",),
        finds=f"{_ITERATES}, without cache, and whose epoch is known to fit into a third of the free memory",
        changes={"tensorflow": _cache},
        keep="dataset = dataset.cache()",
        alters="training",
        limit="Later epochs repeat what is random in the first: put shuffle and augmentation behind it. A "
        "trial shows the gain only if an epoch has fewer steps than --after.",
    ),
    Switch(
        id="one-batch",
        does="Feeds the first batch of each data set again and again.",
        works_in=("TensorFlow", "PyTorch"),
        finds=f"{_ITERATES}, or a DataLoader",
        changes={"tensorflow": _one_batch_of_tf_data, LOADERS: _one_batch_of_loaders},
        shows="what input costs: with data that lies ready, no step waits for any",
        differs=("Losses",),
        alters="training",
        limit="Distribution strategies iterate data in another way, so it changes nothing there.",
    ),
    Switch(
        id="loader-workers",
        does="Lets worker processes load batches ahead.",
        works_in=("PyTorch",),
        finds="a DataLoader without workers, whose dataset has a length",
        changes={LOADERS: _loader_workers},
        keep="DataLoader(dataset, batch_size, num_workers={value}, persistent_workers=True)",
        value=str(min(4, os.cpu_count() or 1)),
        values="[1-9][0-9]?",
        limit="Workers draw other random numbers than the training's own process does.",
        differs=("Losses",),
    ),
    Switch(
        id="pin-memory",
        does="Loads batches into page-locked memory, from which copies to the GPU are faster.",
        works_in=("PyTorch",),
        finds="a DataLoader that leaves pin_memory open, and a GPU",
        changes={LOADERS: _pin_memory},
        keep="DataLoader(dataset, batch_size, pin_memory=True)",
        limit="For copies beside kernels, the training has to copy with non_blocking=True.",
    ),
)
