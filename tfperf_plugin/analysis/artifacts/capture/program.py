"""What program was recorded: its framework, what it does, how it is spread over GPUs, and who compiles it.

Advice depends on all of it: pages of rules name ``Program.conditions`` in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import First, RunFacts, View
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.launches import has_pytorch_kernels
from tfperf_plugin.analysis.step_functions import EAGER_OP, jit_calls
from tfperf_plugin.arrays.columns import map_codes
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import OPTIMIZER_STEP, HostRole, is_inductor, is_of_pytorch

Name = Literal["JAX", "PyTorch", "Keras", "custom loop", ""]

# Share of the kernel time that programs of XLA, or of JAX, must take for the GPUs' work to count as theirs;
# and of the kernels that a compiler could have made, those that one did make.
COMPILED_RATIO: Final = 0.5
# Keras' markers and the functions that it makes of a model's step.
_KERAS: Final = re.compile(
    r"Profiled batch|(train|test|predict)_function|(one|multi)_step_on_(data|iterator)\w{0,40}"
)
_KERAS_INFERS: Final = ("test_function", "predict_function")
_JAX_MODULE: Final = re.compile(r"(jit|pjit|pmap|xmap)_")
_TORCH: Final = ("aten::", "ProfilerStep#", "autograd::engine::")
_TENSORFLOW_OP: Final = re.compile(r"[^ :]+:[A-Z]\w*")
_JAX_THREAD: Final = "py_xla_execute"
# The runtime of XLA on its own, without TensorFlow's functions.
_RUNTIME: Final = ("PJRT_LoadedExecutable_Execute", "PjRtStreamExecutorLoadedExecutable::Execute")
# What PyTorch marks while code that torch.compile made runs.
_COMPILED: Final = re.compile(r"Torch-Compiled Region|## Call CompiledFxGraph")
# PyTorch's optimizers, and ops that update all parameters at once.
_FUSED: Final = ("aten::_fused_ada", "aten::_fused_sgd")
_TRAINS: Final = ("train_function", "autograd::engine::", "Optimizer.", *_FUSED)
# Kernels of cuDNN, PyTorch and MIOpen that compute mean and variance of a batch to normalize it.
_BATCH_STATISTICS: Final = re.compile(r"\bbn_fw_tr_|batch_norm_collect_statistics|BatchNormFwdTrain")
# Dropout of PyTorch: these two ops only where it is on; else it hands its input on.
_DROPS: Final = frozenset(("aten::native_dropout", "aten::_fused_dropout"))
_DROPOUT: Final = "aten::dropout"
_DRAWS: Final = "aten::bernoulli_"
_LOADER: Final = "enumerate(DataLoader)"
_GRAPH: Final = re.compile(r"(cu(da)?|hip)GraphLaunch")
# What tells of a server for language models, in names of kernels, ops and files. Servers borrow each
# other's kernels, so the order counts.
_SERVERS: Final = (
    ("SGLang", re.compile(r"\bsgl_(kernel|hip)|_ZN7sgl_hip|/sglang/")),
    ("vLLM", re.compile(r"\bvllm::|_ZN4vllm|/vllm/")),
    ("TensorRT-LLM", re.compile(r"\btensorrt_llm::")),
    ("FasterTransformer", re.compile(r"\bfastertransformer::")),
)
# What PyTorch's wrappers for several GPUs are called on the host.
_WRAPPERS: Final = (
    ("FSDP", re.compile(r"FullyShardedDataParallel|FSDP::")),
    ("DDP", re.compile(r"DistributedDataParallel\.forward|torch\.distributed\.ddp")),
    ("DataParallel", re.compile(r"DataParallel\.forward")),
)
# What makes up batches in place of real data.
_SYNTHETIC: Final = (("synthetic data", re.compile(r"(?i)synthetic_?(data|images?|inputs?|batch)")),)
_REPLICA: Final = re.compile(r"(?:^|.*/)replica_\d+/.*", re.DOTALL)
_TENSORFLOW: Final = ("Keras", "custom loop")


class Program(Record, frozen=True):
    """The program behind the profile. A text is "" where the profile does not show it."""

    #: The framework that it is written in. "custom loop" is TensorFlow without Keras' ``fit``; "" as well
    #: for programs without any, such as one of C++ with kernels of its own.
    framework: Name
    #: Whether XLA, or PyTorch's Inductor, made most of what it could make of what the GPUs run, or code that
    #: torch.compile made launches most of it.
    compiled: bool = False
    tf_data: bool = False  #: Whether tf.data was recorded.
    loader: bool = False  #: Whether the program takes batches from PyTorch's DataLoader.
    graphs: bool = False  #: Whether kernels are launched by CUDA graphs.
    training: bool = False  #: Whether a backward pass or an optimizer was seen.
    updates_unfused: bool = False  #: Whether an optimizer of PyTorch was seen, and no fused update.
    #: Whether it is known that nothing is trained: no backward pass and no optimizer where both would show.
    inference: bool = False
    #: Whether batch norms compute statistics of batches, or dropout draws random numbers, as in training.
    training_mode: bool = False
    #: The server for language models that runs: "vLLM", "SGLang", "TensorRT-LLM", "FasterTransformer".
    server: str = ""
    synthetic: bool = False  #: Whether the program trains on synthetic data, as a name says.
    #: How the model is spread over GPUs: "DDP", "FSDP", "DataParallel", or a strategy of TensorFlow.
    strategy: str = ""
    gpus_count: int = 0  #: Number of GPUs that take part.
    bfloat16: bool = False  #: Whether all GPUs are known to multiply bfloat16 as fast as float16.
    tf32: bool = False  #: Whether all GPUs are known to have a mode for TF32.
    amd: bool = False  #: Whether the GPUs are AMD's.
    keras: bool = False  #: Whether Keras' ``fit`` trains, on TensorFlow or on JAX.
    nsight: bool = False  #: Whether Nsight Systems recorded it, not the framework's own profiler.

    @property
    def uses_tensorflow(self) -> bool:
        """Whether the framework is TensorFlow, with or without Keras."""
        return self.framework in _TENSORFLOW

    @property
    def has_own_kernels(self) -> bool:
        """Whether its kernels may be its author's: it is written in CUDA or the like."""
        return not self.framework and not self.server

    @property
    def product_library(self) -> str:
        """The library of the GPUs' vendor that multiplies matrices."""
        return "hipBLASLt" if self.amd else "cuBLAS"

    @property
    def conditions(self) -> Mapping[str, bool]:
        """Condition, as pages of rules name it → whether it holds."""
        return {
            "PyTorch": self.framework == "PyTorch",
            "Keras": self.keras,
            "DataLoader": self.loader,
            "compiled": self.compiled,
            "CUDA graphs": self.graphs,
            "inference": self.inference,
            "inference in training mode": self.inference and self.training_mode,
            "optimizer not fused": self.updates_unfused,
            "bfloat16": self.bfloat16,
            "TF32": self.tf32,
            "AMD": self.amd,
            "Nsight Systems": self.nsight,
            "several GPUs": self.gpus_count > 1,
            "DDP": self.strategy == "DDP",
            "MirroredStrategy": self.strategy == "MirroredStrategy",
            "vLLM": self.server == "vLLM",
            "SGLang": self.server == "SGLang",
            "TensorRT-LLM": self.server == "TensorRT-LLM",
        }


