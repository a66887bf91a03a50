"""Ids that users may have written down, and that are gone: the one table of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RULES: Final[Mapping[str, str]] = {
    "map-not-parallel": "input-bound",
    "prefetch-missing": "input-bound",
    "python-in-input": "input-bound",
    "reads-on-demand": "input-bound",
}
"""Id of a rule → the rule that now finds what it found."""

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
        "input-bound:waiting-for-input",
        "iterator-outside-step:input-requests-outside-step-markers",
        "kernel-launch-bound:waiting-for-launches",
        "layout-transposes:layout-transposes",
        "misaligned-dimensions:saving",
        "mixed-precision-off:saving",
        "optimizer-per-variable:saving",
        "pipeline-bubble:saved-by-twice-as-many-micro-batches",
        "prefetch-missing:work-inside-the-request",
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


def rule_of(id_: str) -> str:
    """The id of the rule that now finds what the rule with this id found."""
    return RULES.get(id_, id_)


def ids_of(rule: str) -> tuple[str, ...]:
    """Ids of the rules that are gone and found what this rule now finds."""
    return tuple(gone for gone, now in RULES.items() if now == rule)
