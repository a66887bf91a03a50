"""The GPU waits while the driver allocates and frees memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.allocations import HELD_ACCOUNTS, Allocations
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import SLOW_BEGIN_LATER_COUNT
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras, shell

WAIT = Threshold(
    "waiting while memory is allocated or freed", 0.01, "ratio", "lowest severity: 1 % of the step"
)
# Steps that hold this share of the time are named, if they are few.
MOST_RATIO: Final = 0.8


def judge(ledger: Ledger, allocations: Allocations) -> Verdict:
    """Compares idle time of GPUs inside calls that allocate or free memory with the step."""
    waiting = sum(allocations.accounts.values())
    share = waiting / max(1, ledger.step_ns)
    if not allocations.calls:
        return NotApplicable("No call that allocates or frees memory holds a GPU up.")
    if share < WAIT.value:
        return Passed(f"GPUs wait while memory is allocated or freed during {percent(share)} of the step.")
    calls, few = sum(n for _, n in allocations.calls), _few(allocations.by_step)
    where = (
        f", the largest part ({ms(allocations.ops[0][1])}) in {allocations.ops[0][0]}"
        if allocations.ops
        else ""
    )
    return Found(
        summary=(
            f"In an average step the GPUs are idle for {ms(waiting)} while the host is inside "
            f"{listing([name for name, _ in allocations.calls], 3)}{where}. {_when(few, allocations.by_step)}"
            + _why(allocations.frees_ratio)
        ),
        evidence=(
            Evidence("GPU idle while memory is allocated or freed", waiting, "ns",
                     int(WAIT.value * ledger.step_ns), "ledger, and calls of the driver or its runtime"),
            Evidence("share of the step", share, "ratio", WAIT.value, "ledger"),
            Evidence("calls that hold a GPU up", round(calls, 1), "per_step", None, "host events"),
            Evidence("share of these calls that free memory", allocations.frees_ratio, "ratio", None, "their names"),
            Evidence("longest stretch", allocations.longest_ns, "ns", None, "ledger"),
            *(Evidence(f"of it in {name}", ns, "ns", None, "host events") for name, ns in allocations.ops[:3]),
            *(Evidence(f"in step {number}", ns, "ns", None, "ledger, mean of the GPUs") for number, ns in few),
        ),
        where=allocations.where,
        claims={account: allocations.accounts.get(account, 0) for account in HELD_ACCOUNTS},
        basis="all idle time inside these calls: an allocator that has the memory already makes none",
        confidence="medium" if few else "high",
    )  # fmt: skip


def _few(by_step: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The fewest steps that hold most of it, if they are less than half of all."""
    wanted, found = MOST_RATIO * sum(ns for _, ns in by_step), list[tuple[int, int]]()
    for number, ns in sorted(by_step, key=lambda step: -step[1]):
        if sum(n for _, n in found) >= wanted:
            break
        found.append((number, ns))
    return sorted(found) if 2 * len(found) <= len(by_step) else []


def _when(few: Sequence[tuple[int, int]], by_step: Sequence[tuple[int, int]]) -> str:
    """In which steps it lies, if they are few of many: "Most of it lies in one of 8 steps: …".

    Of a few steps the engine says so of any finding (``engine.run.seen_once``).
    """
    if not few or len(by_step) <= SLOW_BEGIN_LATER_COUNT:
        return ""
    chosen = {number for number, _ in few}
    mean = sum(ns for _, ns in few) // len(few)
    most = max(ns for number, ns in by_step if number not in chosen)
    number = f"step {few[0][0]}" if len(few) == 1 else "each of them"
    which = "one" if len(few) == 1 else len(few)
    return (
        f"Most of it lies in {which} of {len(by_step)} steps: {ms(mean)} in {number}, "
        f"at most {ms(most)} in any other. "
    )


def _why(frees_ratio: float) -> str:
    """What the calls say about the allocator."""
    if frees_ratio:
        return (
            "Some of these calls free memory: the allocator has too little left and gives back what it kept, "
            "or it keeps nothing."
        )
    return "They only allocate: what the framework keeps for later grows."


RULE = Rule(
    id="allocator-stalls",
    topic="Allocating memory in the step",
    title="The GPUs wait while memory is allocated and freed",
    group="one_gpu",
    why=(
        "The driver takes milliseconds to allocate or free memory, and frees only when the GPU has finished what it "
        "runs. So frameworks keep memory and hand it out themselves; a step that calls the driver all the same "
        "launches nothing meanwhile."
    ),
    measured="Idle time of a GPU inside calls that allocate, free, map or register memory (of CUDA, HIP, or XLA's allocators around them), after which the same thread launches for this GPU next. Of idle accounts only those count in which the host works for the GPU or the cause is unknown.",
    limits=(
        "Calls must be recorded: collectors may leave them out, and then their time counts as launching or as unexplained.",
        "Why the allocator calls is not recorded: a new shape, memory in pieces and memory that is full look alike.",
        "The first steps of a training allocate what later ones reuse: in a capture of them this passes by itself.",
    ),
    guide=guide.MEMORY,
    judge=judge,
    thresholds=(WAIT,),
    fix=Fix(
        summary="Let the framework take its memory once, and need less than there is.",
        actions=(
            "Let TensorFlow take the GPU's memory at the start: no set_memory_growth, no TF_FORCE_GPU_ALLOW_GROWTH=true.",
            "If memory is nearly full or in pieces: a smaller batch, or TF_GPU_ALLOCATOR=cuda_malloc_async.",
            "Run the largest shapes first, so that memory grows before the training; pad batches to few sizes.",
        ),
        snippets=(
            shell("TF_FORCE_GPU_ALLOW_GROWTH=false python train.py"),
            keras("ds = ds.batch(batch_size, drop_remainder=True)  # one shape for all steps"),
            custom_loop("for gpu in tf.config.list_physical_devices('GPU'):\n"
                "    tf.config.experimental.set_memory_growth(gpu, False)",
            ),
        ),
        links=(
            Link("Limiting GPU memory growth", "https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth"),
        ),
    ),
    jax=Fix(
        summary="Let JAX take its memory once, and need less than there is.",
        actions=(
            "Leave XLA_PYTHON_CLIENT_PREALLOCATE at true, its default, and XLA_PYTHON_CLIENT_ALLOCATOR unset: platform allocates and frees for each array.",
            "Give it a larger share of the memory: XLA_PYTHON_CLIENT_MEM_FRACTION, 0.75 by default.",
            "Donate the state that a step replaces: else both lie in memory.",
            "Run the largest shapes once before the training.",
        ),
        snippets=(
            shell("XLA_PYTHON_CLIENT_PREALLOCATE=true XLA_PYTHON_CLIENT_MEM_FRACTION=0.9 python train.py"),
            jax("train_step = jax.jit(train_step, donate_argnums=(0,))"),
        ),
        links=(Link("GPU memory allocation", "https://docs.jax.dev/en/latest/gpu_memory_allocation.html"),),
    ),
)  # fmt: skip
