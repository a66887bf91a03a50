"""What the rules share that are about products in 32 bit."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import Wide
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Passed, Threshold
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.trace.roles import Precision

FORMATS_UNKNOWN: Final = (
    "The number format of most matrix kernels cannot be told from their names.",
    "Record tensor shapes with ProfilerOptions(host_tracer_level=3); TensorFlow 2.21 ignores that option.",
)
ALL_HALF = "{half:percent} of the time of matrix kernels is 16 bit."
CASTS = "at least, of weights and their gradients"
POLICY = "The training recorded the precision policy {policy}."


def passed(wide: Wide, ledger: Ledger) -> Passed | None:
    """Passes if there are none, or if they could save little."""
    return (
        too_little(wide.saving_ns, ledger.step_ns)
        if wide.rows
        else Passed(say(ALL_HALF, half=wide.half_ratio))
    )


def evidence(wide: Wide, ledger: Ledger, on: Threshold | None = None) -> tuple[Evidence, ...]:
    """Rows on the saving and the time of these products; ``on``: limit for the share in 16 bit."""
    share, least, now = wide.saving_ns / max(1, ledger.step_ns), on.value if on else None, wide.now_ns
    casts = Evidence("casts that 16 bit adds", wide.casts.kernels_ns, "ns", None, CASTS)
    return (
        Evidence("saving by products, as a share of the step", share, "ratio", LEAST.value, "step budget"),
        Evidence("matrix work in 16 bit", wide.half_ratio, "ratio", least, "kernel names and shapes"),
        Evidence("matrix kernels in float32", now[Precision.FP32], "ns", None, "per step and GPU"),
        Evidence("matrix kernels in TF32", now[Precision.TF32], "ns", None, "per step and GPU"),
        *((casts,) if wide.casts.count else ()),
    )


def peaks(wide: Wide) -> tuple[Evidence, ...]:
    """The peak rates of the GPU to which 16 bit brings least."""
    tflops, source = wide.device.tflops, wide.device.rates_source
    return (
        Evidence("peak in 16 bit", tflops(wide.rates.bits16), "text", None, source),
        Evidence("peak in float32", tflops(wide.rates.fp32), "text", None, source),
    )


def policy(wide: Wide) -> str:
    """A sentence about the precision policy, "" if none was recorded."""
    return say(POLICY, policy=wide.policy) if wide.policy else ""
