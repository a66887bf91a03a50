"""Attention whose scores are written to memory, where a fused kernel keeps them on the chip."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.attention import Attention, Attentions
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.evidence import Evidence, Missing
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.evidence_level import RECORD_SHAPES
from tfperf_plugin.judging.engine.judged_ops import SHOWN_COUNT, JudgedOps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say

NONE = "No softmax between two batched products was recognized."
UNSIZED = "A softmax lies between two batched products, whose sizes were not recorded."
UNFUSED = (
    "{n:attention of this model is|attentions of this model are} computed op by op: a product writes the score of every "
    "query for every key to memory, kernels between the products read and write the scores again, and a second product "
    "reads them. A fused kernel keeps them on the chip and saves at most {saving:ms} of each step."
)
WIDE = "Fused kernels need 16 bit; half of the time between the products is left to mixed-precision-off."
CAUSE = (
    "{n:attention of this model is|attentions of this model are} computed op by op: the kernels between the products take "
    "{between:ms} per step."
)
MOVED = "{size:bytes} per step and GPU at 85 % of the bandwidth, at most the time above the rest"
BASIS = (
    "all time of the kernels between the products, and the time in which the products move scores at the bandwidth that "
    "kernels reach, at most their time above what they need without; less the scores that a fused backward pass computes "
    "again"
)


def judge(ledger: Ledger, bounds: Bounds, attentions: Attentions) -> Verdict:
    """Sums what a fused kernel would neither run nor move."""
    found = attentions.found
    if not found:
        return Missing(UNSIZED, RECORD_SHAPES) if attentions.unsized else NotApplicable(NONE)
    saving, between = sum(a.saving_ns for a in found), sum(a.between_ns for a in found)
    again, traffic = sum(a.again_ns for a in found), sum(a.traffic_bytes for a in found)
    ops = JudgedOps(bounds, tuple(bounds.ops[key] for a in found for key in a.between))
    told = {"n": sum(a.count for a in found), "saving": saving, "between": between}
    return Found(
        cause=say(CAUSE, **told),
        summary=say(UNFUSED, "" if all(a.in_16_bit for a in found) else WIDE, **told),
        evidence=(
            Evidence("saving, as a share of the step", saving / max(1, ledger.step_ns), "ratio", LEAST.value, "account Compute"),
            Evidence("kernels between the products", between, "ns", None, "per step and GPU: scale, mask, softmax and their gradients"),
            Evidence("scores moved by the products", sum(a.traffic_ns for a in found), "ns", None, say(MOVED, size=traffic))
            if traffic
            else Evidence("scores moved by the products", "not known", "text", None, "shapes or rates are missing"),
            *([Evidence("scores computed again", again, "ns", None, "by the backward pass of a fused kernel")] if again else []),
            *(Evidence(title(a.between[0][1])[:100], a.saving_ns, "ns", None, _shape(a)) for a in found[:SHOWN_COUNT]),
        ),
        basis=BASIS,
        **ops.claimed(saving, "not needed by fused attention"),
    )  # fmt: skip


def _shape(attention: Attention) -> str:
    if not attention.scores:
        return "shapes are not known"
    batch, queries, keys = attention.scores
    return f"{batch} × {queries} × {keys} scores in {attention.format or 'several formats'}"


RULE = declared(judge)
