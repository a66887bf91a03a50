"""A bias is added right before batch normalization, which removes it again."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import work
from tfperf_plugin.analysis.artifacts.compute.sequences import Sequences
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.trace.roles import KernelClass

TYPES: Final = ("BiasAdd", "BiasAddGrad")

NO_NORMALIZATION = "The step has no batch normalization that op names show."
NONE = "No batch normalization follows a bias addition."
ADDS = (
    "{n:layer adds|layers add} a bias right before batch normalization. Subtracting the mean removes it again, so it has "
    "no effect, but adding it and its gradient take {saving:ms} per step."
)
CAUSE = "{n:layer adds|layers add} a bias right before batch normalization: {saving:ms} per step."
BASIS = "all time of these bias additions and their gradients, less the share that runs beside other kernels"


def judge(ledger: Ledger, sequences: Sequences, kernels: Kernels) -> Verdict:
    """Sums bias additions that a batch normalization follows, and their gradients."""
    if not sequences.has_batch_norm:
        return NotApplicable(NO_NORMALIZATION)
    if not sequences.biased:
        return Passed(NONE)
    layers = {work(op)[0] for op in sequences.biased}
    rows = [r for r in kernels.rows if r.op_type in TYPES and work(r.op)[0] in layers]
    added, gradients = (kernels.spent_ns(r for r in rows if r.op_type == kind) for kind in TYPES)
    saving = kernels.exposed(ledger, added + gradients, KernelClass.ELEMENTWISE, KernelClass.REDUCTION)
    return Found(
        summary=say(ADDS, n=len(layers), saving=saving),
        cause=say(CAUSE, n=len(layers), saving=saving),
        evidence=(
            Evidence("layers with such a bias", len(layers), "count", None, "order of kernels on a stream"),
            Evidence("adding it", added, "ns", None, "per step and GPU"),
            Evidence("its gradient", gradients, "ns", None, "per step and GPU"),
        ),
        where=kernels.places(rows, "bias before batch normalization"),
        claims={"compute": saving},
        kernels=kernels.names(rows),
        basis=BASIS,
        bound=False,
    )


RULE = declared(judge)
