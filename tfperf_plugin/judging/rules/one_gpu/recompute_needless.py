"""Parts of the forward pass are computed again although memory would hold their results."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.attention import Attentions
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.sequences import SHORT_NS
from tfperf_plugin.analysis.artifacts.memory.memory import USABLE_RATIO, Memory
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import JudgedOps
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import gpu, percent, say
from tfperf_plugin.trace.roles import avoids_tensor_cores, is_layout_transpose

USABLE = Threshold(
    "share of memory to fill", USABLE_RATIO, "ratio", "the rest is kept for fragmentation and peaks, as memory-headroom does", fixed=True, side="≤"
)  # fmt: skip
SMALL = Threshold("mean kernel", SHORT_NS, "ns", "shorter ones are judged by small-kernels", side=">")
WIDE: Final = ("fp32", "tf32")

NONE = "No program of XLA is seen to compute a part of the forward pass again."
NO_MEMORY = (
    "A part of the forward pass is computed again, for {saving:ms} of the step, but no allocator events of a GPU were "
    "recorded: the profile does not tell whether memory would hold its results."
)
LOOK = "Compare peak_bytes_in_use with bytes_limit of jax.local_devices()[0].memory_stats() after a step."
NO_ROOM = "{gpu} has room for {room:bytes} more; what is computed again may take up to {size:bytes}."
AGAIN = (
    "A part of the forward pass is computed again in the backward pass, for {saving:ms} of each step. Its results take at "
    "most {size:bytes}, and {gpu} has room for {room:bytes} more at its peak."
)
BASIS = "time of the instructions that repeat a part of the forward pass"


def judge(
    ledger: Ledger, bounds: Bounds, attentions: Attentions, kernels: Kernels, memory: Memory
) -> Verdict:
    """Asks whether memory would hold all that is computed twice."""
    every = {key: op for key, op in bounds.ops.items() if op.work and op.work.recomputed}
    if not every:
        return NotApplicable(NONE)
    ops = {
        key: op
        for key, op in every.items()
        if key not in attentions.ops and op.total_ns > SMALL.value * op.launches_count
    }
    half = bounds.main_format in WIDE
    turned = {plain_op(r.op) for r in kernels.rows if is_layout_transpose(r.name, r.op)}
    counted = {key: _counted_ns(op, half) for key, op in ops.items() if key[1] not in turned}
    saving = bounds.per_step(sum(counted.values()))
    if little := too_little(saving, ledger.step_ns):
        return little
    if not memory.devices:
        return Missing(say(NO_MEMORY, saving=saving), LOOK)
    size = bounds.per_step(sum(op.bytes for op in every.values()))
    fullest = min(memory.devices, key=lambda d: USABLE.value * d.capacity_bytes - d.peak_bytes)
    room = int(USABLE.value * fullest.capacity_bytes) - fullest.peak_bytes
    if room < size:
        return Passed(say(NO_ROOM, gpu=gpu(fullest.device), room=max(0, room), size=size))
    longest = sorted(counted, key=lambda key: -counted[key])
    again = JudgedOps(bounds, tuple(ops[key] for key in longest))
    return Found(
        summary=say(AGAIN, saving=saving, size=size, gpu=gpu(fullest.device), room=room),
        evidence=(
            Evidence("recomputation", saving, "ns", int(LEAST.value * ledger.step_ns), "per step and GPU"),
            Evidence("what its instructions read and write", size, "bytes", None, "more than their results"),
            Evidence("room", room, "bytes", None, f"up to {percent(USABLE.value)} of the allocator's memory"),
            Evidence("peak in use", fullest.peak_bytes, "bytes", None, "allocator events"),
            *again.evidence(lambda op: _counted_ns(op, half), lambda op: op.kernel[:100]),
        ),
        basis=BASIS,
        **again.claimed(saving, "computed again"),
    )


def _counted_ns(op: OpBound, half: bool) -> int:
    """The part of an op's time that no other rule claims: in 32 bit, products and half of the rest are
    mixed-precision-off's."""
    if op.matrix:
        elsewhere = half or op.format in WIDE or avoids_tensor_cores(op.kernel)
        return 0 if elsewhere else op.compute_ns
    return op.compute_ns // 2 if half else op.compute_ns


RULE = declared(judge, thresholds=(USABLE, SMALL))