CONDITIONS: Final = frozenset(Program("").conditions)
"""The conditions that a page may name, beside those that its own measurement finds."""


class Part(Record, frozen=True):
    """Signs of each framework on one host, times of kernels in ns, and numbers of kernels."""

    jax: bool
    torch: bool
    tensorflow: bool
    keras: bool
    tf_data: bool
    trains: bool
    infers: bool
    training_mode: bool
    updates: bool
    fused: bool
    loader: bool
    graphs: bool
    replicas: bool
    scoped: bool
    server: First
    wrapper: First
    synthetic: First
    kernels_ns: int
    compiled_ns: int
    jax_ns: int
    inductor_count: int
    torch_count: int


def part(view: View) -> Part:
    """The signs on one host."""
    trace, events = view.trace, view.trace.events
    names = events.names
    torch_ops = any(name.startswith(_TORCH) for name in names)
    graphs = any(map(_GRAPH.match, names))
    torch = torch_ops or has_pytorch_kernels(trace)
    ops = dict.fromkeys(op for device in trace.devices for op in device.ops)
    kernels = dict.fromkeys(name for device in trace.devices for name in device.names)
    return Part(
        jax=bool(len(jit_calls(events)))
        or any(t.startswith(_JAX_THREAD) for t in events.threads)
        or any(name.startswith(_RUNTIME) for name in names),
        torch=torch,
        # With NVTX ranges, only the names of ops show it.
        tensorflow=is_tensorflow(events) or (not torch and any(map(_TENSORFLOW_OP.fullmatch, ops))),
        keras=any(map(_KERAS.fullmatch, names)),
        tf_data=bool(len(trace.iterators.row)),
        trains=any(name.startswith(_TRAINS) for name in names),
        # What runs inside CUDA graphs has no names.
        infers=(torch_ops and not graphs) or any(name in _KERAS_INFERS for name in names),
        training_mode=any(map(_BATCH_STATISTICS.search, kernels)) or _drops_out(events),
        updates=any(map(OPTIMIZER_STEP.match, names)),
        fused=any(name.startswith(_FUSED) for name in names),
        loader=any(name.startswith(_LOADER) for name in names),
        graphs=graphs,
        replicas=any(map(_REPLICA.match, ops)),
        scoped=any("jit(" in op for op in ops),
        server=_first(_SERVERS, (*kernels, *names)),
        wrapper=_first(_WRAPPERS, names),
        synthetic=_first(_SYNTHETIC, (*names, *(m for device in trace.devices for m in device.modules))),
        **_kernels(trace),
    )


