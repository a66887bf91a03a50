"""The training is kernel-launch-bound: the GPU waits for the host to launch kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.arguments import Arguments
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpus, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras
from tfperf_plugin.recording.record import TrainingFacts

WAIT = Threshold("waiting for launches", 0.01, "ratio", "lowest severity; XProf: 3 % moderate, 15 % high")
# Placing arguments is the cause if it covers this share of the waiting in more than this share of the steps.
PLACING_RATIO: Final = 0.5
RECURRING_RATIO: Final = 0.5
LATENCY = Threshold(
    "mean kernel",
    40_000,
    "ns",
    "guide: a launch takes the host 20 to 40 µs; shorter kernels starve the GPU",
    side="≤",
)
# If the host idles for this share of the step while GPUs work, it does not limit the whole step.
# More of the waiting than this in one stretch is said.
_AT_ONCE_RATIO = 0.5
# A GPU needs about this long from one kernel to the next, however early both are launched.
_BETWEEN_KERNELS_NS: Final = 1_000
_SPARE_RATIO = 0.1


def judge(
    ledger: Ledger,
    kernels: Kernels,
    idle: Idle,
    arguments: Arguments,
    capture: Capture,
    timeline: Timeline,
    facts: TrainingFacts | None,
    host: HostPass,
) -> Verdict:
    """Compares GPU idle time while the host launches, or runs the ops that launch, with the step."""
    average = ledger.average()
    claims = {account: average[account] for account in ("idle.launch", "idle.dispatch") if average[account]}
    waiting = sum(claims.values())
    share = waiting / max(1, ledger.step_ns)
    several = ledger.gpus_count
    calling = min(idle.calling_ns, claims.get("idle.dispatch", 0))
    if share < WAIT.value:
        return Passed(f"GPUs wait for the host to launch kernels during {percent(share)} of the step.")
    launches = sum(r.count for r in kernels.rows)
    mean = kernels.total_ns // max(1, launches)
    small = mean <= LATENCY.value
    saved = _launched_in_time(claims, idle) | (
        {"idle.dispatch": claims["idle.dispatch"] - calling} if calling else {}
    )
    traced = capture.python_events_per_step > 0
    placed = arguments.idle_ns / waiting
    places = placed >= PLACING_RATIO and arguments.steps_ratio > RECURRING_RATIO
    return Found(
        summary=(
            f"{_how_far(ledger, host)} the {gpus(several)} idle for {ms(waiting)} of it "
            f"while the host {_doing(claims, idle)}. "
            + (
                f"For {ms(arguments.idle_ns)} of it arguments of the call are on their way to the {'GPU' if several == 1 else 'GPUs'} again. "
                f"For {ms(arguments.placing_ns)} the call does nothing else: only that is counted as saved. "
                if places
                else ""
            )
            + f"A step has {count(round(kernels.per_step_count), 'kernel')} on {'each' if several > 1 else 'the'} GPU, {ms(mean)} long on average"
            + (
                ": no longer than a launch, which takes the host 20 to 40 µs, says TensorFlow's guide."
                if small
                else "."
            )
            + (
                f" Calling the step's function and returning from it takes {ms(calling)}, whatever the step launches."
                if calling >= WAIT.value * ledger.step_ns
                else ""
            )
            + (
                " Python calls were traced, which slows launching down compared with training."
                if traced
                else ""
            )
        ),
        evidence=(
            Evidence(
                "Launch wait and Op dispatch",
                waiting,
                "ns",
                int(WAIT.value * ledger.step_ns),
                "accounts Launch wait and Op dispatch",
            ),
            Evidence("share of the step", share, "ratio", WAIT.value, "step budget"),
            Evidence(
                "kernels per step and GPU",
                round(kernels.per_step_count),
                "count",
                None,
                "kernels of judged steps",
            ),
            *(
                (
                    Evidence(
                        "of the waiting while arguments are placed",
                        placed,
                        "ratio",
                        PLACING_RATIO,
                        "host events",
                    ),
                )
                if places
                else ()
            ),
            Evidence("mean kernel", mean, "ns", int(LATENCY.value) if small else None, LATENCY.source),
        ),
        where=timeline.worst(["idle.dispatch", "idle.launch"], "Launch wait and Op dispatch"),
        claims=_placing(claims, arguments.placing_ns) if places else saved,
        covers={} if places else claims | ({"idle.dispatch": saved["idle.dispatch"]} if calling else {}),
        basis="all time in which a GPU is idle while the call places its arguments, before it executes"
        if places
        else "all time in which a GPU is idle while the host launches its next kernel or runs the ops up to it, less "
        "a microsecond for each stretch, which a GPU needs between kernels anyway"
        + (", without calling the step's function and returning from it" if calling else ""),
        confidence="low" if traced else "high" if small else "medium",
        title=_PLACES_ARGUMENTS if places else None,
        action="Place arguments on the GPUs once"
        if places
        else ""
        if small
        else "Let the host do less work in each step",
        cause=f"For {ms(arguments.placing_ns)} of a step the {gpus(several)} idle while the call places its arguments on "
        f"{'it' if several == 1 else 'them'} again, before it executes."
        if places
        else f"The {gpus(several)} idle for {ms(waiting)} of a step while the host prepares and launches "
        f"{count(round(kernels.per_step_count), 'kernel')}{' for each' if several > 1 else ''}, {ms(mean)} long on average"
        f"{_at_once(claims, idle, waiting)}.",
        fix=_PLACED_ONCE if places else _COMPILED if facts and facts.jit_compile else None,
    )


def _placing(claims: Mapping[str, int], placing_ns: int) -> dict[str, int]:
    """The part of the waiting in which arguments are placed, which the host does before it launches."""
    before = min(claims.get("idle.dispatch", 0), placing_ns)
    return {"idle.dispatch": before, "idle.launch": min(claims.get("idle.launch", 0), placing_ns - before)}


def _launched_in_time(claims: Mapping[str, int], idle: Idle) -> dict[str, int]:
    """The waiting without what a GPU needs between kernels that are launched in time."""
    stretches = next((a.per_step_count for a in idle.accounts if a.account == "idle.launch"), 0.0)
    stays = round(stretches * _BETWEEN_KERNELS_NS)
    return {a: max(0, ns - stays) if a == "idle.launch" else ns for a, ns in claims.items()}


def _at_once(claims: Mapping[str, int], idle: Idle, waiting: int) -> str:
    """The longest stretch if it is most of the waiting: then one call is slow, not launching as such."""
    longest = max((one.longest_ns for one in idle.accounts if one.account in claims), default=0)
    return f"; the longest stretch alone takes {ms(longest)}" if longest > _AT_ONCE_RATIO * waiting else ""


def _how_far(ledger: Ledger, host: HostPass) -> str:
    """Whether the host limits the whole step or only a part of it: the begin of a sentence."""
    if host.spare_ns < _SPARE_RATIO * ledger.step_ns:
        return "The step is host-bound:"
    spare = ms(host.spare_ns)
    work = "the GPU works" if ledger.gpus_count == 1 else "the GPUs work"
    return f"The host launches nothing for {spare} of a step while {work}, so it limits only a part of it:"


def _doing(claims: Mapping[str, int], idle: Idle) -> str:
    """What the host does meanwhile, with the op that it spends most of the time on, if known."""
    launches, dispatch = claims.get("idle.launch", 0), claims.get("idle.dispatch", 0)
    seen = next((a.seen for a in idle.accounts if a.account == "idle.dispatch"), ())
    before = f", {ms(seen[0][1])} of it {seen[0][0]}" if seen else ""
    ops = f"runs the step's ops ({ms(dispatch)}{before})"
    if not launches or dispatch > 10 * launches:
        return ops
    return (
        f"launches the next kernels ({ms(launches)}) and {ops}" if dispatch else "launches the next kernels"
    )


_SNIPPETS = (
    keras("ds = ds.unbatch().batch(2 * batch_size)"),
    custom_loop("flat = tf.concat([tf.reshape(t, [-1]) for t in tensors], 0)  # one op instead of many"),
)
_PLACES_ARGUMENTS = "Arguments copied to the GPUs in each call"
_PLACED_ONCE = Fix(
    summary="Place arguments on the GPUs once, with the sharding that the call expects: jax.device_put(x, sharding).",
    actions=(
        "Place constant arguments before the loop: jax.device_put(x, sharding), with the sharding that the compiled function expects.",
        "Create batches with that sharding, ahead of the step, instead of on the first GPU.",
        "Pass the results of a call on to the next one unchanged: out_shardings equal to in_shardings.",
    ),
    snippets=(
        jax(
            "sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())  # as the function wants x\n"
            "x = jax.device_put(x, sharding)  # once, before the loop"
        ),
    ),
)
_COMPILED = Fix(
    summary="The training recorded jit_compile=True: XLA fuses kernels already. Give each launch more work.",
    actions=(
        "Use a larger batch, if memory and convergence allow it.",
        "Replace loops over small tensors by one vectorized op; concatenate small tensors.",
        "Run several steps per call: steps_per_execution in compile, or a loop inside the tf.function.",
    ),
    snippets=_SNIPPETS,
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
)

RULE = declared(judge, thresholds=(WAIT, LATENCY), explained_by=_CAUSES, needs_cover=True, yields_to=_CAUSES)
