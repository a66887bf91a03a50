"""Ids that users may have written down, and that are gone: the one table of them."""

from __future__ import annotations

from typing import Final

THRESHOLDS: Final = frozenset(
    (
        "allocator-stalls:waiting-while-memory-is-allocated-or-freed",
        "allreduce-wait:waiting-for-the-last-gpu",
        "attention-unfused:saving",
        "bias-before-batchnorm:saving",
        "d2d-copies:copies-between-gpus-that-nothing-hides",
        "dynamic-loss-scaling:gap-before-the-optimizer",
        "eager-execution:waiting-for-eager-ops",
        "elementwise-fusion:saving",
        "excessive-memcpy:exposed-copies-in-the-middle-of-the-step",
        "exchange-each-batch:transfer-in-needless-exchanges-that-no-compute-hides",
        "fp32-beside-16bit:saving",
        "gpu-stagger:time-lost-by-it",
        "h2d-copy-bound:exposed-copy-of-the-batch",
        "host-op-in-step:waiting-for-ops-on-the-cpu",
        "host-sync-in-step:idle-after-the-host-waited",
        "host-thread-contention:launches-late-while-tf-data-runs",
        "iterator-outside-step:input-requests-outside-step-markers",
        "kernel-launch-bound:waiting-for-launches",
        "layout-transposes:layout-transposes",
        "misaligned-dimensions:saving",
        "mixed-precision-off:saving",
        "optimizer-per-variable:saving",
        "pipeline-bubble:saved-by-twice-as-many-micro-batches",
        "recompute-needless:time-of-recomputation",
        "results-read-each-step:idle-after-the-step-s-last-launch",
        "rnn-loop:loops-of-recurrent-layers",
        "rnn-loop:waiting-for-ops-of-the-loops",
        "slow-gathers:saving",
        "slow-products:saving",
        "small-grids:unused-time-as-a-share-of-the-step",
        "small-kernels:saving",
        "step-gaps:idle-between-steps",
        "step-outliers:what-outliers-cost-on-average",
        "tensor-cores-unused:saving",
        "unused-parameters:idle-while-it-searches",
    )
)
"""``RULE:THRESHOLD`` of limits that said "1 % of the step": what saves less than the lowest severity is no
finding, whatever the rule (``engine/severity.py``)."""
