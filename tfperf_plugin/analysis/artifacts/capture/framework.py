"""The framework of the program, and whether XLA compiled its kernels: advice depends on both."""

from __future__ import annotations

import re
from typing import Final, Literal

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.launches import has_pytorch_kernels
from tfperf_plugin.analysis.step_functions import EAGER_OP, jit_calls
from tfperf_plugin.arrays.unique import map_codes
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, among
from tfperf_plugin.trace.roles import HostRole

Name = Literal["JAX", "PyTorch", "Keras", "custom loop", ""]

# Share of the kernel time that programs of XLA, or of JAX, must take for the GPUs' work to count as theirs.
COMPILED_RATIO: Final = 0.5
# Keras' markers and the functions that it makes of a model's step.
_KERAS: Final = re.compile(
    r"Profiled batch|(train|test|predict)_function|(one|multi)_step_on_(data|iterator)\w{0,40}"
)
_JAX_MODULE: Final = re.compile(r"(jit|pjit|pmap|xmap)_")
_TORCH: Final = ("aten::", "ProfilerStep#", "autograd::engine::")
_TENSORFLOW_OP: Final = re.compile(r"[^ :]+:[A-Z]\w*")
_JAX_THREAD: Final = "py_xla_execute"


class Framework(Record, frozen=True):
    """The framework that the program is written in."""

    #: Name of the framework. "custom loop" is TensorFlow without Keras' ``fit``; "" where the profile does
    #: not show it.
    name: Name
    #: Whether XLA compiled most of what the GPUs run.
    compiled: bool
    #: Whether tf.data was recorded.
    tf_data: bool


class Part(Record, frozen=True):
    """Signs of each framework on one host, and times of kernels in ns."""

    jax: bool
    torch: bool
    tensorflow: bool
    keras: bool
    tf_data: bool
    kernels_ns: int
    compiled_ns: int
    jax_ns: int


def part(view: View) -> Part:
    """The signs on one host."""
    events = view.trace.events
    torch = any(name.startswith(_TORCH) for name in events.names) or has_pytorch_kernels(view.trace)
    kernels = compiled = of_jax = 0
    for device in view.trace.devices:
        rows = device.is_kernel()
        length = (device.end_ns - device.start_ns)[rows]
        module = device.module[rows]
        is_jax = map_codes(module, device.modules, lambda name: bool(_JAX_MODULE.match(name)), False)
        kernels += int(length.sum())
        compiled += int(length[module >= 0].sum())
        of_jax += int(length[is_jax].sum())
    return Part(
        jax=bool(len(jit_calls(events))) or any(t.startswith(_JAX_THREAD) for t in events.threads),
        torch=torch,
        # With NVTX ranges, only the names of ops show it.
        tensorflow=is_tensorflow(events)
        or (not torch and any(_TENSORFLOW_OP.fullmatch(op) for d in view.trace.devices for op in d.ops)),
        keras=any(_KERAS.fullmatch(name) for name in events.names),
        tf_data=bool(len(view.trace.iterators.row)),
        kernels_ns=kernels,
        compiled_ns=compiled,
        jax_ns=of_jax,
    )


def finish(found: Part) -> Framework:
    """The framework of the work on the GPUs. (In a JAX program, functions of TensorFlow prepare data.)"""
    mostly_jax = found.jax_ns >= COMPILED_RATIO * found.kernels_ns if found.kernels_ns else found.jax
    jax = (found.jax or found.jax_ns > 0) and (mostly_jax or not found.tensorflow)
    tensorflow: Name = "Keras" if found.keras else "custom loop" if found.tensorflow else ""
    return Framework(
        name="JAX" if jax else tensorflow or ("PyTorch" if found.torch else ""),
        compiled=found.kernels_ns > 0 and found.compiled_ns >= COMPILED_RATIO * found.kernels_ns,
        tf_data=found.tf_data,
    )


def is_tensorflow(events: HostEvents) -> bool:
    """Whether the host recorded any function or op of TensorFlow."""
    return bool(
        events.function_call.any()
        or among(events.role, HostRole.FUNCTION_RUN, HostRole.EXECUTOR).any()
        or any(n.startswith(EAGER_OP) for n in events.names)
    )
