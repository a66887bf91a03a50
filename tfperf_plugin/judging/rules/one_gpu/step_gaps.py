"""The GPU is idle between steps."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.by_host import longest_first
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.step_gaps import BetweenSteps, HostGaps
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, HOW_TO_RECORD_KERNELS, NO_KERNELS, NO_STEPS
from tfperf_plugin.judging.engine.rule import Found, Missing, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import NO_GPU, gpus, say, together

NAMED = Threshold(
    "share that a named cause must cover", 0.80, "ratio", "a cause that covers less is not named"
)

IDLE = "Between two steps the {gpus} idle for {gap:ms} on average, while the host is outside the step's function."
RUNS = "Meanwhile the host runs {name}."
RUNS_MOSTLY = "For most of that time, {covered:ms}, the host runs {most}; no recorded event covers the rest."
UNSEEN = (
    "No recorded event covers this work of the loop: loading batches in Python or NumPy, callbacks, metrics, "
    "checkpoints and logging are common."
)
RUNS_MEANWHILE = "The {gpus} idle for {gap:ms} between two steps while the host runs {name}."
LOOP_WORKS = "Your loop works for {gap:ms} between two calls of the step's function while the {gpus} idle."
BASIS = "all time in which a GPU is idle while the host is outside the step's function"
ONE_STEP = "Only a part of a step was recorded, so what lies between two steps is not known."

HOST_OUTSIDE = "In a step of {step:ms} the host is outside the step's function for {gap:ms}."
HOST_RUNS = "Between two steps the host runs {name} ({gap:ms} per step)."


def judge(
    between: BetweenSteps,
    devices: Devices,
    compute: HostCompute,
    ledger: Ledger | None,
    timeline: Timeline | None,
) -> Verdict:
    """Compares GPU idle time while the host is outside the step's function with the step.

    Where no GPU was recorded, the host's own time outside the step's function is compared with its step.
    """
    if ledger is None or timeline is None:
        if (devices.all or devices.accelerators) and not compute.on_cpu:
            return Missing(NO_KERNELS, HOW_TO_RECORD_KERNELS)
        return _without_gpu(between.host, compute.on_cpu)
    if not between.whole:
        return Missing(ONE_STEP, HOW_TO_MARK_STEPS)
    gap = ledger.average()["idle.between_steps"]
    name, named = _named(between.named, gap)
    told = {"gpus": gpus(ledger.gpus_count), "gap": gap, "name": name}
    return Found(
        summary=together(say(IDLE, **told), _meanwhile(between.named, gap)),
        cause=say(RUNS_MEANWHILE if name else LOOP_WORKS, **told),
        evidence=(
            *cost("Step gap", gap, ledger.step_ns, "account Step gap"),
            Evidence("longest gap", between.longest_ns, "ns", None, "step budget"),
            *named,
        ),
        where=timeline.worst(["idle.between_steps"], "Step gap"),
        claims={"idle.between_steps": gap},
        basis=BASIS,
        advice="the cause is named" if name else "",
    )


def _without_gpu(host: HostGaps, on_cpu: bool) -> Verdict:
    if not host.steps_count:
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
    gap, step = host.gap_ns, host.step_ns
    seen = longest_first(host.ns_by_name)
    name, named = _named(seen, gap)
    outside = "host events: outside the step's function, input and tracing left out, per step"
    return Found(
        summary=together(say(HOST_OUTSIDE, step=step, gap=gap), _meanwhile(seen, gap), NO_GPU),
        cause=say(HOST_RUNS, name=name, gap=gap) if name else "",
        evidence=(
            *cost("the host between steps", gap, step, outside, "the host's step", "host events"),
            *named,
        ),
        where=host.where.all(),
        impact_ratio=gap / max(1, step),
        advice="no GPU was recorded",
        values={"on the CPU": on_cpu},
    )


def _meanwhile(seen: Sequence[tuple[str, int]], gap_ns: int) -> str:
    """What the host runs in the gap, as far as it is recorded."""
    most, covered = seen[0] if seen else ("", 0)
    name, _ = _named(seen, gap_ns)
    return say(
        RUNS if name else RUNS_MOSTLY if 2 * covered > gap_ns else UNSEEN,
        name=name,
        most=most,
        covered=covered,
    )


def _named(seen: Sequence[tuple[str, int]], gap_ns: int) -> tuple[str, tuple[Evidence, ...]]:
    """The activity that covers enough of the gap, "" if none does, and the evidence for it."""
    name, covered = seen[0] if seen else ("", 0)
    if not covered or covered < NAMED.value * gap_ns:
        return "", ()
    return name, (Evidence(f"of it during {name}", covered, "ns", int(NAMED.value * gap_ns), "host events"),)


RULE = declared(
    judge,
    thresholds=(NAMED,),
    explained_by=("replica-imbalance",),
    needs_cover=True,
    yields_to=("replica-imbalance",),
    needs=("clocks",),
)
