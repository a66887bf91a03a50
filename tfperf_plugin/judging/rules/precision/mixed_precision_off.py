"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_optimizer
from tfperf_plugin.analysis.artifacts.compute.roofline import LATENCY_NS
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import BYTES_RATIO, Wide
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say, together
from tfperf_plugin.judging.rules.precision._sixteen import FORMATS_UNKNOWN, evidence, passed, peaks, policy
from tfperf_plugin.trace.roles import KernelClass, Precision

KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)
# Kernels that only move float32 tensors, and last long enough to be bound by memory rather than by their start.
MOVING: Final = (KernelClass.ELEMENTWISE, KernelClass.NORMALISATION, KernelClass.REDUCTION)
MOVING_NS: Final = 10_000
# PyTorch's autocast keeps these in float32 (its docs, "CUDA Ops that can autocast to float32"), and casts what
# they read or write: of 8 bytes that they move forward, or 12 backward, 6 more.
KEPT: Final = re.compile(
    r"(^|/)aten::_?(native_|linalg_vector_)?(layer_norm|group_norm|norm|(log_)?softmax|pow|exp|log|\w{1,40}_loss)"
    r"(_backward\w{0,9})?( |$)"
)
KEPT_CAST_RATIO: Final = 0.5

MIXED = "{half:percent} of the time of matrix kernels is 16 bit: mixed precision is on; fp32-beside-16bit judges the rest."
NONE_HALF = (
    "Matrix multiplications and convolutions in 32 bit take {now:ms} of the step; no matrix kernel uses the GPU's {units} "
    "for 16 bit."
)
SOME_HALF = (
    "Matrix multiplications and convolutions in 32 bit take {now:ms} of the step, although the GPU has {units} for 16 bit; "
    "{half:percent} of the time of all matrix kernels is 16 bit."
)
MOVES = "Kernels that only move float32 take {moving:ms}; in 16 bit they move half."
CASTS_KEPT = "casts beside them take half as long again"
BASIS = (
    "of products whose work is known, the time that operations or bytes need at the rates of usual layers, less the same in "
    "16 bit; what they take above that stays. Of others, measured time × (1 − peak rate of its format / peak rate of 16 "
    "bit), of which float32 products on NVIDIA reach 11/16 as much, but none shorter than reading its inputs in 16 bit if "
    "shapes are recorded. Half the time of kernels that only move float32, since they move half the bytes. No kernel gets "
    "shorter than 2 µs, and casts of weights, of their gradients and beside what stays in float32 come in addition. Kernels "
    "that run beside others count by their share; at most the time in which the GPU works and the host does not"
)


def judge(ledger: Ledger, kernels: Kernels, wide: Wide, program: Program) -> Verdict:
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates."""
    if wide.known_ratio < KNOWN.value:
        return Missing(*FORMATS_UNKNOWN)
    if little := passed(wide, ledger):
        return little
    if wide.mixed:
        return Passed(say(MIXED, half=wide.half_ratio))
    device, rates, now = wide.device, wide.rates, wide.now_ns
    every = {kind: _moving(kernels, kind) for kind in MOVING}
    kept = [r for r in chain(*every.values()) if _is_kept(r, program)]
    rows = {kind: [r for r in those if not _is_kept(r, program)] for kind, those in every.items()}
    moved = sum(kernels.exposed(ledger, _moved_ns(kernels, rows[kind]), kind) for kind in MOVING)
    moved -= round(KEPT_CAST_RATIO * kernels.spent_ns(kept))
    tf32, moving_ns = now[Precision.TF32] and rates.tf32, kernels.spent_ns(chain(*rows.values()))
    told = {
        "now": sum(now.values()),
        "units": device.matrix_units,
        "moving": moving_ns,
        "half": wide.half_ratio,
    }
    return Found(
        summary=together(
            say(SOME_HALF if wide.half_ratio else NONE_HALF, MOVES if moving_ns else "", **told), policy(wide)
        ),
        evidence=(
            *evidence(wide, ledger),
            Evidence("peak rate of 16 bit over float32", rates.bits16 / rates.fp32, "times", None, device.rates_source),
            *peaks(wide),
            *([Evidence("peak in TF32", device.tflops(tf32), "text", None, device.rates_source)] if tf32 else []),
            Evidence("in 16 bit, at best", wide.after_ns, "ns", None, "by these rates, or reading the inputs"),
            *([Evidence("kernels that autocast keeps in float32", kernels.spent_ns(kept), "ns", None, CASTS_KEPT)] if kept else []),
            Evidence("kernels that only move float32", moving_ns, "ns", None, "elementwise, normalization and reduction, 10 µs and longer: half as long at best"),
        ),
        where=kernels.places(wide.rows, "matrix kernel in 32 bit"),
        claims={"compute": max(0, wide.saving_ns + moved)},
        kernels=kernels.names(chain(wide.rows, *rows.values())),
        basis=BASIS,
        launching_ns=wide.casts.host_ns,
        values={"TF32 already": now[Precision.TF32] > now[Precision.FP32]},
        confidence="high" if wide.policy == "float32" else "medium",
    )  # fmt: skip


def _moving(kernels: Kernels, kind: KernelClass) -> list[KernelRow]:
    rows = (r for r in kernels.rows if r.kernel_class is kind and r.precision is Precision.FP32)
    # The optimizer updates parameters in float32 in any case.
    return [r for r in rows if r.times.mean_ns >= MOVING_NS and not is_optimizer(r.op)]


def _is_kept(row: KernelRow, program: Program) -> bool:
    """Whether PyTorch's autocast leaves the kernel's op in float32."""
    return program.framework == "PyTorch" and bool(KEPT.search(row.op))


def _moved_ns(kernels: Kernels, rows: Sequence[KernelRow]) -> int:
    """What half the bytes save in a step: half of the time, without what a kernel takes in any case."""
    spent = sum(max(0, r.times.total_ns - r.times.count * LATENCY_NS) for r in rows)
    return kernels.per_step(spent - spent / BYTES_RATIO)


RULE = declared(judge, thresholds=(KNOWN,), keeps_launches=True)
