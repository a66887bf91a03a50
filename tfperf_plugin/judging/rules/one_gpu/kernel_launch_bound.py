"""The training is kernel-launch-bound: the GPU waits for the host to launch kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.updates import MANY_COUNT, Updates
from tfperf_plugin.analysis.artifacts.host.arguments import Arguments
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.artifacts.host.idle import BEFORE, LONG_NS, ON_CPU, Idle
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rows import cost
from tfperf_plugin.judging.engine.rule import Found, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.severity import severity_of
from tfperf_plugin.judging.engine.words import gpus
from tfperf_plugin.recording.record import TrainingFacts

LATENCY = Threshold(
    "mean kernel",
    40_000,
    "ns",
    "guide: a launch takes the host 20 to 40 µs; shorter kernels starve the GPU",
    side="≤",
)
# Placing arguments is the cause if it covers this share of the waiting in more than this share of the steps.
PLACING_RATIO: Final = 0.5
RECURRING_RATIO: Final = 0.5
# If the host idles for this share of the step while GPUs work, it does not limit the whole step.
SPARE_RATIO: Final = 0.1
# More of the waiting than this in one stretch, op or mark is said: then that is slow, not launching as such.
AT_ONCE_RATIO: Final = 0.5
# How PyTorch marks the zeroing of gradients.
ZEROES: Final = "Optimizer.zero_grad#"
# Launching is not worth a word beside ten times as much work of ops.
LAUNCHES_TOO: Final = 10
# Of this share of the kernels it is said that they are the optimizer's.
OPTIMIZER_RATIO: Final = 0.5
# A GPU needs about this long from one kernel to the next, however early both are launched.
BETWEEN_KERNELS_NS: Final = 1_000

HOST_BOUND = (
    "The step is host-bound: the {gpus} idle for {waiting:ms} of it while the host launches kernels and runs the ops "
    "that launch them."
)
HOST_HAS_TIME = (
    "The host launches nothing for {spare:ms} of a step while the GPU works, so it limits only a part of it: the {gpus} "
    "idle for {waiting:ms} while the host launches kernels and runs the ops that launch them."
)
COULD_RUN_AHEAD = (
    "The {gpus} idle for {waiting:ms} of the only recorded step while the host launches kernels and runs the ops that "
    "launch them, but the host launches nothing for {spare:ms} while the GPU works. In that time, it can launch the "
    "next step's kernels: then usual steps wait less."
)
LAUNCHES = "Launching takes {launches:ms} of that."
RUNS_OPS = "Calling the step's function and running its ops take {dispatch:ms} of that."
RUNS_OPS_NAMED = (
    "Calling the step's function and running its ops take {dispatch:ms} of that, {of_it:ms} of it {op}."
)
RUNS_TORCH = "Running Python and PyTorch's ops up to their launches takes {dispatch:ms} of that."
RUNS_TORCH_NAMED = "Running Python and PyTorch's ops up to their launches takes {dispatch:ms} of that, {of_it:ms} of it {op}."
PLACES = (
    "For {on_the_way:ms} of it, arguments of the call are on their way to the GPUs again. For {placing:ms} the call "
    "does nothing else: only that is counted as saved."
)
KERNELS = "Each GPU has {n:kernels} in a step, {mean:ms} long on average."
OPTIMIZER = "The optimizer launches {number} of the kernels ({share:percent}), several for each variable."
SHORT = "That is no longer than a launch, which takes the host 20 to 40 µs, says TensorFlow's guide."
CALLS = "Calling the step's function and returning from it takes {calling:ms}, whatever the step launches."
TRACED = "Python calls were traced, which slows launching down compared with training."
CAUSE = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches {n:kernels} a GPU, {mean:ms} long "
    "on average."
)
CAUSE_AT_ONCE = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches {n:kernels} a GPU, {mean:ms} long "
    "on average; the longest stretch alone takes {longest:ms}."
)
FEW_OPS = "Host-bound at a few ops"
CAUSE_ONE_OP = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches kernels, most of it in one stretch, "
    "of up to {longest:ms}, before the first kernel of {op}."
)
CAUSE_FEW_OPS = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches kernels, {long:ms} of it in stretches "
    "of more than {limit:ms} each, above all before the first kernel of {op}."
)
CAUSE_ON_CPU = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches kernels, {of_it:ms} of it while the "
    "host runs {op}, which launches nothing."
)
MARKED = "{of_it:ms} of it lie in what the program marks as {mark}."
CAUSE_PLACES = "For {placing:ms} of a step the {gpus} idle while the call places its arguments again, before it executes."
BASIS = (
    "all time in which a GPU is idle while the host launches its next kernel or runs the ops up to it, less a "
    "microsecond for each stretch, which a GPU needs between kernels anyway"
)
BASIS_OF_ONE_STEP = (
    "all time in which a GPU is idle while the host launches its next kernel or runs the ops up to it, less a "
    "microsecond for each stretch, and without calls of the step's function that no step before could hide"
)
BASIS_LONG = (
    "all time in which a GPU is idle in stretches of more than a millisecond while the host runs the ops up to its next "
    "kernel"
)
BASIS_ON_CPU = "all time in which a GPU is idle while the host runs the op"
BASIS_PLACES = "all time in which a GPU is idle while the call places its arguments, before it executes"


def judge(
    ledger: Ledger,
    kernels: Kernels,
    idle: Idle,
    arguments: Arguments,
    capture: Capture,
    timeline: Timeline,
    facts: TrainingFacts | None,
    host: HostPass,
    steps: Steps,
    framework: Framework,
    updates: Updates,
) -> Verdict:
    """Compares GPU idle time while the host launches, or runs the ops that launch, with the step."""
    average = ledger.average()
    claims = {account: average[account] for account in ("idle.launch", "idle.dispatch") if average[account]}
    waiting = sum(claims.values())
    mean = kernels.total_ns // max(1, sum(r.times.count for r in kernels.rows))
    small = mean <= LATENCY.value
    traced = capture.python_events_per_step > 0
    placed = arguments.idle_ns / max(1, waiting)
    places = placed >= PLACING_RATIO and arguments.steps_ratio > RECURRING_RATIO
    # Where one step is captured, its own call is no matter of launching.
    calling = min(idle.calling_ns, claims.get("idle.dispatch", 0))
    op, longest, long = _one_op(claims, idle), _at_once(claims, idle), _long(claims, idle)
    on_cpu, in_op = _most(idle, waiting, ON_CPU)
    mark, in_mark = idle.marked if idle.marked and idle.marked[1] > AT_ONCE_RATIO * waiting else ("", 0)
    marked = say(MARKED, of_it=in_mark, mark=mark) if mark else ""
    alone = in_op if on_cpu else long if op else 0
    saved = {"idle.dispatch": alone} if alone else _launched_in_time(claims, idle, calling)
    about = {"gpus": gpus(ledger.gpus_count), "waiting": waiting}
    kernel = {"n": round(kernels.per_step_count), "mean": mean}
    updating = updates.several_count
    optimizer = updating >= max(MANY_COUNT, OPTIMIZER_RATIO * kernels.per_step_count)
    of_optimizer = (
        say(OPTIMIZER, number=f"{updating:,}", share=updating / max(1, kernel["n"])) if optimizer else ""
    )
    # Before the only recorded step, nothing was launched; before others, the host has time for it.
    only = any(h.partial for h in steps.hosts)
    ahead = only and not places and not op and host.spare_ns >= waiting
    return Found(
        title=FEW_OPS if op and not longest else "",
        summary=together(
            _bound(ahead, host.spare_ns, ledger.step_ns, about),
            _doing(claims, idle, framework.name == "PyTorch"),
            marked,
            say(PLACES, on_the_way=arguments.idle_ns, placing=arguments.placing_ns) if places else "",
            say(KERNELS, **kernel),
            SHORT if small and framework.name != "PyTorch" else "",
            of_optimizer,
            say(CALLS, calling=calling) if severity_of(calling, ledger.step_ns) else "",
            TRACED if traced else "",
        ),
        cause=say(CAUSE_PLACES, gpus=about["gpus"], placing=arguments.placing_ns)
        if places
        else say(CAUSE_ON_CPU, of_it=in_op, op=on_cpu, **about)
        if on_cpu
        else together(_cause(op, longest, long, about | kernel), marked, "" if op else of_optimizer),
        evidence=(
            *cost(
                "Launch wait and Op dispatch",
                waiting,
                ledger.step_ns,
                "accounts Launch wait and Op dispatch",
            ),
            Evidence("kernels per step and GPU", kernel["n"], "count", None, "kernels of judged steps"),
            *_placed(placed if places else None),
            Evidence("mean kernel", mean, "ns", int(LATENCY.value) if small else None, LATENCY.source),
        ),
        where=timeline.worst(["idle.dispatch", "idle.launch"], "Launch wait and Op dispatch"),
        claims=_placing(claims, arguments.placing_ns) if places else saved,
        covers={} if places else claims | ({"idle.dispatch": saved["idle.dispatch"]} if calling else {}),
        basis=_basis(places, on_cpu, op, calling),
        severity="info" if ahead else None,
        confidence="low" if traced or ahead else "high" if small else "medium",
        advice=_case(places, on_cpu, op, ahead, mark.startswith(ZEROES), optimizer, facts, small),
    )


def _bound(ahead: bool, spare_ns: int, step_ns: int, about: Mapping[str, Any]) -> str:
    """Whether the host limits the whole step, a part of it, or this one step only."""
    if ahead:
        return say(COULD_RUN_AHEAD, spare=spare_ns, **about)
    if spare_ns < SPARE_RATIO * step_ns:
        return say(HOST_BOUND, **about)
    return say(HOST_HAS_TIME, spare=spare_ns, **about)


def _at_once(claims: Mapping[str, int], idle: Idle) -> int:
    """The longest stretch if it is most of the waiting, else 0."""
    longest = max((one.longest_ns for one in idle.accounts if one.account in claims), default=0)
    return longest if longest > AT_ONCE_RATIO * sum(claims.values()) else 0


def _long(claims: Mapping[str, int], idle: Idle) -> int:
    """The time in long stretches before ops if it is most of the waiting, else 0."""
    long = sum(one.long_ns for one in idle.accounts if one.account in claims)
    return long if long > AT_ONCE_RATIO * sum(claims.values()) else 0


def _one_op(claims: Mapping[str, int], idle: Idle) -> str:
    """The op for whose kernel the GPU waits longest, if most of the waiting is long stretches before ops."""
    name = next((a.seen[0][0] for a in idle.accounts if a.account == "idle.dispatch" and a.seen), "")
    return name.removeprefix(BEFORE) if _long(claims, idle) and name.startswith(BEFORE) else ""


def _most(idle: Idle, waiting: int, label: str) -> tuple[str, int]:
    """What such a label of Op dispatch names, with its time, if that is most of the waiting."""
    seen = next((a.seen for a in idle.accounts if a.account == "idle.dispatch"), ())
    return next(
        (
            (n.removeprefix(label), ns)
            for n, ns in seen
            if n.startswith(label) and ns > AT_ONCE_RATIO * waiting
        ),
        ("", 0),
    )


def _basis(places: bool, on_cpu: str, op: str, calling: int) -> str:
    if places:
        return BASIS_PLACES
    if on_cpu:
        return BASIS_ON_CPU
    return BASIS_LONG if op else BASIS_OF_ONE_STEP if calling else BASIS


def _cause(op: str, longest: int, long: int, about: Mapping[str, Any]) -> str:
    if op and longest:
        return say(CAUSE_ONE_OP, op=op, longest=longest, **about)
    if op:
        return say(CAUSE_FEW_OPS, op=op, long=long, limit=LONG_NS, **about)
    return say(CAUSE_AT_ONCE, longest=longest, **about) if longest else say(CAUSE, **about)


def _case(
    places: bool,
    on_cpu: str,
    op: str,
    ahead: bool,
    zeroes: bool,
    optimizer: bool,
    facts: TrainingFacts | None,
    small: bool,
) -> str:
    if places:
        return "arguments are placed in each call"
    if on_cpu:
        return "an op computes on the CPU"
    if op:
        return "one op takes the host long"
    if ahead:
        return "the host could run ahead"
    if zeroes:
        return "gradients are filled with zeros"
    if optimizer:
        return "the optimizer launches most kernels"
    if facts and facts.jit_compile:
        return "XLA compiles already"
    return "" if small else "kernels are long"


def _placed(ratio: float | None) -> tuple[Evidence, ...]:
    if ratio is None:
        return ()
    return (
        Evidence("of the waiting while arguments are placed", ratio, "ratio", PLACING_RATIO, "host events"),
    )


def _placing(claims: Mapping[str, int], placing_ns: int) -> dict[str, int]:
    """The part of the waiting in which arguments are placed, which the host does before it launches."""
    before = min(claims.get("idle.dispatch", 0), placing_ns)
    return {"idle.dispatch": before, "idle.launch": min(claims.get("idle.launch", 0), placing_ns - before)}


def _launched_in_time(claims: Mapping[str, int], idle: Idle, calling_ns: int) -> dict[str, int]:
    """The waiting without the call itself, and without what a GPU needs between kernels launched in time."""
    stretches = next((a.per_step_count for a in idle.accounts if a.account == "idle.launch"), 0.0)
    stays = {"idle.launch": round(stretches * BETWEEN_KERNELS_NS), "idle.dispatch": calling_ns}
    return {account: max(0, ns - stays[account]) for account, ns in claims.items()}


def _doing(claims: Mapping[str, int], idle: Idle, of_torch: bool) -> str:
    """What the host does meanwhile, with the op that it spends most of the time on, if known."""
    launches, dispatch = claims.get("idle.launch", 0), claims.get("idle.dispatch", 0)
    seen = next((a.seen for a in idle.accounts if a.account == "idle.dispatch"), ())
    if seen:
        ops = say(
            RUNS_TORCH_NAMED if of_torch else RUNS_OPS_NAMED,
            dispatch=dispatch,
            op=seen[0][0],
            of_it=seen[0][1],
        )
    else:
        ops = say(RUNS_TORCH if of_torch else RUNS_OPS, dispatch=dispatch)
    return together(
        say(LAUNCHES, launches=launches) if launches and dispatch <= LAUNCHES_TOO * launches else "",
        ops if dispatch else "",
    )


_CAUSES = (
    "allocator-stalls",
    "eager-execution",
    "host-thread-contention",
    "host-sync-in-step",
    "host-op-in-step",
    "dynamic-loss-scaling",
    "pipeline-bubble",
    "rnn-loop",
    "unused-parameters",
)

RULE = declared(judge, thresholds=(LATENCY,), explained_by=_CAUSES, needs_cover=True, yields_to=_CAUSES)
