"""What a trial will do and what is expected of it, written before the first launch and never changed."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.proof import files
from tfperf_plugin.proof.code import Code
from tfperf_plugin.proof.effect import LEAST_LAUNCHES, QUICK_LAUNCHES, RARE, rounds
from tfperf_plugin.recording.switches import parts
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.projection import likely, published_error
from tfperf_plugin.version import __version__

PLAN: Final = "plan.json"
PLAN_VERSION: Final = 1
MOST_A_SIDE: Final = 100
AFTER: Final = 30
STEPS: Final = 80
"""Eight windows of ten steps, of which the 10th percentile is taken."""
QUICK_AFTER: Final = 20
QUICK_STEPS: Final = 40


class Side(Record, frozen=True):
    """How one side is launched."""

    command: tuple[str, ...]
    environment: dict[str, str]  # the variables that were given, in addition to the user's own
    commit: str = ""  # checked out for it beside the work tree; "" for the files as they lie there
    switches: tuple[str, ...] = ()  # changes that tfperf makes in the training, see ``recording.switches``


class Prediction(Record, frozen=True):
    """What the report of a run foretells for one of its findings, as shares of the step as it was."""

    finding: str
    run: str
    #: The range of the step without the cause.
    low: float
    high: float
    least: float  # no step without the cause can be shorter if the saving is a bound, else 0
    basis: str  # what the range rests on


class Plan(Record, frozen=True):
    """What a trial will do."""

    version: int
    tool_version: str
    written: str
    order: str  # the sides of all launches, such as "ABBA…"
    a: Side
    b: Side
    aa: bool  # nothing differs, to know the noise
    finding: str
    of: str  # hash of the run with the finding, "" without one
    prediction: Prediction | None
    statistic: Literal["tenth percentile", "mean"]  # of a launch's windows, see ``effect.level``
    after: int  # training steps that pass before a launch is measured
    steps: int  # training steps that it is measured for
    code: Code  # the source as it lay there
    batch: int | None = None  # examples a step, stated for launches that do not say it

    @property
    def quick(self) -> bool:
        """Whether six launches are all."""
        return len(self.order) == 2 * QUICK_LAUNCHES

    @property
    def differs(self) -> frozenset[str]:
        """The guards that the switches change on purpose."""
        return frozenset(name for text in self.b.switches for name in parts(text)[0].differs)

    @property
    def key(self) -> str:
        """Hash of what is tried, whatever its order."""
        return files.hash_of(files.encode(_timeless(self)))


def make(
    a: Side,
    b: Side,
    code: Code,
    *,
    finding: str = "",
    of: str = "",
    prediction: Prediction | None = None,
    repeat: int | None,
    after: int,
    steps: int,
    batch: int | None = None,
) -> Plan:
    """A plan with ``repeat`` launches a side, or a quick one, in random order. Raises BadOptionError."""
    if repeat is not None and (not LEAST_LAUNCHES <= repeat <= MOST_A_SIDE or repeat % 2):
        raise BadOptionError(
            f"--repeat must be an even number from {LEAST_LAUNCHES} to {MOST_A_SIDE}, not {repeat}."
        )
    return Plan(
        version=PLAN_VERSION,
        tool_version=__version__,
        written=files.now(),
        order="".join(rounds(repeat or QUICK_LAUNCHES, random.SystemRandom())),
        a=a,
        b=b,
        aa=a == b,
        finding=finding,
        of=of,
        prediction=prediction,
        statistic="mean" if finding in RARE else "tenth percentile",
        after=after,
        steps=steps,
        code=code,
        batch=batch,
    )


def settle(plan: Plan, folder: Path) -> Plan:
    """The plan in ``folder``, which is written first if there is none.

    Raises:
        BadOptionError: there is another plan, or nothing can be written.
        UnreadableInput: the file is damaged.
    """
    path = folder / PLAN
    found = files.read(path, Plan, "Name another folder with --out.")
    if found is None:
        files.write_new(path, files.encode(plan))
        return plan
    if found.key != plan.key:
        old, new = _timeless(found), _timeless(plan)
        name = next(name for name in Plan.__struct_fields__ if getattr(old, name) != getattr(new, name))
        raise BadOptionError(
            f"{folder} holds another plan: {name} differs. Plans are never changed, and "
            "launches of several never put together: name another folder with --out."
        )
    return found


def _timeless(plan: Plan) -> Plan:
    return replace(plan, written="", order="".join(sorted(plan.order)))


def predict(report: Report, id_: str) -> Prediction | None:
    """What ``report`` foretells for the finding ``id_``; None if it gives no saving for it.

    Raises BadOptionError if it has no such finding.
    """
    finding = find(report, id_)
    saving = finding.saving
    # What lies in a single recorded step says nothing of the average of other steps.
    if saving is None or saving.once_ns or report.ledger is None or not report.ledger.step_ns:
        return None
    step_ns, error = report.ledger.step_ns, published_error()
    measured = (
        f"by how much nine of ten of {error.runs} such predictions for simulated runs were off; on real GPUs "
        "this was not measured"
        if error
        else "how good such predictions are was not measured"
    )
    # What rare long steps cost, and what another finding explains, is in no projection of the usual step.
    after = finding.after or likely(step_ns - saving.ns, step_ns)
    low, high = after.low_ns / step_ns, after.high_ns / step_ns
    return Prediction(
        finding=id_,
        run=report.run,
        low=low,
        high=high,
        least=min(low, 1 - saving.ns / step_ns) if saving.bound else 0.0,
        basis=f"the step without the finding's cause{', and' if error else ';'} {measured}",
    )


def find(report: Report, id_: str) -> Finding:
    """The finding ``id_`` of ``report``, also one that another explains. Raises BadOptionError."""
    known = {each.id: each for top in report.findings for each in (top, *top.explains)}
    if id_ not in known:
        has = f"its findings are {', '.join(known)}" if known else "it has none"
        raise BadOptionError(f"Run {report.run} has no finding {id_!r:.100}; {has}.")
    return known[id_]


def describe(plan: Plan, folder: Path) -> str:
    """The plan in sentences, for those who start it."""
    count = len(plan.order)
    lines = [
        f"The command runs {count} times, {count // 2} on each side in random order, with all that it "
        "writes; TFPERF_TRY=1 is set for it.",
        *(f"{name}: {shown(side)}{at_commit(side.commit)}" for name, side in (("A", plan.a), ("B", plan.b))),
        _foretold(plan),
        f"Plan and launches are in {folder}; the same command goes on after an interruption.",
    ]
    return "".join(f"{line}\n" for line in lines)


def shown(side: Side, longest: int | None = None) -> str:
    """Variables and command as a shell takes them, and switches, cut to ``longest`` characters."""
    variables = (f"{name}={shlex.quote(value)}" for name, value in side.environment.items())
    switches = f" with {', '.join(side.switches)}" if side.switches else ""
    text = " ".join([*variables, *map(shlex.quote, side.command)]) + switches
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"


def at_commit(commit: str) -> str:
    """Where a command runs, behind it; "" for the work tree."""
    return f" at commit {commit[:12]}" if commit else ""


def _foretold(plan: Plan) -> str:
    if plan.prediction is None:
        why = "the report gives no saving for the finding" if plan.of else "no report was named with --of"
        return f"Nothing is foretold: {why}."
    gain = gains(plan.prediction.high, plan.prediction.low)
    return (
        f"Foretold by {plan.prediction.finding}: a step that is shorter by {gain} ({plan.prediction.basis})."
    )


def gains(high: float, low: float) -> str:
    """A range of steps, as shares of the step before, as the range of what is saved: "50 % to 55 %"."""
    least, most = (percent(max(0.0, 1 - ratio)) for ratio in (high, low))
    return most if least == most else f"{least} to {most}"
