"""The training is kernel-launch-bound: the GPU waits for the host to launch kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import GAP_NS, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_convolution
from tfperf_plugin.analysis.artifacts.compute.updates import MANY_COUNT, Updates
from tfperf_plugin.analysis.artifacts.host.arguments import Arguments
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.artifacts.host.idle import BEFORE, BUILDS_GRAPH, LONG_NS, Idle
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost, severity_of
from tfperf_plugin.judging.engine.words import gpus, say, together
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record

LATENCY = Threshold(
    "mean kernel", 40_000, "ns", "guide: a launch takes the host 20 to 40 µs; shorter kernels starve the GPU", side="≤"
)  # fmt: skip
# One of these covers more than this share of the waiting: the placing of arguments, a stretch, an op, a mark.
# Then it is slow, not launching as such.
MOST_RATIO: Final = 0.5
# Placing arguments is the cause in more than this share of the steps.
RECURRING_RATIO: Final = 0.5
# If the host idles for this share of the step while GPUs work, it does not limit the whole step.
SPARE_RATIO: Final = 0.1
# How PyTorch marks the zeroing of gradients.
ZEROES: Final = "Optimizer.zero_grad#"
# Launching is not worth a word beside ten times as much work of ops.
LAUNCHES_TOO: Final = 10
# Of this share of the kernels it is said that they are the optimizer's.
OPTIMIZER_RATIO: Final = 0.5
# From this share on, a step does nothing else, and a larger batch does not change it.
ONLY_RATIO: Final = 0.95
LAUNCH: Final = "idle.launch"
DISPATCH: Final = "idle.dispatch"
# Cases of the page.
PLACED: Final = "arguments are placed in each call"
ONE_OP: Final = "one op takes the host long"

HOST_BOUND = (
    "The step is host-bound: the {gpus} idle for {waiting:ms} of it while the host launches kernels and runs the ops "
    "that launch them."
)
HOST_HAS_TIME = (
    "For {spare:ms} of a step the host launches nothing while the GPU works, so it limits only a part of the step. The "
    "{gpus} idle for {waiting:ms} while the host launches kernels and runs the ops that launch them."
)
COULD_RUN_AHEAD = (
    "The {gpus} idle for {waiting:ms} of the only recorded step while the host launches kernels and runs the ops that "
    "launch them, but the host launches nothing for {spare:ms} while the GPU works. In that time, it can launch the "
    "next step's kernels: then usual steps wait less."
)
LAUNCHES = "Launching takes {launches:ms} of that."
LAUNCHES_AND_PAUSES = "Launching, with pauses of up to 0.1 ms between launches, takes {launches:ms} of that."
RUNS_OPS = "Calling the step's function and running its ops take {time}."
RUNS_TORCH = "Running Python and PyTorch's ops up to their launches takes {time}."
OF_THAT = "{dispatch:ms} of that"
OF_THAT_NAMED = "{dispatch:ms} of that, {of_it:ms} of it {op}"
PLACES = (
    "For {on_the_way:ms} of it, arguments of the call are on their way to the GPUs again. For {placing:ms} the call "
    "does nothing else: only that is counted as saved."
)
KERNELS = "Each GPU has {n:kernels} in a step, {mean:ms} long on average."
OPTIMIZER = "The optimizer launches {number} of the kernels ({share:percent}), several for each variable."
SHORT = "That is no longer than a launch, which takes the host 20 to 40 µs, says TensorFlow's guide."
SEEN_ONCE = "One step was recorded, and most of its waiting is one stretch of {longest:ms}: record more steps to see whether it recurs."
CALLS = (
    "Calling the step's function and returning from it takes {calling:ms}, whatever the step launches: that is not counted "
    "as saved."
)
TRACED = "Python calls were traced, which slows launching down."
ONE_LAUNCH = (
    "The only recorded step launches one kernel, so what that launch waits for is no cost of launching."
)
CAUSE = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches {n:kernels}{each}, {mean:ms} long "
    "on average."
)
CAUSE_AT_ONCE = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches {n:kernels}{each}, {mean:ms} long "
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
CAUSE_BUILDS_GRAPH = (
    "The {gpus} idle for {waiting:ms} of a step while the host prepares and launches kernels, {of_it:ms} of it while the "
    "host builds CUDA graphs, which each step does anew."
)
MARKED = "{of_it:ms} of it lie in what the program marks as {mark}."
FILLS = "During {zeroing:ms} of the waiting zero_grad fills gradients with zeros, to which the backward pass then adds."
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
BASIS_BUILDS_GRAPH = "all time in which a GPU is idle while the host builds CUDA graphs, in most steps"
BASIS_PLACES = "all time in which a GPU is idle while the call places its arguments, before it executes"


class _Case(Record, frozen=True):
    """A reason for which the host launches late, and all that depends on the reason."""

    cause: str
    basis: str
    #: Account → ns that a fix would remove.
    claims: dict[str, int]
    #: The longest stretch, if it takes most of the waiting before one op.
    at_once_ns: int = 0
    #: The page's case; "" for launching as such, of which there are several.
    advice: str = ""
    title: str = ""


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
    program: Program,
    updates: Updates,
) -> Verdict:
    """Compares GPU idle time while the host launches, or runs the ops that launch, with the step."""
    average = ledger.average()
    waits = {account: average[account] for account in (LAUNCH, DISPATCH) if average[account]}
    waiting = sum(waits.values())
    mean = kernels.total_ns // max(1, sum(r.times.count for r in kernels.rows))
    small, torch = mean <= LATENCY.value, program.framework == "PyTorch"
    traced = capture.python_events_per_step > 0
    # Where one step is captured, its own call is no matter of launching.
    calling = min(idle.calling_ns, waits.get(DISPATCH, 0))
    count, updating = round(kernels.per_step_count), updates.several_count
    told = {
        "gpus": gpus(ledger.gpus_count), "each": " a GPU" if ledger.gpus_count > 1 else "", "waiting": waiting, "n": count, "mean": mean, "spare": host.spare_ns,
        "calling": calling, "on_the_way": arguments.idle_ns, "placing": arguments.placing_ns,
        "number": f"{updating:,}", "share": updating / max(1, count),
    }  # fmt: skip
    mark, in_mark = idle.marked or ("", 0)
    marked = say(MARKED, of_it=in_mark, mark=mark) if in_mark > MOST_RATIO * waiting else ""
    zeroing = sum(ns for name, ns in idle.ns_by_mark.items() if name.startswith(ZEROES))
    fills = severity_of(zeroing, ledger.step_ns) is not None
    optimizer = updating >= max(MANY_COUNT, OPTIMIZER_RATIO * kernels.per_step_count)
    of_optimizer = say(OPTIMIZER, **told) if optimizer else ""
    placed = arguments.idle_ns / max(1, waiting)
    places = placed >= MOST_RATIO and arguments.steps_ratio > RECURRING_RATIO
    case = _places(waits, told) if places else _case(waits, idle, (marked, of_optimizer), told)
    # Before the only recorded step, nothing was launched; before others, the host has time for it.
    only = any(h.partial for h in steps.hosts)
    if count <= 1 and steps.source == "recording":
        return NotApplicable(ONE_LAUNCH)
    ahead = only and case.advice not in (PLACED, ONE_OP) and host.spare_ns >= waiting
    launching = {
        "the host could run ahead": ahead,
        "gradients are filled with zeros": bool(marked) and mark.startswith(ZEROES),
        "the optimizer launches most kernels": optimizer,
        "XLA compiles already": bool(facts and facts.jit_compile),
        "kernels are long": not small,
    }
    once = case.at_once_ns if steps.judged_count == 1 else 0
    kept = case.basis == BASIS_OF_ONE_STEP and severity_of(calling, ledger.step_ns)
    bound = host.spare_ns < SPARE_RATIO * ledger.step_ns
    beside = {DISPATCH: case.claims[DISPATCH]} if calling else {}
    return Found(
        title=case.title,
        summary=together(
            say(COULD_RUN_AHEAD if ahead else HOST_BOUND if bound else HOST_HAS_TIME, **told),
            _doing(waits, idle, torch),
            marked,
            say(FILLS, zeroing=zeroing) if fills and not marked else "",
            say(PLACES if places else "", KERNELS, "" if torch or not small else SHORT, **told),
            of_optimizer,
            say(SEEN_ONCE, longest=once) if once else "",
            say(CALLS if kept else "", TRACED if traced else "", **told),
        ),
        cause=case.cause,
        evidence=(
            *cost("Launch wait and Op dispatch", waiting, ledger.step_ns, "accounts Launch wait and Op dispatch"),
            Evidence("kernels per step and GPU", count, "count", None, "kernels of judged steps"),
            *([Evidence("of the waiting while arguments are placed", placed, "ratio", MOST_RATIO, "host events")] if places else []),
            Evidence("mean kernel", mean, "ns", int(LATENCY.value) if small else None, LATENCY.source),
        ),
        where=timeline.worst([DISPATCH, LAUNCH], "Launch wait and Op dispatch"),
        claims=case.claims,
        covers={} if places else waits | beside,
        basis=case.basis,
        once_ns=once and sum(case.claims.values()),
        severity="info" if ahead else None,
        confidence="low" if traced or ahead else "high" if small else "medium",
        advice=case.advice or next((name for name, holds in launching.items() if holds), ""),
        values={"gradients are filled": fills, "only updates": updating >= ONLY_RATIO * kernels.per_step_count, "convolutions": any(is_convolution(name) for row in kernels.rows for name in (row.op, row.name))},
    )  # fmt: skip


def _places(waits: Mapping[str, int], told: Mapping[str, Any]) -> _Case:
    """The call places its arguments again, which it does before it launches."""
    before = min(waits.get(DISPATCH, 0), told["placing"])
    claims = {DISPATCH: before, LAUNCH: min(waits.get(LAUNCH, 0), told["placing"] - before)}
    return _Case(say(CAUSE_PLACES, **told), BASIS_PLACES, claims, advice=PLACED)


def _case(waits: Mapping[str, int], idle: Idle, notes: tuple[str, str], told: Mapping[str, Any]) -> _Case:
    """What runs before few ops, or builds CUDA graphs, if that takes most of the waiting; else launching.

    ``notes``: sentences on what the program marks, and on the optimizer.
    """
    of_account = {a.account: a for a in idle.accounts if a.account in waits}
    seen = of_account[DISPATCH].seen if DISPATCH in of_account else ()
    (name, ns), most = seen[0] if seen else ("", 0), MOST_RATIO * told["waiting"]
    longest = max((a.longest_ns for a in of_account.values()), default=0)
    long = sum(a.long_ns for a in of_account.values())
    at_once = longest > most
    told = {**told, "longest": longest, "long": long, "limit": LONG_NS, "of_it": ns}
    if name == BUILDS_GRAPH and ns > most:
        cause = say(CAUSE_BUILDS_GRAPH, **told)
        return _Case(cause, BASIS_BUILDS_GRAPH, {DISPATCH: ns}, advice="CUDA graphs are built in each step")
    if name.startswith(BEFORE) and long > most:
        cause = say(CAUSE_ONE_OP if at_once else CAUSE_FEW_OPS, op=name.removeprefix(BEFORE), **told)
        title = "" if at_once else FEW_OPS
        return _Case(
            together(cause, notes[0]), BASIS_LONG, {DISPATCH: long}, longest if at_once else 0, ONE_OP, title
        )
    # What a GPU needs between kernels that are launched in time stays.
    stretches = of_account[LAUNCH].per_step_count if LAUNCH in of_account else 0.0
    stays = {LAUNCH: round(stretches * GAP_NS), DISPATCH: told["calling"]}
    claims = {account: max(0, ns - stays[account]) for account, ns in waits.items()}
    cause = together(say(CAUSE_AT_ONCE if at_once else CAUSE, **told), *notes)
    return _Case(cause, BASIS_OF_ONE_STEP if told["calling"] else BASIS, claims)


def _doing(waits: Mapping[str, int], idle: Idle, torch: bool) -> str:
    """Says what the host does meanwhile, and which op takes most of the time, if known."""
    launches, dispatch = waits.get(LAUNCH, 0), waits.get(DISPATCH, 0)
    seen = next((a.seen for a in idle.accounts if a.account == DISPATCH), ())
    op, of_it = seen[0] if seen else ("", 0)
    time = say(OF_THAT_NAMED if op else OF_THAT, dispatch=dispatch, op=op, of_it=of_it)
    of_launches = LAUNCHES if torch else LAUNCHES_AND_PAUSES
    return say(
        of_launches if launches and dispatch <= LAUNCHES_TOO * launches else "",
        (RUNS_TORCH if torch else RUNS_OPS) if dispatch else "",
        launches=launches,
        time=time,
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

RULE = declared(
    judge,
    thresholds=(LATENCY,),
    explained_by=_CAUSES,
    needs_cover=True,
    yields_to=_CAUSES,
    needs=("clocks", "launches"),
)
