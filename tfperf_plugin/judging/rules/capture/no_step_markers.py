"""The profile does not tell, or does not tell directly, where a step begins."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.kernel_rates import KernelRates
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.words import count, percent

_HOST_UNKNOWN = (
    "Where a step begins on the host is not recorded, so the report may take time between steps and waiting for input "
    "for something else."
)
# Title, and where steps come from, for each source but markers and the function that Keras runs.
_INDIRECT: Final = {
    "jit_calls": (
        "Steps inferred from calls of a compiled function",
        'calls of "{name}", which JAX compiled. Each call counts as a step: this is a training step only if one call '
        "runs one.",
    ),
    "modules": (
        "Steps inferred from repeats of an XLA program",
        'repeats of the XLA module "{name}". Each run of the program counts as a step: this is a training step only if '
        f"one run makes one. {_HOST_UNKNOWN}",
    ),
    "steps_line": (
        "Steps inferred from the stored Steps line",
        "the line that an older profiler stored with the GPUs' events. It spans the work on the GPU only, so the "
        "profile does not show what the host does between steps.",
    ),
    "period": (
        "Steps inferred from the GPUs' recurring work",
        f"kernel sequences that recur on the GPU. {_HOST_UNKNOWN}",
    ),
}


def judge(steps: Steps, devices: Devices, rates: KernelRates) -> Verdict:
    """Reports the source of the steps."""
    number = sum(len(h) for h in steps.hosts)
    told = f"{count(number, 'step was', 'steps were')} told from "
    name = next((h.marker_name for h in steps.hosts if len(h)), "")
    evidence = (
        Evidence("steps found", number, "count", 1, "all hosts"),
        Evidence("how steps were told", steps.source, "text", None, "markers are best"),
    )
    if steps.source == "markers":
        return Passed(f'{told}step markers ("{name}").')
    if steps.source == "function_runs":
        return Passed(f'{told}calls of the function "{name}"; the profile holds no step markers.')
    if steps.source in _INDIRECT:
        title, source = _INDIRECT[steps.source]
        return Found(title=title, summary=told + source.format(name=name), evidence=evidence, severity="info")
    if not devices.participating:
        return NotApplicable("The profile holds neither kernels nor steps.")
    reached = (
        f" While matrix products ran, they reached {percent(rates.products_ratio)} of the peak in {rates.format}; what "
        "a step reaches (MFU) is not known."
        if rates.products_ratio is not None
        else ""
    )
    return Found(
        summary=f"{count(len(devices.participating), 'GPU', 'GPUs')} ran kernels, but the profile holds no step "
        "markers, no calls of a training function and no work that recurs in one rhythm. Without steps no time "
        f"can be assigned to them.{reached}",
        evidence=(
            *evidence,
            Evidence("compute kernels of the recording", rates.total_ns, "ns", None, "device events, in sum"),
            *([Evidence("matrix products, of the peak while they run", rates.products_ratio, "ratio", None, f"operations of the program, and the data sheet in {rates.format}")] if rates.products_ratio is not None else []),
            *(Evidence(f"{name}{'' if share is None else f', at {percent(share)} of the peak'}", ns, "ns", None, "device events, in sum") for name, ns, share in rates.longest),
        ),
        severity="warning",
    )  # fmt: skip


RULE = declared(judge)
