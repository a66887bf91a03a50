"""The rules: one file each; a rule's id is the file's name with dashes. ``RULES`` is in the guides' order."""

from __future__ import annotations

import importlib
from typing import Final

from tfperf_plugin.judging.engine.rule import Rule, Threshold
from tfperf_plugin.judging.verdicts import Group, Guide
from tfperf_plugin.records import Record

# Explicit, so that the order is deliberate and a test fails for a forgotten file.
_NAMES: Final = (
    "no_device_events",
    "no_step_markers",
    "iterator_outside_step",
    "too_few_steps",
    "warm_up_captured",
    "events_dropped",
    "one_host_of_many",
    "kernels_serialised",
    "tracer_overhead",
    "gpu_not_used",
    "input_bound",
    "map_not_parallel",
    "prefetch_missing",
    "reads_on_demand",
    "python_in_input",
    "h2d_copy_bound",
    "step_gaps",
    "host_thread_contention",
    "allocator_stalls",
    "rnn_loop",
    "kernel_launch_bound",
    "small_kernels",
    "optimizer_per_variable",
    "eager_execution",
    "function_retracing",
    "xla_recompilation",
    "host_op_in_step",
    "excessive_memcpy",
    "host_sync_in_step",
    "results_read_each_step",
    "dynamic_loss_scaling",
    "step_outliers",
    "unexplained_idle",
    "mixed_precision_off",
    "fp32_beside_16bit",
    "tensor_cores_unused",
    "narrow_products",
    "misaligned_dimensions",
    "slow_products",
    "small_grids",
    "attention_unfused",
    "elementwise_fusion",
    "layout_transposes",
    "slow_gathers",
    "recompute_needless",
    "dominant_op",
    "bias_before_batchnorm",
    "batch_too_small",
    "memory_headroom",
    "memory_pressure",
    "idle_gpus",
    "gpu_stagger",
    "replica_imbalance",
    "gpus_run_serially",
    "d2d_copies",
    "allreduce_slow",
    "allreduce_fragmented",
    "allreduce_exposed",
    "all_to_all_exposed",
    "tensor_parallel_exposed",
    "communication_bound",
    "pipeline_bubble",
    "allreduce_wait",
    "slow_host",
)

RULES: Final[tuple[Rule, ...]] = tuple(importlib.import_module(f"{__name__}.{name}").RULE for name in _NAMES)


class RuleInfo(Record, frozen=True):
    """A rule as the catalog shows it."""

    id: str
    title: str
    group: Group
    why: str
    guide: Guide
    thresholds: tuple[Threshold, ...]
    trust: bool


def catalogue() -> tuple[RuleInfo, ...]:
    """All rules in the guides' order."""
    return tuple(RuleInfo(r.id, r.title, r.group, r.why, r.guide, r.thresholds, r.trust) for r in RULES)
