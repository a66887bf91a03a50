"""Fixes for PyTorch programs, by rule, where the rule's own fix is about TensorFlow.

From the tuning guide of PyTorch, https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfperf_plugin.judging.verdicts import Fix, Link, Snippet, shell

_COMPILE: Final = Snippet("PyTorch", "model = torch.compile(model)  # mode='reduce-overhead': CUDA graphs")

PYTORCH: Final[Mapping[str, Fix]] = {
    "allocator-stalls": Fix(
        summary="Let the caching allocator keep and reuse what it has: expandable segments, less memory, a warm-up.",
        actions=(
            "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: kept memory can then grow, and serves tensors of other sizes.",
            "If a step frees memory, the allocator ran out of it and retries: use a smaller batch, keep fewer tensors alive, or recompute activations (torch.utils.checkpoint).",
            "Run the largest shapes before training starts, so that memory grows then; pad batches to a few sizes.",
            "Remove torch.cuda.empty_cache() from the step.",
        ),
        snippets=(
            shell("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py"),
            Snippet(
                "PyTorch",
                "print(torch.cuda.memory_stats()['num_alloc_retries'])  # more than 0: memory ran out",
            ),
        ),
        links=(
            Link(
                "CUDA memory management",
                "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management",
            ),
        ),
    ),
    "kernel-launch-bound": Fix(
        summary="Give each launch more work: compile the model, use CUDA graphs or a larger batch.",
        actions=(
            "Compile the model: torch.compile fuses small ops, and mode='reduce-overhead' uses CUDA graphs.",
            "Use a larger batch, if memory and convergence allow it.",
            "Replace loops over small tensors by one op on a stacked tensor; split or index once.",
        ),
        snippets=(_COMPILE,),
    ),
    "mixed-precision-off": Fix(
        summary="Run matrix products in 16 bit: torch.autocast.",
        actions=(
            "Wrap the forward pass in torch.autocast; with float16 scale the loss: torch.amp.GradScaler.",
            "Where float32 is needed, allow TF32 on GPUs of compute capability 8.0 or newer: "
            "torch.set_float32_matmul_precision('high').",
        ),
        snippets=(
            Snippet(
                "PyTorch",
                "with torch.autocast('cuda', dtype=torch.bfloat16):\n    loss = criterion(model(x), y)",
            ),
        ),
    ),
    "h2d-copy-bound": Fix(
        summary="Copy batches from pinned memory, ahead of the step.",
        actions=(
            "Let the DataLoader pin memory: pin_memory=True.",
            "Copy without waiting: batch.to('cuda', non_blocking=True).",
            "Send smaller types, such as uint8 images, and convert them on the GPU.",
        ),
        snippets=(
            Snippet(
                "PyTorch",
                "loader = DataLoader(dataset, batch_size, num_workers=8, pin_memory=True)\n"
                "x = x.to('cuda', non_blocking=True)",
            ),
        ),
    ),
    "input-bound": Fix(
        summary="Prepare batches in parallel and ahead of the step.",
        actions=(
            "Let several processes of the DataLoader load: num_workers=N, persistent_workers=True.",
            "Raise prefetch_factor if some batches take longer than others.",
        ),
        snippets=(
            Snippet(
                "PyTorch", "loader = DataLoader(dataset, batch_size, num_workers=8, persistent_workers=True)"
            ),
        ),
    ),
    "host-sync-in-step": Fix(
        summary="Do not read values of the GPU in the middle of the step.",
        actions=(
            "Remove .item(), .cpu(), .tolist(), print(tensor) and 'if tensor:' from the step.",
            "Use torch.where instead of branches that depend on values; give repeat_interleave its "
            "output_size, so that it need not read the size from the GPU.",
        ),
    ),
    "results-read-each-step": Fix(
        summary="Read the loss back every N steps, not in each.",
        actions=("Keep the loss on the GPU (loss.detach()) and call .item() every N steps.",),
    ),
    "small-kernels": Fix(
        summary="Fuse small kernels.",
        actions=(
            "Compile the model: torch.compile.",
            "Use fused or foreach optimizers: torch.optim.AdamW(..., fused=True).",
        ),
        snippets=(_COMPILE,),
    ),
    "elementwise-fusion": Fix(
        summary="Fuse elementwise ops.", actions=("Compile the model: torch.compile.",), snippets=(_COMPILE,)
    ),
    "layout-transposes": Fix(
        summary="Keep tensors of convolutions in one layout: channels_last.",
        actions=("Convert the model and its input to channels_last, with 16-bit types.",),
        snippets=(
            Snippet(
                "PyTorch",
                "model = model.to(memory_format=torch.channels_last)\n"
                "x = x.to(memory_format=torch.channels_last)",
            ),
        ),
    ),
    "allreduce-exposed": Fix(
        summary="Exchange fewer bytes, or overlap the exchange with the backward pass.",
        actions=(
            "Exchange gradients in 16 bit: a communication hook such as bf16_compress_hook.",
            "Accumulate gradients over several batches and exchange them once: model.no_sync().",
            "Let DistributedDataParallel begin earlier: lower bucket_cap_mb.",
        ),
    ),
    "communication-bound": Fix(
        summary="Find out whether the path is slow; then send fewer bytes, exchange less often, and compute more per exchange.",
        actions=(
            "State the link: give --bandwidth (GB/s per GPU and direction, or a link such as 'PCIe 4 x16'). nvidia-smi topo -m shows it; NCCL_DEBUG=INFO shows the path that NCCL takes.",
            "Send fewer bytes: gradients in 16 bit with a communication hook such as bf16_compress_hook; activations and embeddings in 16 bit.",
            "Exchange less often: accumulate gradients over several batches (model.no_sync()).",
            "More work per exchange: raise the batch per GPU if memory and convergence allow it.",
        ),
    ),
    "allreduce-fragmented": Fix(
        summary="Exchange gradients in fewer, larger buckets.",
        actions=("Raise bucket_cap_mb of DistributedDataParallel; 25 MB is its default.",),
    ),
}
