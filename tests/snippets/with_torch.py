"""PyTorch on the CPU, with a process group of one process over gloo for rules of several GPUs."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed.algorithms.ddp_comm_hooks.default_hooks
from torch.distributed import fsdp
from torch.distributed.fsdp import BackwardPrefetch, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tests.snippets.process import Names, checked, executed, span

FOLDER = Path(tempfile.mkdtemp())
EXAMPLES, WIDTH = 16, 8
#: What needs a GPU, and what stands for it here.
REPLACED = {
    '"cuda"': '"cpu"',
    '"nccl"': '"gloo"',
    'int(os.environ["LOCAL_RANK"])': '"cpu"',
    "device_ids=[gpu]": "device_ids=None",
    "torch.cuda.": "of_cuda.",
}
# What Inductor makes takes a minute to compile; what it is given is the same.
torch.compile = functools.partial(torch.compile, backend="eager")
MODULES: Names = {"torch": torch, "os": os, "contextlib": contextlib}
MODULES |= {"DataLoader": DataLoader, "DistributedSampler": DistributedSampler, "fully_shard": fully_shard}
MODULES |= {"DistributedDataParallel": DistributedDataParallel, "ProfilerActivity": ProfilerActivity}
MODULES |= {"BackwardPrefetch": BackwardPrefetch, "profile": profile, "schedule": schedule}
#: Parameter or method, where a page only names it → what takes or has it.
OWNERS: Names = {
    **dict.fromkeys(("bucket_cap_mb", "find_unused_parameters", "static_graph"), DistributedDataParallel),
    **dict.fromkeys(("num_workers", "pin_memory", "persistent_workers", "prefetch_factor"), DataLoader),
    **dict.fromkeys(("collate_fn", "drop_last"), DataLoader),
    **dict.fromkeys(
        ("auto_wrap_policy", "backward_prefetch", "forward_prefetch"), fsdp.FullyShardedDataParallel
    ),
    **dict.fromkeys(("HYBRID_SHARD", "SHARD_GRAD_OP"), fsdp.ShardingStrategy),
    **dict.fromkeys(("MixedPrecision", "MixedPrecisionPolicy", "fully_shard"), fsdp),
    **dict.fromkeys(("record_shapes", "with_stack", "profile_memory", "step"), profile),
    **dict.fromkeys(("BatchNorm2d", "DataParallel"), torch.nn),
    **dict.fromkeys(("cpu", "float", "item", "numpy", "tolist", "requires_grad_", "to"), torch.ones(())),
    **dict.fromkeys(("baddbmm", "bmm", "channels_last", "compile", "einsum", "_softmax"), torch),
    **dict.fromkeys(("foreach", "fused", "zero_grad"), torch.optim.AdamW),
    "LSTMCell": torch.nn,
    "async_op": torch.distributed.all_to_all_single,
    "aten": torch.ops,
    "bf16_compress_hook": torch.distributed.algorithms.ddp_comm_hooks.default_hooks,
    "bias": torch.nn.Conv2d,
    "device": torch.nn.Linear,
    "is_causal": torch.nn.MultiheadAttention.forward,
    "mode": torch.compile,
    "mps": torch.backends,
    "param_dtype": fsdp.MixedPrecisionPolicy,
    "record_function": torch.profiler,
    "reshard_after_forward": fully_shard,
    "set_modules_to_forward_prefetch": fsdp.FSDPModule,
}
#: What spans call by these names.
OF_SPANS: Names = {"model": DistributedDataParallel, "prof": profile, "shape": (2,), "N": 2}
OF_SPANS |= {"table": [1.0], "ids": torch.ones(3), "tensor": torch.ones(()), "train": None}


class OfCuda:
    """``torch.cuda``, whose functions only look at their arguments."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return checked(getattr(torch.cuda, name))


def run(job: dict[str, Any]) -> None:
    """Runs a snippet and trains with what it made; or checks a span."""
    code = job["text"]
    if job["span"]:
        span(code, given("", "") | OF_SPANS, OWNERS, {"'cuda'": "'cpu'"})
        return
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}
    if job["several"] and "init_process_group" not in code:
        torch.distributed.init_process_group("gloo")
    names = given(job["rule"], code)
    new = executed(code, names, REPLACED)
    if new & {"model", "optimizer", "block"}:
        step(names)
    if "loader" in new:
        next(iter(names["loader"]))


class Model(torch.nn.Module):  # type: ignore[misc]
    """Two blocks of one layer each."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x.mean()


def step(names: Names) -> None:
    names["optimizer"].zero_grad()
    names["model"](names["batch"]).mean().backward()
    names["optimizer"].step()


def given(rule: str, code: str) -> Names:
    """What code on pages takes for granted."""
    model: torch.nn.Module = torch.nn.Conv2d(3, 4, 3) if rule == "layout-transposes" else Model()
    batch = torch.ones(EXAMPLES, WIDTH)
    if rule == "layout-transposes":
        batch = torch.ones(2, 3, 8, 8)
    if "no_sync" in code:
        model = DistributedDataParallel(model)
    dataset = TensorDataset(torch.ones(4 * EXAMPLES, WIDTH), torch.ones(4 * EXAMPLES))
    names = {**MODULES, "model": model, "optimizer": torch.optim.SGD(model.parameters(), 0.1), "batch": batch}
    names |= {
        "x": batch,
        "y": batch,
        "dataset": dataset,
        "loader": DataLoader(dataset, EXAMPLES),
        "batch_size": EXAMPLES,
    }
    names |= {"micro_batches": [batch] * 4, "loss": torch.ones(()), "step": 0, "rank": 0, "gpus": 1, "gpu": 0}
    names |= {name: torch.ones(2, 2, 4, 8) for name in ("query", "key", "value")} | {"features": WIDTH}
    names |= {"train": lambda batch: None, "train_step": lambda data, target: None, "of_cuda": OfCuda()}
    return names | {"examples": [batch, batch], "criterion": lambda a, b: a.mean()}


def restore() -> None:
    """Takes back what a snippet changed for the whole process."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    torch._dynamo.reset()
