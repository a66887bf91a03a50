"""GPUs of one host start the same step one after another."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.communication.step_starts import HostStarts, Starts
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Evidence, Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpu, say, together, with_name
from tfperf_plugin.recording.record import TrainingFacts

SPREAD = Threshold(
    "spread of first kernels", 0.02, "ratio", "2 % of the step: below it launch jitter is normal"
)
EXPLAINED = Threshold(
    "share that late launches must explain", 0.80, "ratio", "a cause that covers less is not named"
)

ONE_GPU = "Fewer than two GPUs of one host ran the same step."
STARTING = "The recording ends while GPUs are still being started: it does not show how far apart they begin a usual step."
LATE = "Launch skew: {gpu}"
CLOSE = "First kernels of a step lie {spread:ms} apart, {share:percent} of the step."
BY_INPUT = (
    "First kernels of a step lie {spread:ms} apart, because the last GPU waits {input:ms} of that for its input: input-bound "
    "judges this."
)
BY_WORK = "First kernels of a step lie {spread:ms} apart, because the last GPU has other work for {work:ms} of that."
ALONE_LATE = "On {host}, {last} starts its first kernel {spread:ms} after the others, which start together."
ONE_STEP = "On {host}, {last} starts its first kernel {spread:ms} after {first} ({order})."
STARTS = "On {host}, {last} starts its first kernel {spread:ms} after {first}, {how} ({order})."
HOW: Final = {
    "fixed": "always in the same order", "rotating": "in rotating order", "none": "in no fixed order",
}  # fmt: skip
PRIVATE_LATE = (
    "Each GPU already has launch threads of its own (TF_GPU_THREAD_MODE=gpu_private), but those of the late GPUs begin to "
    "launch that much later."
)
PRIVATE = "Each GPU already has launch threads of its own (TF_GPU_THREAD_MODE=gpu_private)."
NOT_RECORDED = "Launches are not recorded, so the cause is unknown."
NOT_LAUNCHES = "The host's launches lie only {launch:ms} apart; what delays the late GPUs is not recorded."
ONE_THREAD = "One host thread launches for all of them, one GPU after another."
SEVERAL_THREADS = "Several host threads launch for them and begin that far apart."
CAUSE_ONE_THREAD = "One host thread launches for all {n} GPUs, so {last} starts {spread:ms} after {first} in the median step."
BASIS = "time in which a GPU is idle, or waits in AllReduce, only because the GPUs did not start the step together"
TOGETHER: Final = "Launch for all GPUs at the same time"
THREAD_COUNT: Final = "TF_GPU_THREAD_COUNT"


def judge(
    starts: Starts, ledger: Ledger, devices: Devices, program: Program, facts: TrainingFacts | None
) -> Verdict:
    """Compares the spread of first kernels with the step, and with the spread of launches."""
    if not starts.hosts:
        return NotApplicable(ONE_GPU)
    if devices.unseen("starting"):
        return NotApplicable(STARTING)
    host = max(
        starts.hosts, key=lambda h: (_median(h.spread_ns - h.input_spread_ns - h.busy_spread_ns), h.host)
    )
    spread, step_ns = _median(host.spread_ns), max(1, _median(host.step_ns))
    limit = int(SPREAD.value * step_ns)
    if spread < limit:
        return Passed(say(CLOSE, spread=spread, share=spread / step_ns))
    by_input = _median(host.input_spread_ns)
    if by_input >= EXPLAINED.value * spread:
        return Passed(say(BY_INPUT, spread=spread, input=by_input))
    by_work = _median(host.busy_spread_ns)
    if by_input + by_work >= EXPLAINED.value * spread:
        return Passed(say(BY_WORK, spread=spread, work=by_work))
    named = devices.private_threads.get(host.host, False)
    private = named or bool(facts and facts.private_threads)
    launch = None if host.launch_spread_ns is None else _median(host.launch_spread_ns)
    launched_late = launch is not None and launch >= EXPLAINED.value * spread
    one_late, explained = _one_late(host), int(EXPLAINED.value * spread)
    late = gpu(host.start_order[-1]) if one_late else "the late GPUs"
    recorded = private and not named
    mode = "TF_GPU_THREAD_MODE, recorded by the training" if recorded else "thread names tf_gpu_private_*"
    why, case, action = _launches(host, launch, launched_late, private, late, program, facts)
    return Found(
        title=say(LATE, gpu=gpu(host.start_order[-1])) if one_late else "",
        summary=together(_start_sentence(host, spread, one_late), why),
        evidence=(
            Evidence("Launch skew, median", spread, "ns", limit, "first kernel of each GPU and step"),
            Evidence("steps compared", len(host.step), "count", None, "steps in which all GPUs took part"),
            *([Evidence("between launches, median", launch, "ns", explained, "first launch for each GPU and step, through correlation ids")] if launch is not None else []),
            *([Evidence("host threads that launch first", _threads(host), "text", None, "first launch for each GPU, through correlation ids")] if host.one_thread is not None else []),
            *([Evidence("of the skew, waiting for input", by_input, "ns", explained, "account Input wait of the last GPU, median")] if by_input else []),
            Evidence("idle while a sibling is in the step", host.cost_ns, "ns", None, "account Launch skew, per step and GPU"),
            Evidence("waiting in AllReduce for late GPUs", host.wait_ns, "ns", None, "account Straggler wait, per step and GPU"),
            Evidence("launch threads private to a GPU", "yes" if private else "no", "text", None, mode),
        ),
        where=_places(host),
        claims=_claims(starts, ledger),
        basis=BASIS,
        confidence="high" if launched_late and len(host.step) > 1 else "medium",
        advice=case,
        action=action,
        cause=_one_thread_cause(host, spread) if launched_late and host.one_thread else "",
    )  # fmt: skip


def _median(values: npt.NDArray[np.int64]) -> int:
    return int(np.median(values))


def _one_late(host: HostStarts) -> bool:
    """Whether the same GPU comes last in most steps, and all others start together."""
    late = host.first_ns - host.first_ns.min(axis=0)
    last = int(np.median(late, axis=1).argmax())
    others = np.delete(late, last, axis=0).max(axis=0)
    often = float((late.argmax(axis=0) == last).mean()) >= EXPLAINED.value
    return len(host.names) > 2 and often and _median(others) < SPREAD.value * _median(host.step_ns)


def _start_sentence(host: HostStarts, spread: int, one_late: bool) -> str:
    order = [gpu(name) for name in host.start_order]
    told = {
        "host": host.host,
        "last": order[-1],
        "spread": spread,
        "first": order[0],
        "order": ", ".join(order),
    }
    return say(
        ALONE_LATE if one_late else ONE_STEP if len(host.step) == 1 else STARTS, how=HOW[host.order], **told
    )


def _launches(
    host: HostStarts, launch: int | None, launched_late: bool, private: bool, late: str,
    program: Program, facts: TrainingFacts | None,
) -> tuple[str, str, str]:  # fmt: skip
    """Why GPUs start late, as far as launches tell: a sentence, the case of the page, which never names a setting
    that is set already, and the action, "" for the page's: only TensorFlow's launch threads can be given to GPUs."""
    find_out = with_name("Find out what delays {}", late)
    if not launched_late:
        said = NOT_RECORDED if launch is None else say(NOT_LAUNCHES, launch=launch)
        return together(said, PRIVATE if private else ""), "launches do not explain it", find_out
    if not private:
        counted = facts is not None and facts.thread_count is not None
        return (
            ONE_THREAD if host.one_thread else SEVERAL_THREADS,
            "the number of threads is set" if counted else "",
            TOGETHER if program.framework in ("JAX", "PyTorch") else "",
        )
    if host.one_thread:
        return together(ONE_THREAD, PRIVATE), "one thread launches for all", TOGETHER
    # "": the training recorded its environment, and the variable was not set.
    unset = facts is not None and facts.variable(THREAD_COUNT) == ""
    return PRIVATE_LATE, "threads are private, two for each GPU" if unset else "threads are private", find_out


def _one_thread_cause(host: HostStarts, spread: int) -> str:
    """One sentence with the thread, the GPUs and their distance."""
    first, last = gpu(host.start_order[0]), gpu(host.start_order[-1])
    if host.order != "fixed":
        first, last = "the first one", "the last GPU"
    return say(CAUSE_ONE_THREAD, n=len(host.names), last=last, spread=spread, first=first)


def _threads(host: HostStarts) -> str:
    """The thread that launches first for most steps of each GPU, in the GPUs' order of start."""
    codes = {name: int(np.bincount(host.thread[i]).argmax()) for i, name in enumerate(host.names)}
    if len(set(codes.values())) == 1:
        return f"{host.threads[codes[host.names[0]]]} for all"
    return ", ".join(f"{gpu(name)}: {host.threads[codes[name]]}" for name in host.start_order)


def _claims(starts: Starts, ledger: Ledger) -> dict[str, int]:
    average, hosts = ledger.average(), max(1, len(ledger.hosts))
    idle, wait = sum(h.cost_ns for h in starts.hosts) // hosts, sum(h.wait_ns for h in starts.hosts) // hosts
    return {
        "idle.stagger": min(average["idle.stagger"], idle),
        "communication.wait": min(average["communication.wait"], wait),
    }


def _places(host: HostStarts) -> tuple[Place, ...]:
    last = [host.names[i] for i in host.first_ns.argmax(axis=0)]
    return tuple(
        Place(
            host.host, int(host.first_ns[:, k].min()) / 1e6, int(host.first_ns[:, k].max()) / 1e6,
            f"{gpu(last[k])} has not started yet", last[k], None, int(host.number[k]),
        )
        for k in np.argsort(-host.spread_ns, kind="stable")[:PLACES_COUNT].tolist()
    )  # fmt: skip


RULE = declared(
    judge, thresholds=(SPREAD, EXPLAINED),
    explained_by=("gpus-run-serially", "pipeline-bubble"), yields_to=("pipeline-bubble",),
    needs=("clocks", "other GPUs"),
)  # fmt: skip
