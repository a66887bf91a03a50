"""Some products run in 32 bit although most of the step uses 16 bit."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import SWITCHED_ON_RATIO, Wide
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import SHOWN_COUNT, claimed
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing, say, together
from tfperf_plugin.judging.rules.precision._sixteen import FORMATS_UNKNOWN, evidence, passed, peaks, policy

KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)
ON = Threshold(
    "matrix work in 16 bit from which mixed precision counts as on", SWITCHED_ON_RATIO, "ratio",
    "XProf; below, mixed-precision-off judges", fixed=True,
)  # fmt: skip

MIXED_OFF = "{half:percent} of the time of matrix kernels is 16 bit: mixed precision is off."
BESIDE = (
    "{half:percent} of the time of matrix kernels is 16 bit, but products in 32 bit take {spent:ms} of the step. On the "
    "GPU's {units} they would take {after:ms} at best."
)
LAYERS = "These layers stay in 32 bit: {layers}."
BASIS = (
    "of products whose work is known, the time that operations or bytes need at the rates of usual layers, less the same in "
    "16 bit; of others, measured time × (1 − peak rate of their format / peak rate of 16 bit), of which float32 products on "
    "NVIDIA reach 11/16 as much, but none shorter than reading its inputs if shapes are recorded, nor shorter than 2 µs; less "
    "casts of weights and of their gradients; kernels that run beside others count by their share"
)


def judge(ledger: Ledger, kernels: Kernels, wide: Wide) -> Verdict:
    """Bounds what the 32-bit products of a step with mixed precision would save in 16 bit."""
    if wide.known_ratio < KNOWN.value:
        return Missing(*FORMATS_UNKNOWN)
    if not wide.mixed:
        return NotApplicable(say(MIXED_OFF, half=wide.half_ratio))
    if little := passed(wide, ledger):
        return little
    layers = list(dict.fromkeys(title(row.op) for row in wide.rows if row.op))
    told = {"half": wide.half_ratio, "units": wide.device.matrix_units, "after": wide.after_ns}
    spent = sum(wide.now_ns.values())
    return Found(
        summary=together(
            say(BESIDE, LAYERS if layers else "", spent=spent, layers=listing(layers, SHOWN_COUNT), **told),
            policy(wide),
        ),
        evidence=(
            *evidence(wide, ledger, ON),
            Evidence(
                "in 16 bit, at best",
                wide.after_ns,
                "ns",
                None,
                "by peak rates, the operations, or reading the inputs",
            ),
            *peaks(wide),
            *kernels.evidence(wide.rows[:SHOWN_COUNT]),
        ),
        basis=BASIS,
        launching_ns=wide.casts.host_ns,
        **claimed(wide.saving_ns, kernels, wide.rows, "matrix kernel in 32 bit"),
    )


RULE = declared(judge, thresholds=(KNOWN, ON), keeps_launches=True)
