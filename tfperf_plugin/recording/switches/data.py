"""Switches of the input: of tf.data, and of PyTorch's DataLoader."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any, Final

from tfperf_plugin.recording.switches.switch import Switch, given, wrap

Tell = Callable[[str], None]
LOADERS: Final = "torch.utils.data.dataloader"
MOST_BATCHES: Final = 1000
"""An epoch of the first batch, where TensorFlow does not know how many batches there are."""


def _parallel_map(tensorflow: Any, _: str, tell: Tell) -> None:
    def around(method: Any, *args: Any, **named: Any) -> Any:
        if not given(method, "num_parallel_calls", args, named):
            named["num_parallel_calls"] = tensorflow.data.AUTOTUNE
            tell(f"{method.__name__}(num_parallel_calls=tf.data.AUTOTUNE)")
        return method(*args, **named)

    for name in ("map", "interleave"):
        wrap(tensorflow.data.Dataset, name, around)


def _prefetch(tensorflow: Any, _: str, tell: Tell) -> None:
    def around(method: Any, data: Any) -> Any:
        if "Prefetch" not in type(data).__name__:
            data = data.prefetch(tensorflow.data.AUTOTUNE)
            tell("prefetch(tf.data.AUTOTUNE) at the end")
        return method(data)

    wrap(tensorflow.data.Dataset, "__iter__", around)


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
            tell(f"DataLoader(num_workers={value}, persistent_workers=True)")
        method(*call.args, **call.kwargs)

    wrap(module.DataLoader, "__init__", around)


def _pin_memory(module: Any, _: str, tell: Tell) -> None:
    def around(method: Any, *args: Any, **named: Any) -> None:
        if not given(method, "pin_memory", args, named) and module.torch.cuda.is_available():
            named["pin_memory"] = True
            tell("DataLoader(pin_memory=True)")
        method(*args, **named)

    wrap(module.DataLoader, "__init__", around)


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
        works_in="TensorFlow",
        finds="a call of map or interleave without num_parallel_calls",
        changes={"tensorflow": _parallel_map},
        keep="dataset.map(f, num_parallel_calls=tf.data.AUTOTUNE)",
        limit="Functions that call Python stay serial.",
    ),
    Switch(
        id="prefetch",
        does="Prepares batches ahead, while the step computes.",
        works_in="TensorFlow",
        finds=f"{_ITERATES}, and that does not end with prefetch",
        changes={"tensorflow": _prefetch},
        keep="dataset = dataset.prefetch(tf.data.AUTOTUNE)",
        limit="Distribution strategies iterate data in another way, so it changes nothing there.",
    ),
    Switch(
        id="one-batch",
        does="Feeds the first batch of each data set again and again.",
        works_in="TensorFlow, PyTorch",
        finds=f"{_ITERATES}, or a DataLoader",
        changes={"tensorflow": _one_batch_of_tf_data, LOADERS: _one_batch_of_loaders},
        shows="what input costs: with data that lies ready, no step waits for any",
        differs=("Losses",),
        limit="Distribution strategies iterate data in another way, so it changes nothing there.",
    ),
    Switch(
        id="loader-workers",
        does="Lets worker processes load batches ahead.",
        works_in="PyTorch",
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
        works_in="PyTorch",
        finds="a DataLoader without pin_memory, and a GPU",
        changes={LOADERS: _pin_memory},
        keep="DataLoader(dataset, batch_size, pin_memory=True)",
        limit="For copies beside kernels, the training has to copy with non_blocking=True.",
    ),
)
