"""What to change first, what is left to fix, what was recorded if it is no step, and what to run next."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_own_product, plain_kernel
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.artifacts.host.startup import MARKED_RATIO, MOSTLY_RATIO, Startup
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import LATE_RATIO, Steps
from tfperf_plugin.judging.engine.evidence_level import runs_once
from tfperf_plugin.judging.engine.run import Outcome, once_among
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, RECORD, count, listing, ms, percent, short_name
from tfperf_plugin.judging.verdicts import LOOKS_ONLY, Finding
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record

# The advice mentions nothing below this share of the step.
_WORTH_SAYING: Final = 0.05
# "Nothing to fix" requires that no account but compute holds this share of the step.
_UNSETTLED: Final = 0.10
# How programs are called that run a training step in one call.
_STEP: Final = re.compile(r"(?i)step|train|update")
_RECORD_LATER: Final = "Record later: steps 10 to 20 of the training."
_RECORD_STARTED: Final = "Record later, once the program has started up."
_RUN_LONGER: Final = "Record a longer run: this one mostly starts up, which a program does once."
# What a report judges if a program runs through once.
_RUN: Final = "run"
_RUN_REAL: Final = "Record the program at its real work, which launches kernels many times."
_RUN_MORE: Final = "Record a longer run, in which kernels run more than once."


class Headline(Record, frozen=True):
    """What a report begins with."""

    #: What was recorded in place of steps of GPUs, or "".
    recorded: str
    #: What to change first.
    advice: str
    #: What one step of the report is: "step", or a call; "" if what was recorded is no step of training.
    unit: str = ""
    #: Whether nothing is left to fix, as far as that can be told at all.
    settled: bool = False
    #: The command that tells what limits most of the step, if only that is left to find out; else "".
    measure: str = ""


def headline(
    outcome: Outcome,
    devices: Devices,
    steps: Steps,
    ledger: Ledger | None,
    startup: Startup | None,
    facts: TrainingFacts | None,
    program: Program,
    capture: Capture,
    bounds: Bounds | None,
    kernels: Kernels | None,
    idle: Idle | None,
) -> Headline:
    """What the report begins with."""
    called = _called(steps, facts.steps_per_execution if facts else None)
    # A program that runs through once has no later steps.
    single = steps.source == "recording" and not program.framework
    once = ledger is not None and runs_once(steps, program, kernels)
    later = _RECORD_LATER if program.training else _RECORD_STARTED
    recorded = _recorded(steps, ledger.step_ns) if ledger else ""
    started = ms(startup.ns) if startup else ""
    new_ns = sum(account.first_ns for account in idle.accounts) if idle else 0
    cases = (
        (
            devices.unseen("starting"),
            f"The recording ends while GPUs are still being started: {recorded} are no step of training.",
            "Record later, after the first steps, when all GPUs are at work.",
        ),
        (
            startup and startup.mostly,
            f"Start-up, which later steps do not have, takes {started} of {recorded}."
            f"{_beside_startup(startup, ledger)}",
            _RUN_LONGER if single else later,
        ),
        (
            startup and not single and _outweighs(startup, outcome),
            f"Of {recorded}, {started} are start-up, which later steps do not have. That is more "
            "than the first finding would save.",
            later,
        ),
        (
            ledger and new_ns >= MOSTLY_RATIO * max(1, ledger.step_ns),
            f"Before kernels that run for the first time, the GPUs idle for {ms(new_ns)} of {recorded}; "
            "later steps may not have that.",
            _RUN_MORE if single else later,
        ),
        (
            once and ledger and kernels and _mostly_idle(outcome, ledger),
            _launched(steps, kernels) if once and kernels else "",
            _RUN_REAL,
        ),
    )
    no_step = next(((where, advice) for holds, where, advice in cases if holds), None)
    if ledger and no_step:
        return Headline(*no_step)
    hidden = unjudged(ledger, bounds, kernels, program)
    what = _RUN if once else "call" if called else "step"
    advice = _first(outcome, ledger, what, hidden)
    settled = _is_settled(outcome, ledger)
    command = measure(hidden, program, capture) if settled and hidden else ""
    return Headline(
        "" if ledger else _without_ledger(devices, outcome.on_cpu),
        f"{advice} To find out, run the command below." if command else advice,
        "" if no_step else _RUN if once else _unit(steps, called),
        settled and not hidden and not no_step,
        command,
    )


def _recorded(steps: Steps, ns: int) -> str:
    """What is judged of a recording; with its start, if the host was recorded long before."""
    begin, end = int(steps.hosts[0].begin_ns[0]), int(steps.hosts[0].end_ns[0])
    late = steps.source == "recording" and begin >= LATE_RATIO * end
    return f"the {ms(ns)} {f'from {ms(begin)} of the recording on' if late else 'that were recorded'}"


def _mostly_idle(outcome: Outcome, ledger: Ledger) -> bool:
    """Whether the GPUs compute less than half of the time, and nothing is to be changed."""
    computing = sum(ns for account, ns in ledger.average().items() if account.startswith("compute"))
    return computing < MOSTLY_RATIO * ledger.step_ns and all(f.severity == "info" for f in outcome.findings)


def _launched(steps: Steps, kernels: Kernels) -> str:
    """What little a program did that ran once, and what came before."""
    number, before = round(kernels.per_step_count), int(steps.hosts[0].host_begin_ns[0])
    return (
        f"The program launches {count(number, 'kernel')}, once, which {'runs' if number == 1 else 'run'} for "
        f"{ms(kernels.total_ns)}; {ms(before)} of start-up come before."
    )


def _beside_startup(startup: Startup | None, ledger: Ledger | None) -> str:
    """What takes most of the time that is not start-up, if it is not compute."""
    if not startup or not ledger:
        return ""
    (account, ns), rest = _largest(ledger), ledger.step_ns - startup.ns
    said = f" Of the other {ms(rest)}, {ACCOUNT_WORDS[account]} takes {ms(ns)}."
    return said if ns > MOSTLY_RATIO * rest else ""


def _outweighs(startup: Startup, outcome: Outcome) -> bool:
    """Whether start-up takes longer than what the first finding would save.

    Other waiting of such a step may be a first time, too.
    """
    first = outcome.findings[0].saving if outcome.findings else None
    return startup.marked and first is not None and startup.ns > first.ns


def _called(steps: Steps, steps_per_call: int | None) -> int | None:
    """Training steps in one step of the report, if there are several.

    The host marks whole calls of the step's function; a period of kernels may be a single step.
    """
    several = steps_per_call is not None and steps_per_call > 1 and steps.source != "period"
    return steps_per_call if several else None


def _unit(steps: Steps, called: int | None) -> str:
    if called:
        return f"call of {called} training steps"
    name = next((h.marker_name for h in steps.hosts if len(h)), "")
    if steps.source in ("jit_calls", "modules") and not _STEP.search(name):
        return f"call of {name}"
    return "step"


def _without_ledger(devices: Devices, on_cpu: bool) -> str:
    if on_cpu:
        return "The model ran on the CPU, not on a GPU."
    if devices.participating:
        return "This profile does not tell where a training step begins."
    if any(device.events_count for device in devices.all):
        return "No kernel was recorded on the GPUs."
    if devices.all:
        return "Nothing was recorded on the GPUs."
    if devices.accelerators:
        kinds = listing([f"{kind}s" for kind in sorted(devices.accelerators)])
        return f"This profile is of {kinds}, which are not judged here: what follows is about the host only."
    return "No GPU was recorded: this profile shows the host only."


def _largest(ledger: Ledger) -> tuple[str, int]:
    """The largest account other than compute and start-up, of which a note tells, and its ns on average."""
    accounts = ledger.average().items()
    return max(((a, ns) for a, ns in accounts if a not in ("compute", "idle.startup")), key=lambda x: x[1])


def _spent(ledger: Ledger, account: str, ns: int) -> tuple[str, str]:
    """How much "goes" to an account: its share of the average step, or its time in the only step with it."""
    once = once_among(ledger, account)
    if once is None:
        return percent(ns / max(1, ledger.step_ns)), "goes"
    share, count = once
    return ms(round(share * count * ns)), f"went once, in one of {count} steps,"


def _first(outcome: Outcome, ledger: Ledger | None, what: str, hidden: Unjudged | None) -> str:
    first = outcome.findings[0] if outcome.findings else None
    if first is None or first.severity == "info":
        return _nothing(outcome, ledger, what, hidden)
    if first.saving is None or first.id in LOOKS_ONLY:
        return f"Look first at this: {first.title}. {first.summary}"
    if first.saving.once_ns:
        return f"Look first at this: {first.title}. It was seen once, for {ms(first.saving.once_ns)}."
    bound = "up to " if first.saving.bound else "about "
    of, rare = ("", "") if first.saving.accounts else (" of a usual one", f", averaged over all {what}s")
    return (
        f"Change first: {first.action or first.title}. That would bring {bound}{ms(first.saving.ns)} "
        f"per {what} ({percent(first.saving.ratio)}{of}){rare}."
    )


def _nothing(outcome: Outcome, ledger: Ledger | None, what: str, hidden: Unjudged | None) -> str:
    """The advice if no finding is a warning or critical."""
    doubt = _doubt(outcome)
    if ledger is None and outcome.on_cpu:
        return "No check of the CPU's work found anything worth a change."
    if ledger is None:
        mend = f" {doubt.title}. {doubt.fix.summary}" if doubt else ""
        return f"Step times cannot be judged.{mend}"
    if doubt and doubt.severity == "critical":
        return f"{doubt.title}, so what takes the time of a {what} cannot be told. {doubt.action}."
    startup_ns = ledger.average()["idle.startup"]
    recurs = what != _RUN
    if recurs and startup_ns >= MARKED_RATIO * ledger.step_ns:
        return (
            f"Record later, steps 10 to 20: {ms(startup_ns)} of this {what} are start-up "
            "that later ones do not have."
        )
    if recurs and _is_unexplained(outcome, ledger):
        much, goes = _spent(ledger, *_largest(ledger))
        return (
            f"No check explains the {much} that {goes} to {ACCOUNT_WORDS[_largest(ledger)[0]]}; "
            f"look at {'one' if goes == 'goes' else 'that'} {what} in the trace."
        )
    unsure = next((f for f in outcome.findings if f.saving and f.saving.ratio >= _WORTH_SAYING), None)
    if unsure and unsure.saving:
        much = percent(unsure.saving.ratio)
        told = f"Nothing above 5 % of a {what} is certain; up to {much} may go with this: {unsure.title}."
    elif doubt:
        title = doubt.title[:1].lower() + doubt.title[1:] if doubt.title[1:2].islower() else doubt.title
        told = f"Nothing above 5 % of a {what} was found, as far as this capture tells ({title})."
    elif hidden:
        told = f"Nothing above 5 % of a {what} was found."
    else:
        told = f"Nothing to fix above 5 % of a {what}."
    return f"{told} {hidden.sentence}" if hidden else told


def _is_settled(outcome: Outcome, ledger: Ledger | None) -> bool:
    """Whether nothing is left to fix, as far as that can be told at all."""
    if ledger is None or _doubt(outcome) or any(f.severity != "info" for f in outcome.findings):
        return False
    return not _is_unexplained(outcome, ledger)


def _doubt(outcome: Outcome) -> Finding | None:
    """The first doubt about the capture."""
    return next((note for note in outcome.trust if note.severity != "info"), None)


def _is_unexplained(outcome: Outcome, ledger: Ledger) -> bool:
    """Whether an account other than compute holds much of the step, and no finding says why."""
    savings = [finding.saving for finding in outcome.findings if finding.saving]
    account, ns = _largest(ledger)
    unexplained = ns - sum(saving.accounts.get(account, 0) for saving in savings)
    return unexplained >= (_UNSETTLED if savings else _WORTH_SAYING) * max(1, ledger.step_ns)


# --------------------------------------------------------------------- kernels without a known limit

# From this share of the step on, kernels without a known limit forbid "nothing to fix".
_MOST: Final = 0.5
# The name of a kernel's function, as commands take it.
_FUNCTION: Final = re.compile(r"\b[A-Za-z_]\w{0,199}(?=<|$)", re.ASCII)


class Unjudged(Record, frozen=True):
    """Kernels that take most of the step and of which nobody knows how fast they could be."""

    ratio: float  # their share of the step
    kernel: str  # the one with most time
    kernel_ratio: float  # its share of the time of compute kernels, as in the table of kernels
    library: str  # the one that would do what its name says, "" if none is known

    @property
    def sentence(self) -> str:
        """How much of the step it is, and in which kernel."""
        from tfperf_plugin.judging.rules.one_gpu.dominant_op import BY_HAND

        text = (
            f"Of the kernels that take {percent(self.ratio)} of the step, this profile does not tell how "
            f"fast they could be; {short_name(self.kernel)} alone takes {percent(self.kernel_ratio)} of "
            "compute."
        )
        return f"{text} {BY_HAND.format(library=self.library)}" if self.library else text


def unjudged(
    ledger: Ledger | None, bounds: Bounds | None, kernels: Kernels | None, program: Program
) -> Unjudged | None:
    """``None`` if kernels without a known limit take less than half of the step."""
    if ledger is None or bounds is None or kernels is None:
        return None
    ratio = ledger.average()["compute"] * (1 - (bounds.judged_ratio or 0.0)) / max(1, ledger.step_ns)
    unknown = {plain_kernel(op.kernel) for op in bounds.ops.values() if op.not_judged}
    times = Counter[str]()
    for row in kernels.rows:
        times[plain_kernel(row.name)] += row.times.total_ns
    if ratio < _MOST or not unknown:
        return None
    kernel = max(sorted(unknown), key=times.__getitem__)
    by_hand = is_own_product(kernel) and not any(r.op for r in kernels.rows if plain_kernel(r.name) == kernel)
    return Unjudged(
        ratio, kernel, times[kernel] / max(1, kernels.total_ns), program.product_library if by_hand else ""
    )


def measure(found: Unjudged, program: Program, capture: Capture) -> str:
    """The command that tells what limits these kernels: with the sizes of tensors, else for one kernel."""
    if program.framework == "PyTorch" and "shapes" in capture.lacks:
        return record_again(program, "")
    name = _FUNCTION.search(found.kernel)
    what = "python train.py" if program.training else "python PROGRAM" if program.framework else "PROGRAM"
    if program.amd:
        return f"rocprof-compute profile --name limits {f'--kernel {name[0]} ' if name else ''}-- {what}"
    return f"ncu --set full {f'--kernel-name regex:{name[0]} ' if name else ''}--launch-count 1 {what}"


_NSIGHT: Final = "nsys profile --trace=cuda,nvtx PROGRAM"
_OTHERS: Final = "tfperf record --after-seconds 30 -- python PROGRAM"


def record_again(program: Program, recorder: str) -> str:
    """With tfperf, unless the program is only known to run under Nsight Systems."""
    if program.training:
        return RECORD
    return _NSIGHT if recorder == "Nsight Systems" and not program.framework else _OTHERS
