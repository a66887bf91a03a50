"""The causes that are planted into real trainings, one entry each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Size:
    """A perceptron of ``layers`` square layers of ``width``, on batches of ``batch`` × ``features``."""

    batch: int
    features: int
    width: int
    layers: int

    @property
    def small(self) -> Size:
        """What a CPU trains in milliseconds."""
        return Size(min(self.batch, 256), min(self.features, 128), 128, min(self.layers, 2))


@dataclass(frozen=True)
class Cause:
    """One way to slow a training down.

    ``rules``: ids of which the first finding should be one; ``training``: its class in ``trainings.py`` (or
    ``keras_trainings.py``), which says what is planted and what is done instead.
    """

    name: str
    rules: tuple[str, ...]
    training: str
    size: Size
    keras: bool = False

    @property
    def folder(self) -> str:
        """The name of its runs in the log directory."""
        return self.name.lower().replace(" ", "_")


LARGE: Final = Size(batch=4096, features=512, width=4096, layers=4)
LIGHT: Final = Size(batch=256, features=512, width=1024, layers=8)

CAUSES: Final = (
    Cause("slow input in Python", ("input-bound",), "SlowInput", LARGE),
    # Little is computed on each byte, so that copying outlasts computing on any GPU.
    Cause(
        "batches copied from pageable memory",
        ("h2d-copy-bound", "input-bound"),
        "CopiedBatches",
        Size(batch=65536, features=1024, width=256, layers=1),
    ),
    Cause(
        "tiny kernels",
        ("small-kernels", "kernel-launch-bound", "eager-execution"),
        "TinyKernels",
        Size(batch=256, features=512, width=512, layers=24),
    ),
    Cause("float32 instead of 16 bit", ("mixed-precision-off", "tensor-cores-unused"), "Float32", LARGE),
    Cause("host synchronisation in each step", ("host-sync-in-step",), "HostSync", LIGHT),
    Cause("recompilation", ("xla-recompilation", "function-retracing"), "Recompilation", LIGHT),
    Cause("callbacks between steps", ("step-gaps",), "Callbacks", LARGE),
)

KERAS_CAUSES: Final = (
    Cause("Keras slow input in Python", ("input-bound",), "KerasSlowInput", LARGE, keras=True),
    Cause(
        "Keras run eagerly",
        ("eager-execution", "small-kernels", "kernel-launch-bound"),
        "KerasEager",
        LIGHT,
        keras=True,
    ),
)