def _drops_out(events: HostEvents) -> bool:
    """Whether dropout draws random numbers."""
    if not _DROPS.isdisjoint(events.names):
        return True
    draws = np.flatnonzero(events.named(_DRAWS.__eq__))
    return bool((events.enclosing(draws, events.named(_DROPOUT.__eq__)) >= 0).any())


def _first(signs: tuple[tuple[str, re.Pattern[str]], ...], names: tuple[str, ...]) -> str:
    """The first of the signs that any name shows, "" if none does."""
    return next((found for found, sign in signs if any(map(sign.search, names))), "")


def _kernels(trace: HostTrace) -> dict[str, int]:
    """Times and numbers of kernels by who made them, or launched them."""
    found = dict.fromkeys(("kernels_ns", "compiled_ns", "jax_ns", "inductor_count", "torch_count"), 0)
    region = trace.events.named(_COMPILED.match)
    for device in trace.devices:
        rows = device.is_kernel()
        length = (device.end_ns - device.start_ns)[rows]
        module, name = device.module[rows], device.name[rows]
        is_jax = map_codes(module, device.modules, lambda name: bool(_JAX_MODULE.match(name)), False)
        found["kernels_ns"] += int(length.sum())
        launch = device.launch[rows]
        compiled = module >= 0
        compiled[launch >= 0] |= trace.events.enclosing(launch[launch >= 0], region) >= 0
        found["compiled_ns"] += int(length[compiled].sum())
        found["jax_ns"] += int(length[is_jax].sum())
        for kind, shows in (("inductor_count", is_inductor), ("torch_count", is_of_pytorch)):
            found[kind] += int(map_codes(name, device.names, shows, False).sum())
    return found


def finish(found: Part, devices: Devices, run: RunFacts, facts: TrainingFacts | None) -> Program:
    """The program whose work runs on the GPUs. (In a JAX program, functions of TensorFlow prepare data.)"""
    mostly_jax = found.jax_ns >= COMPILED_RATIO * found.kernels_ns if found.kernels_ns else found.jax
    jax = (found.jax or found.jax_ns > 0) and (mostly_jax or not found.tensorflow)
    # Only Keras' models record this number.
    keras = found.keras or bool(facts and facts.steps_per_execution is not None)
    tensorflow: Name = "Keras" if keras else "custom loop" if found.tensorflow else ""
    framework: Name = "JAX" if jax else tensorflow or ("PyTorch" if found.torch else "")
    used = devices.participating
    trains = found.trains or run.training
    compiled = found.kernels_ns > 0 and found.compiled_ns >= COMPILED_RATIO * found.kernels_ns
    made = found.inductor_count + found.torch_count
    inductor = found.inductor_count > 0 and found.inductor_count >= COMPILED_RATIO * made
    infers = found.infers or bool(found.server) or (jax and found.scoped)
    return Program(
        framework=framework,
        compiled=compiled or (framework == "PyTorch" and inductor) or bool(facts and facts.jit_compile),
        keras=keras,
        tf_data=found.tf_data,
        loader=found.loader,
        graphs=found.graphs,
        training=trains,
        updates_unfused=found.updates and not found.fused,
        inference=infers and not trains,
        training_mode=found.training_mode,
        server="" if trains else found.server,
        synthetic=bool(found.synthetic),
        strategy=_strategy(framework, found, len({d.host for d in used}) + len(run.beside), facts),
        gpus_count=len(used),
        bfloat16=bool(used) and all(d.has_bfloat16 for d in used),
        amd=any(d.vendor == "AMD" for d in used),
        nsight=run.recorder == "Nsight Systems",
        tf32=bool(used) and all(d.peaks and d.peaks.tf32 for d in used),
    )


def _strategy(framework: Name, found: Part, hosts: int, facts: TrainingFacts | None) -> str:
    """How the model is spread over GPUs: as recorded, or as names show it."""
    if facts and facts.strategy and facts.strategy != "none":
        return facts.strategy
    if framework in _TENSORFLOW:
        return (
            "" if not found.replicas else "MirroredStrategy" if hosts == 1 else "MultiWorkerMirroredStrategy"
        )
    return found.wrapper


def is_tensorflow(events: HostEvents) -> bool:
    """Whether the host recorded any function or op of TensorFlow."""
    return bool(
        events.function_call.any()
        or among(events.role, HostRole.FUNCTION_RUN, HostRole.EXECUTOR).any()
        or any(n.startswith(EAGER_OP) for n in events.names)
    )
