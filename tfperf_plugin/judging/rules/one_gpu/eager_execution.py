"""The step runs op by op from Python instead of inside tf.function."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.eager import EagerOps
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.overlap import overlap
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, HOW_TO_RECORD_KERNELS, NO_KERNELS, NO_STEPS
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import NO_GPU, gpus, say, whole

EAGER = Threshold(
    "kernels launched by eager ops", 0.10, "ratio", "XProf: eager ops take more than 10 %", side=">"
)

# Training eagerly takes hundreds of ops a step; callbacks run a few.
MANY_COUNT: Final = 50
# A step that JAX compiles whole is one function; metrics, random keys and batches take a few more.
MANY_FUNCTIONS_COUNT: Final = 10

NO_TENSORFLOW = "No op or function of TensorFlow was recorded on the host."
NO_OPS = "The profile does not tell which op launched a kernel."
RECORD_OPS = "Record with host_tracer_level=2 and device_tracer_level=1, the defaults."
FEW = "Eager ops launch {kernels:percent} of the kernels of a step."
ONE_BY_ONE = (
    "Python runs {ops} ops per step one by one, outside any tf.function; they launch {kernels:percent} of the kernels. "
    "The {gpus} idle for {lost:ms} per step meanwhile."
)
TRACED = "Python calls were traced, which makes Python slower than it is in training."
BASIS = (
    "all time in which a GPU is idle while Python runs an op or moves on to the next one; launching takes some time "
    "inside a tf.function as well"
)
HOST_FEW = "Eager ops and the Python code between them take {busy:percent} of the host's step."
HOST_ONE_BY_ONE = "Python runs {ops} ops{per} one by one, outside any tf.function. Between two of them it takes {pause:ms} of {whole}."
CALLS_FEW = "Python makes {n:call|calls} of {what} {per}, fewer than {many}."
CALLS_COMPUTE = "Nothing computes for {around:percent} of {whole} while Python is in its calls of {what}, or between two of them."
CALLS = (
    "For {calling:ms} of {whole} nothing computes, because Python makes {n:call|calls} of {what} one by one: the host is "
    "in these calls or between two of them."
)
ONE_BY_ONE_OF: Final = {
    "ops": "ops are called one by one",
    "compiled functions": "compiled functions are called one by one",
}
"""What is called → the advice on it."""
UPDATING = "The optimizer makes {updates} of them."


def judge(
    eager: EagerOps, capture: Capture, devices: Devices, compute: HostCompute, ledger: Ledger | None
) -> Verdict:
    """Compares the GPU's idle time during eager ops of the step, and between two of them, with the step.

    Where no GPU was recorded, Python's time between two eager ops is compared with the host's step; of JAX and PyTorch
    on the CPU, the time in and between calls in which nothing computes. On the CPU, the recording serves as the step
    where none was told.
    """
    if not eager.tensorflow:
        return _on_cpu(compute) if compute.on_cpu else NotApplicable(NO_TENSORFLOW)
    if not eager.judged_count and not compute.on_cpu:
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
    if ledger is None:
        # A GPU that was not recorded may be waited for between two ops, but not between dozens of a step.
        if devices.all and not compute.on_cpu and eager.ops_per_step < MANY_COUNT:
            return Missing(NO_KERNELS, HOW_TO_RECORD_KERNELS)
        return _without_gpu(eager)
    if eager.kernels_ratio is None:
        return Missing(NO_OPS, RECORD_OPS)
    if eager.kernels_ratio <= EAGER.value:
        return Passed(say(FEW, kernels=eager.kernels_ratio))
    lost, traced = overlap(eager.on_gpu, ledger), capture.python_events_per_step > 0
    told = {"kernels": eager.kernels_ratio, "gpus": gpus(ledger.gpus_count), "lost": lost.total_ns}
    return Found(
        summary=say(ONE_BY_ONE, TRACED if traced else "", ops=f"{eager.ops_per_step:,.0f}", **told),
        evidence=(
            *cost("GPU idle during eager ops and between two of them", lost.total_ns, ledger.step_ns, "accounts Launch wait, Op dispatch and Unattributed idle"),
            Evidence("kernels launched by eager ops", eager.kernels_ratio, "ratio", EAGER.value, EAGER.source),
            *_ops(eager),
        ),
        where=lost.where.all("GPU idle while Python runs op by op"),
        claims={account: ns for account, ns in lost.ns.items() if ns},
        basis=BASIS,
        confidence="low" if traced else "high",
    )  # fmt: skip


def _without_gpu(eager: EagerOps) -> Verdict:
    in_steps, ops = eager.judged_count, f"{eager.ops_per_step:,.0f}"
    of = "the host's step" if in_steps else "the recording"
    busy, pause, step = (eager.op_ns + eager.pause_ns) / max(1, eager.step_ns), eager.pause_ns, eager.step_ns
    if busy <= EAGER.value:
        return Passed(say(HOST_FEW, busy=busy))
    return Found(
        summary=say(HOST_ONE_BY_ONE, NO_GPU, ops=ops, per=" per step" if in_steps else "", pause=pause, whole=whole(step, in_steps)),
        evidence=(
            *cost("Python between two eager ops", pause, step, _source(eager), of, "host events"),
            Evidence("eager ops and Python between them", busy, "ratio", EAGER.value, EAGER.source),
            *_ops(eager),
        ),
        impact_ratio=pause / max(1, step),
    )  # fmt: skip


def _on_cpu(compute: HostCompute) -> Verdict:
    calling, step = compute.calling_ns, compute.step_ns
    count, updates = compute.calls_per_step, compute.updating_per_step
    updating, what = 2 * updates >= count, "ops" if compute.torch else "compiled functions"
    per, of = ("per step", "the host's step") if compute.steps_count else ("in all", "the recording")
    told = {"n": round(count), "what": what, "per": per, "whole": whole(step, compute.steps_count)}
    around = calling / max(1, step)
    many = MANY_COUNT if compute.torch else MANY_FUNCTIONS_COUNT
    if count < many:
        return Passed(say(CALLS_FEW, many=many, **told))
    if around <= EAGER.value:
        return Passed(say(CALLS_COMPUTE, around=around, **told))
    return Found(
        summary=say(CALLS, UPDATING if updating else "", calling=calling, updates=f"{updates:,.0f}", **told),
        evidence=(
            *cost("in and between calls, computing nothing", calling, step, f"host events, {per}", of, "host events"),
            Evidence("calls", round(count, 1), "per_step" if compute.steps_count else "count", many, "ours: steps that are compiled, and callbacks, make fewer"),
            Evidence("computing", compute.ops_ns, "ns", None, f"host events, {per}"),
        ),
        impact_ratio=around,
        advice="the optimizer calls ops one by one" if updating else ONE_BY_ONE_OF[what],
    )  # fmt: skip


def _source(eager: EagerOps) -> str:
    return "host events, per step" if eager.judged_count else "host events"


def _ops(eager: EagerOps) -> tuple[Evidence, ...]:
    count = round(eager.ops_per_step, 1)
    return (
        Evidence(
            "eager ops",
            count,
            "per_step" if eager.judged_count else "count",
            None,
            "host events EagerLocalExecute",
        ),
        *(Evidence(f"{name} ops", ns, "ns", None, _source(eager)) for name, ns in eager.most[:3]),
    )


RULE = declared(judge, thresholds=(EAGER,), needs=("clocks",))
