"""Pairs of simulated runs: each scenario with its cause, and without it.

What a rule promises is held against what removing its cause really changes. A promise says how long the step
will be, so it is the step without the cause that it is measured by: ``excess`` is by how much the step is
longer than promised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, TypeVar

from demo.accuracy.measure import report_on, simulated_step_ns
from demo.build import training
from demo.formats import OTHERS, XSPACE
from demo.simulator.models import Model, Transformer, UnrolledRnn
from demo.simulator.simulation import simulate, what_happens
from demo.simulator.training import Communication, InputPipeline, Launching, Results, SlowHost, Training
from demo.simulator.variants import FusedAttention, HandWrittenActivation, Variant, WithEmbedding
from tfperf_plugin.report.options import Options

V = TypeVar("V", bound=Model)
# A promise may be so much of the step too high.
MOST_RATIO: Final = 0.02
# As short as the simulator launches: a few kernels, or a CUDA graph, keep no GPU waiting.
LAUNCHED_AT_ONCE: Final = Launching(1, 1)


@dataclass(frozen=True)
class Removal:
    """How a scenario's cause is removed; ``rule``: the one whose finding promises what that saves.

    ``stated``: the user types parameters and bandwidth.
    """

    rule: str
    change: Callable[[Training], Training]
    stated: bool = False


@dataclass(frozen=True)
class Pair:
    """Shares of the reported step: what the finding of ``rule`` (``None``: there is none) promises to save,
    and by what the step is shorter without the cause."""

    scenario: str
    rule: str
    step_ns: int
    promised: float | None
    gained: float

    @property
    def excess(self) -> float:
        """Promised less gained; 0 if nothing is promised."""
        return 0.0 if self.promised is None else self.promised - self.gained


def _set(**changes: object) -> Callable[[Training], Training]:
    return lambda training: replace(training, **changes)  # type: ignore[arg-type]


def _input(**changes: object) -> Callable[[Training], Training]:
    return lambda training: replace(training, input=replace(training.input, **changes))  # type: ignore[arg-type]


def _launching(**changes: object) -> Callable[[Training], Training]:
    return lambda training: replace(training, launching=replace(training.launching, **changes))  # type: ignore[arg-type]


def _communication(**changes: object) -> Callable[[Training], Training]:
    return lambda training: replace(training, communication=replace(training.communication, **changes))  # type: ignore[arg-type]


def _plain(training: Training) -> Training:
    """The model without its variant."""
    assert isinstance(training.model, Variant)
    return replace(training, model=training.model.model)


def _model(kind: type[V], change: Callable[[V], Model]) -> Callable[[Training], Training]:
    def changed(training: Training) -> Training:
        assert isinstance(training.model, kind)
        return replace(training, model=change(training.model))

    return changed


def _shared_evenly(training: Training) -> Training:
    """All GPUs do an equal part of what the first one does more."""
    factor = 1 + training.extra_on_first_gpu / training.gpus
    return replace(training, extra_on_first_gpu=0.0, slow_host=SlowHost(0, factor))


def _half_exchanged(training: Training) -> Training:
    """Half the bytes in each exchange: as long on links twice as fast."""
    return replace(training, device=replace(training.device, bus_gbps=2 * training.device.bus_gbps))


# What the machine did is not in these profiles; what waits for it promises the same.
REMOVALS: Final[dict[str, Removal]] = {
    "all_to_all_exposed": Removal("all-to-all-exposed", _set(layer_exchange=None)),
    "allocator_stalls": Removal("allocator-stalls", _set(allocations=None)),
    "allreduce_exposed": Removal("allreduce-exposed", _communication(overlap=True)),
    "allreduce_fragmented": Removal("allreduce-fragmented", _communication(buckets=4), stated=True),
    "allreduce_slow": Removal("allreduce-slow", _communication(link_gbps=None), stated=True),
    "allreduce_wait": Removal("allreduce-wait", _set(uneven_batches=0.0)),
    "attention_unfused": Removal("attention-unfused", _model(Transformer, FusedAttention)),
    "bias_before_batchnorm": Removal("bias-before-batchnorm", _plain),
    "case_generator": Removal("input-bound", _input(read_ns=0)),
    "case_h2d_interface": Removal("h2d-copy-bound", _input(prefetch_to_device=True)),
    "case_heavy_post_processing": Removal("step-gaps", _set(between_steps=())),
    "case_loader_between_calls": Removal("step-gaps", _set(inside_step=())),
    "case_network_input": Removal("input-bound", _set(input=InputPipeline())),
    "case_overloaded_preprocessing": Removal("input-bound", _input(map_ns=4_000_000)),
    "case_sliced_batch": Removal("h2d-copy-bound", _input(prefetch_to_device=True, pinned=True)),
    "case_small_batch": Removal("kernel-launch-bound", _set(launching=LAUNCHED_AT_ONCE)),
    "communication_bound": Removal("communication-bound", _half_exchanged),
    "d2d_copies": Removal("d2d-copies", _set(peer_copies=())),
    "data_parallel": Removal(
        "data-parallel", _set(data_parallel=False, peer_copies=(), communication=Communication())
    ),
    "disk_full": Removal("input-bound", _input(files=None)),
    "dynamic_loss_scaling": Removal("dynamic-loss-scaling", _set(loss_scaling=None)),
    "eager_execution": Removal("eager-execution", _set(eager=False)),
    "elementwise_fusion": Removal(
        "elementwise-fusion", _model(HandWrittenActivation, lambda model: replace(model, fused=True))
    ),
    "excessive_memcpy": Removal("excessive-memcpy", _set(detours=())),
    "exchange_each_batch": Removal("exchange-each-batch", _communication(each_batch=False)),
    "fp32_beside_16bit": Removal("fp32-beside-16bit", _plain),
    "function_retracing": Removal("function-retracing", _set(retrace_every=0)),
    "gpu_stagger": Removal("gpu-stagger", _launching(private_threads=True, shared_thread=False)),
    "gpus_run_serially": Removal("gpus-run-serially", _set(serial=False)),
    "h2d_copy_bound": Removal("h2d-copy-bound", _input(prefetch_to_device=True, pinned=True)),
    "host_op_in_step": Removal("host-op-in-step", _set(detours=())),
    "host_sync_in_step": Removal("host-sync-in-step", _set(readings=())),
    "host_thread_contention": Removal("host-thread-contention", _set(cores=None)),
    "input_bound": Removal("input-bound", _input(map_parallelism=16)),
    "kernel_launch_bound": Removal("kernel-launch-bound", _set(launching=LAUNCHED_AT_ONCE)),
    "layout_transposes": Removal("layout-transposes", _plain),
    "map_not_parallel": Removal("input-bound", _input(map_parallelism=16)),
    "misaligned_dimensions": Removal(
        "misaligned-dimensions", _model(Transformer, lambda model: replace(model, hidden=1_024))
    ),
    "mixed_precision_off": Removal("mixed-precision-off", _set(precision="fp16")),
    "network_full": Removal("input-bound", _input(files=None)),
    "optimizer_per_variable": Removal("optimizer-per-variable", _plain, stated=True),
    "page_migrations": Removal("page-migrations", _plain),
    "pipeline_bubble": Removal("pipeline-bubble", _set(micro_batches=6)),
    "prefetch_missing": Removal("input-bound", _input(prefetch=2)),
    "processors_full": Removal("input-bound", _set(cores=16, input=InputPipeline())),
    "python_in_input": Removal("input-bound", _input(generator_ns=0)),
    "quota_throttled": Removal("input-bound", _set(cores=16, input=InputPipeline())),
    "reads_on_demand": Removal("input-bound", _input(files=None)),
    "recompute_needless": Removal("recompute-needless", _plain),
    "replica_imbalance": Removal("replica-imbalance", _shared_evenly),
    "results_read_each_step": Removal("results-read-each-step", _set(results=Results())),
    "rnn_loop": Removal("rnn-loop", _model(UnrolledRnn, lambda model: replace(model, form="fused"))),
    "slow_gathers": Removal(
        "slow-gathers", _model(WithEmbedding, lambda model: replace(model, efficiency=0.8))
    ),
    "slow_host": Removal("slow-host", _set(slow_host=None)),
    "slow_products": Removal("slow-products", _plain),
    "small_kernels": Removal("small-kernels", _plain),
    "step_gaps": Removal("step-gaps", _set(between_steps=())),
    "step_outliers": Removal("step-outliers", _set(between_steps=())),
    "tensor_cores_unused": Removal(
        "tensor-cores-unused", _model(Transformer, lambda model: replace(model, hidden=1_024))
    ),
    "tensor_parallel_exposed": Removal("tensor-parallel-exposed", _set(layer_exchange=None)),
    "unexplained_idle": Removal("unexplained-idle", _set(inside_step=())),
    "unused_parameters": Removal("unused-parameters", _communication(search_ns=0)),
    "xla_recompilation": Removal("xla-recompilation", _set(recompile_every=0)),
}
# Scenarios whose findings promise no time: healthy ones, those about the capture, memory or a choice.
NOTHING_PROMISED: Final = frozenset(
    {
        "batch_too_small", "case_tuning_in_the_step", "dominant_op", "events_dropped", "fixed_gpu_stagger",
        "gpu_not_used", "gpu_shared", "gpu_throttled", "healthy_four_gpus", "healthy_four_hosts",
        "healthy_single_gpu", "idle_between", "idle_gpus", "input_choppy",
        "iterator_outside_step", "kernels_serialised",
        "late_start", "memory_grows", "memory_headroom", "memory_pressure", "narrow_products",
        "no_device_events", "no_step_markers", "one_host_of_many", "small_grids", "too_few_steps",
        "tracer_overhead", "upload_grows", "warm_up_captured",
    }
)  # fmt: skip


def measured(scenario: str) -> Pair:
    """Simulates a scenario with its cause and without it."""
    removal, recorded = REMOVALS[scenario], training(scenario)
    stated = Options(recorded.model.parameters, recorded.device.bus_gbps) if removal.stated else Options()
    _, form = OTHERS.get(scenario, ("", XSPACE))
    report = report_on(simulate(recorded, form.encode).files, stated)
    cured = removal.change(recorded)
    without_ns = simulated_step_ns(cured, what_happens(cured))
    assert report.ledger is not None
    step_ns = report.ledger.step_ns
    saving = next((f.saving for f in report.findings if f.id == removal.rule and f.saving), None)
    before_ns, rare = step_ns, report.steps.rare
    if rare and saving and not saving.accounts:
        # What rare long steps cost is promised as a mean over all recorded steps.
        count = report.steps.count + rare.count
        before_ns = (report.steps.count * step_ns + rare.count * rare.step_ns) // count
    return Pair(
        scenario,
        removal.rule,
        step_ns,
        None if saving is None else saving.ns / step_ns,
        (before_ns - without_ns) / step_ns,
    )


def summary(found: Iterable[Pair]) -> str:
    """Median and highest excess, in % of the step."""
    excess = sorted(pair.excess for pair in found if pair.promised is not None)
    high = sum(value > MOST_RATIO for value in excess)
    return (
        f"Promises: {len(excess)}. More than {_share(MOST_RATIO)} of the step too high: {high}. "
        f"Promised less gained: median {_share(median(excess), '+')}, highest {_share(excess[-1], '+')}."
    )


def table(found: Sequence[Pair]) -> str:
    """Markdown: a row for each scenario, the promise that is most too high first."""
    rows = ["| scenario | rule | promised | gained | promised − gained |", "|---|---|--:|--:|--:|"]
    for pair in sorted(found, key=lambda pair: -pair.excess):
        promised = "–" if pair.promised is None else _share(pair.promised)
        excess = "–" if pair.promised is None else _share(pair.excess, "+")
        rows.append(f"| {pair.scenario} | {pair.rule} | {promised} | {_share(pair.gained)} | {excess} |")
    return "\n".join([summary(found), "", *rows])


def _share(ratio: float, sign: str = "") -> str:
    return f"{100 * ratio:{sign}.1f} %"


if __name__ == "__main__":
    print(table([measured(name) for name in REMOVALS]), flush=True)
