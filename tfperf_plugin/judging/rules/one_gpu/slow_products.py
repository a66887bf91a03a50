"""Large matrix products take more than twice as long as good libraries need for them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import LARGE_FLOPS, SLOW_TIMES, Slow, SlowOp, large
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.speeds import REACHED_SOURCE
from tfperf_plugin.judging.engine import products
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, ms, percent, with_name
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras, shell

SAVING = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
TIMES = Threshold(
    "time over that of a good library", SLOW_TIMES, "times",
    "of 794 products in 77 profiles, the slowest tenth above 1 GFLOP and four waves is below half of the best",
    fixed=True, side=">")  # fmt: skip
LARGE = Threshold(
    "operations of a product", LARGE_FLOPS, "count", "smaller ones seldom fill a GPU: they are judged together",
    fixed=True, side=">",
)  # fmt: skip
MANY = Threshold("smaller products of a step", 10, "count", "ours: of fewer, each is worth a look of its own")
TOGETHER = Threshold(
    "time of smaller products above the floor", 0.05, "ratio", "of the step; as for a warning"
)


def judge(ledger: Ledger, bounds: Bounds, slow: Slow, framework: Framework) -> Verdict:
    """Sums what large products take above their floor, where no other cause of it is seen."""
    known = products.judged(bounds)
    if not isinstance(known, tuple):
        return known
    every = slow.ops("slow-products")
    ops = tuple(op for op in every if large(op.bound))
    small = tuple(op for op in every if not large(op.bound))
    saving = bounds.per_step(sum(products.gain_ns(op.bound) for op in ops))
    share = saving / max(1, ledger.step_ns)
    if not ops or share < SAVING.value:
        if found := _together(ledger, slow, small):
            return found
        rest = f"could save at most {percent(share)} of the step" if ops else "were not seen"
        return Passed(f"Products above 1 GFLOP that take more than twice what good libraries need {rest}.")
    spent = bounds.per_step(sum(op.bound.compute_ns for op in ops))
    needed = bounds.per_step(sum(op.bound.needed_ns for op in ops))
    moving = [op for op in ops if op.bound.bound_by == "memory"]
    first = ops[0].bound
    sides = products.shape(first)
    return Found(
        summary=(
            f"{count(len(ops), 'large matrix product')} {'takes' if len(ops) == 1 else 'take'} {ms(spent)} of the "
            f"step; good libraries would need {ms(needed)} on this GPU. The one with most to gain is "
            f"{products.name(ops[0])}{f' ({sides})' if sides else ''}: {products.teraflops(first)}, "
            f"{percent(products.share_of_peak(ops[:1]))} of the peak in {first.format}.{_moving(moving == list(ops))}"
        ),
        evidence=(
            Evidence("time above what products of usual layers take", share, "ratio", SAVING.value, "of the step"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them", needed, "ns", None, REACHED_SOURCE),
            Evidence("time over that of a good library", spent / max(1, needed), "times", TIMES.value, TIMES.source),
            Evidence("rate, as a share of the peak", products.share_of_peak(ops), "ratio", None, "data sheet, dense"),
            Evidence("time of products whose bound is known", _judged_ratio(bounds), "ratio", None, "recorded sizes"),
            *products.rows(slow, ops),
        ),
        where=products.places(ops, "slow matrix product"),
        claims={"compute": saving},
        kernels=tuple(dict.fromkeys(op.bound.kernel for op in ops)),
        basis=(
            "time of these products above the longer of operations / rate and bytes / bandwidth that libraries "
            "reach of usual layers on this GPU, which is less than the best; what 16 bit would save of the rest, rules about "
            "number formats claim"
        ),
        confidence="medium",
        action=with_name("Try other shapes or libraries for {}", products.name(ops[0])),
        fix=_with_flags(framework) if framework.compiled and _gemm(first) else None,
    )  # fmt: skip


def _together(ledger: Ledger, slow: Slow, ops: Sequence[SlowOp]) -> Found | None:
    """What many small products take, without a promise: seldom does any library fill a GPU with one."""
    bounds = slow.bounds
    executions = bounds.per_step(sum(op.bound.executions_count for op in ops))
    spent = bounds.per_step(sum(op.bound.compute_ns for op in ops))
    needed = bounds.per_step(sum(op.bound.needed_ns for op in ops))
    share = (spent - needed) / max(1, ledger.step_ns)
    if executions < MANY.value or share < TOGETHER.value:
        return None
    reached = products.share_of_peak(ops)
    return Found(
        summary=(
            f"{count(executions, 'matrix product')} below 1 GFLOP {'takes' if executions == 1 else 'take'} {ms(spent)} of the "
            f"step at {percent(reached)} of the peak; if they filled the GPU, good libraries would need {ms(needed)}. "
            f"One alone has too little work for that: {_merge(ops)}."
        ),
        evidence=(
            Evidence("time above what good libraries need", share, "ratio", TOGETHER.value, "of the step"),
            Evidence("smaller products of a step", executions, "count", MANY.value, "per GPU"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them, if they filled the GPU", needed, "ns", None, REACHED_SOURCE),
            Evidence("rate, as a share of the peak", reached, "ratio", None, "data sheet, dense"),
            *products.rows(slow, ops),
        ),
        where=products.places(ops, "small matrix product"),
        severity="info",
        impact_ratio=share,
        confidence="medium",
        action="Compute small products together",
        cause=f"{count(executions, 'small matrix product')} take {ms(spent)} of the step at {percent(reached)} of the peak.",
    )  # fmt: skip


def _merge(ops: Sequence[SlowOp]) -> str:
    """Advice by the kind of most of them."""
    loops = sum(op.bound.compute_ns for op in ops if "while" in op.name.lower())
    convolutions = sum(op.bound.compute_ns for op in ops if not _gemm(op.bound))
    total = sum(op.bound.compute_ns for op in ops)
    if 2 * loops > total:
        return (
            "in a loop over time steps, use the layer that cuDNN computes as a whole (LSTM, GRU by default)"
        )
    if 2 * convolutions > total:
        return "give the convolutions a larger batch, or more channels in fewer layers"
    return "use a larger batch, or one product in place of several (query, key and value; all heads)"


def _gemm(op: OpBound) -> bool:
    return op.work is not None and op.work.kind == "product"


def _with_flags(framework: Framework) -> Fix:
    """The fix with a command to try, which XLA reads for matrix products and ignores for convolutions."""
    fix = _JAX if framework.name == "JAX" else _FIX
    return replace(fix, snippets=(*fix.snippets, _TRITON))


def _moving(only: bool) -> str:
    return " Memory bounds what they need, not arithmetic." if only else ""


def _judged_ratio(bounds: Bounds) -> float:
    matrix = [op for op in bounds.ops.values() if op.matrix]
    total = sum(op.total_ns for op in matrix)
    return sum(op.total_ns for op in matrix if not op.not_judged) / max(1, total)


_AUTOTUNING = (
    "Let XLA compare more kernels: keep autotuning on (--xla_gpu_autotune_level=4), and try Triton for all "
    "products (--xla_gpu_triton_gemm_any=true) against none (--xla_gpu_enable_triton_gemm=false)."
)

_FIX = Fix(
    summary="Run the product alone with the same shape, then change shape, layout or library until it is fast.",
    actions=(
        "Make all sides multiples of 64, better 128; merge small batches of products into one large product.",
        "Give convolutions channels last (NHWC) in 16 bit, and avoid transposed operands in memory.",
        "Try a newer TensorFlow or JAX with newer cuBLAS, cuDNN or hipBLASLt: they add kernels for more shapes.",
        _AUTOTUNING,
    ),
    snippets=(
        keras("units = 128 * ((units + 127) // 128)\nlayer = keras.layers.Dense(units)"),
        custom_loop(
            "@tf.function(jit_compile=True)  # XLA tries several kernels for each product\n"
            "def product(a, b):\n    return tf.matmul(a, b)"
        ),
    ),
    links=(Link("XLA flags for GPUs", "https://docs.jax.dev/en/latest/gpu_performance_tips.html"),),
)
_JAX = Fix(
    summary="Run the product alone with the same shape, then change shape, layout or flags until it is fast.",
    actions=(
        _AUTOTUNING,
        "Make all sides multiples of 64, better 128; merge small batches of products into one large product.",
        "Avoid transposed operands: choose the order of dimensions in einsum so that the contracted one is last in both.",
        "Try a newer jaxlib: it brings newer libraries and kernels for more shapes.",
    ),
    snippets=(
        jax(
            "f = jax.jit(lambda a, b: a @ b)  # the shape of the finding\n"
            "a, b = jnp.ones((m, k), jnp.bfloat16), jnp.ones((k, n), jnp.bfloat16)\n"
            "f(a, b).block_until_ready()  # then time it"
        ),
    ),
    links=(Link("XLA flags for GPUs", "https://docs.jax.dev/en/latest/gpu_performance_tips.html"),),
)
_TRITON = shell("XLA_FLAGS=--xla_gpu_triton_gemm_any=true python train.py")

RULE = declared(judge, thresholds=(SAVING, TIMES, LARGE, MANY, TOGETHER), keeps_launches=True)
