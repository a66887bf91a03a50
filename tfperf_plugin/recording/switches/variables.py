"""Switches that set variables of the launch."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.recording.switches.switch import Switch, nothing

SWITCHES: Final = (
    Switch(
        id="gpu-private-threads",
        does="Gives each GPU threads of its own that launch its kernels.",
        works_in=("TensorFlow",),
        finds="an import of tensorflow, with TF_GPU_THREAD_MODE not set",
        changes={"tensorflow": nothing},
        variables={"TF_GPU_THREAD_MODE": "gpu_private"},
        keep="export TF_GPU_THREAD_MODE=gpu_private",
    ),
    Switch(
        id="async-allocator",
        does="Takes GPU memory from CUDA's own pool.",
        works_in=("TensorFlow",),
        finds="an import of tensorflow, with TF_GPU_ALLOCATOR not set",
        changes={"tensorflow": nothing},
        variables={"TF_GPU_ALLOCATOR": "cuda_malloc_async"},
        keep="export TF_GPU_ALLOCATOR=cuda_malloc_async",
    ),
    Switch(
        id="expandable-segments",
        does="Lets GPU memory that PyTorch keeps grow, so that it serves tensors of other sizes.",
        works_in=("PyTorch",),
        finds="an import of torch, with neither PYTORCH_CUDA_ALLOC_CONF nor PYTORCH_ALLOC_CONF set",
        changes={"torch": nothing},
        variables=dict.fromkeys(
            ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"), "expandable_segments:True"
        ),
        keep="export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        limit="PyTorch 2.9 and later call the variable PYTORCH_ALLOC_CONF, and still read the older name.",
    ),
    Switch(
        id="latency-hiding",
        does="Lets XLA overlap collectives and copies with compute.",
        works_in=("JAX", "TensorFlow"),
        finds="an import of jax or tensorflow, with a scheduler not chosen in XLA_FLAGS",
        changes={"jax": nothing, "tensorflow": nothing},
        variables={"XLA_FLAGS": "--xla_gpu_enable_latency_hiding_scheduler=true"},
        keep='export XLA_FLAGS="$XLA_FLAGS --xla_gpu_enable_latency_hiding_scheduler=true"',
        limit="It concerns GPUs, and what XLA compiles.",
    ),
)
