"""The training as a whole: how long its steps take beside the recorded ones, and what else it loses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.input.idle_input import ready_batches
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.analysis.pace import ALIKE, LONGER, Rate, TrainingPace, Written, per_step, training_pace
from tfperf_plugin.judging.engine.words import between, count, listing, ms, percent, short_name
from tfperf_plugin.recording.record import StoredRecord, TrainingFacts
from tfperf_plugin.recording.record import facts as facts_of
from tfperf_plugin.report.model import Fact, Pace, Report, Section, Table, Training, Whole
from tfperf_plugin.report.tables import Described, column, row_of, table

# From this multiple of a recorded step on, most of the training's time lies beside recorded steps.
_MOST: Final = 2.0
# Of fewer steps, no range is known, and only those are longer that take most.
_FEW: Final = 3
# What lasts no longer than this many recorded steps is no epoch, whatever its scalars are called.
_LEAST_STEPS: Final = 10
# The middle half of segments is told if it is wider.
_WIDE: Final = 1.1


class _Recorded(NamedTuple):
    """The recorded step, and the range in which recorded steps lie."""

    ns: int
    low_ns: int
    high_ns: int
    #: From which length on a step of the training is longer.
    longer_ns: float


def with_pace(
    report: Report,
    written: Written,
    program: Program,
    pipelines: Pipelines,
    stated: Stated,
    facts: TrainingFacts | None,
) -> Report:
    """The report with the pace of the training, if it wrote enough and one recorded step stands for all.

    Steps of an epoch are those that the user stated, else those that the training recorded.
    """
    recorded = _recorded(report)
    trains = written.files and not program.inference
    found = training_pace(written, program.framework == "Keras") if recorded and trains else None
    steps = stated.steps_per_epoch or (facts and facts.steps_per_epoch)
    if found and steps:
        found = per_step(found, steps)
    ready = ready_batches(pipelines)
    pace = _pace(found, recorded, ready.making_ns if ready else None) if recorded and found else None
    if pace is None:
        return report
    return replace(report, pace=pace, settled=report.settled and pace.verdict != "differs")


def _recorded(report: Report) -> _Recorded | None:
    steps, rare = report.steps, report.steps.rare
    if steps.unit != "step" or steps.groups or not steps.count:
        return None
    ns = report.ledger.step_ns if report.ledger else steps.p50_ns
    lengths = [ns, *(round((item.end_ms - item.begin_ms) * 1e6) for item in steps.items if item.judged)]
    if rare:  # which the training's time holds, too
        whole_ns = ns * steps.count + (rare.step_ns or rare.p50_ns) * rare.count
        lengths.append(whole_ns // (steps.count + rare.count))
    longer = _MOST if steps.count < _FEW else LONGER
    return _Recorded(ns, min(lengths), max(lengths), longer * max(lengths))


def _pace(found: TrainingPace, recorded: _Recorded, making_ns: int | None) -> Pace | None:
    rate, now, takes = found.rate, ms(recorded.ns), _time(found.rate)
    longer = rate.low_ns > recorded.longer_ns
    alike = rate.low_ns <= ALIKE * recorded.high_ns and recorded.low_ns <= ALIKE * rate.high_ns
    verdict: Literal["agrees", "differs", ""] = ""
    if found.counts == "epochs":
        if rate.low_ns < _LEAST_STEPS * recorded.high_ns:
            return None
        sentence = _epoch(found, recorded, making_ns)
    elif alike:
        verdict = "agrees"
        sentence = f"Over the training, a step takes {takes}, as recorded ones do."
    elif found.counts == "unknown":
        if not longer:
            return None
        many = _many(rate.ns / recorded.ns)
        sentence = f"A step of {short_name(rate.tag)} takes {takes}, {many} times as long as a recorded one."
    elif longer and not found.validates:
        verdict = "differs"
        lost = percent(1 - recorded.ns / rate.ns)
        what = "what costs time" if rate.ns >= _MOST * recorded.ns else f"{lost} of its time"
        sentence = (
            f"A recorded step takes {now}, the training {takes} a step: this recording does not show {what}."
        )
    else:
        included = ", validation included" if found.validates else ""
        sentence = f"Over the training, a step takes {takes}{included}; a recorded one takes {now}."
    return row_of(
        Pace,
        rate,
        counts=found.counts,
        number=rate.steps,
        steps_per_epoch=found.steps_per_epoch,
        verdict=verdict,
        sentence=sentence,
        more=" ".join(_more(found)),
    )


def _epoch(found: TrainingPace, recorded: _Recorded, making_ns: int | None) -> str:
    """How long an epoch takes, and how many steps that would be, which nobody counted."""
    rate, included = found.rate, " with its validation" if found.validates else ""
    steps = _steps(rate, recorded.ns)
    text = f"An epoch{included} takes {_time(rate)}, the time of {steps} recorded steps of {ms(recorded.ns)}"
    if making_ns and making_ns > LONGER * recorded.high_ns:
        text += f", or of {_steps(rate, making_ns)} batches that take the input pipeline {ms(making_ns)} each"
    return f"{text}. If an epoch has fewer steps, this recording does not show where the rest of it goes."


def _more(found: TrainingPace) -> Iterator[str]:
    rate = found.rate
    if found.steps_per_epoch:
        yield f"Its epochs hold {found.steps_per_epoch:,} steps."
    if found.counts == "epochs" and found.first_ns and found.first_ns > LONGER * rate.high_ns:
        yield f"The recording lies in the first epoch, which took {ms(found.first_ns)} more until its end."
    elif found.epoch:
        yield f"Epoch {found.epoch:,} of {found.epochs:,} was recorded."
    if found.cut:
        yield "Of the training's event files, the middle was not read."


def _time(rate: Rate) -> str:
    """The median, or the middle half where that is wide."""
    return between(rate.low_ns, rate.high_ns) if rate.high_ns > _WIDE * rate.low_ns else ms(rate.ns)


def _steps(rate: Rate, ns: int) -> str:
    """How many steps of ``ns`` take as long."""
    low, high = _many(rate.low_ns / ns), _many(rate.high_ns / ns)
    return f"{low} to {high}" if rate.high_ns > _WIDE * rate.low_ns else _many(rate.ns / ns)


def _many(number: float) -> str:
    """A number of steps, with three digits that count: "2,690", "6.8"."""
    return f"{float(f'{number:.3g}'):,.0f}" if number >= 10 else f"{number:.2g}"


def whole(report: Report, program: Program) -> Whole:
    """By the machine that was watched, and by the scalars that the training wrote."""
    pace, machine = report.pace, report.machine
    if program.inference or program.server:
        return Whole("", None, None)
    told = (*((pace.sentence, pace.more) if pace else ()), machine.said if machine else "")
    said = [words for words in told if words]
    trains = (program.training or program.keras) and report.steps.source != "recording"
    if not said and trains and report.steps.unit == "step" and report.steps.count:
        recorded = "this step" if report.steps.count == 1 else f"these {report.steps.count} steps"
        said = [f"Nothing is known beyond {recorded}: tfperf record watches the whole training."]
    running = machine.running_ratio if machine else None
    step_ns = report.ledger.step_ns if report.ledger else report.steps.p50_ns
    as_recorded = step_ns / pace.ns if pace and pace.verdict == "differs" else 1.0
    known = running is not None or (pace is not None and pace.verdict != "")
    lost = 1 - (1.0 if running is None else running) * as_recorded if known else None
    return Whole(" ".join(said), running, lost)


# ------------------------------------------------------------------------- what it wrote down


def recorded_facts(stored: Iterable[StoredRecord]) -> tuple[Training, ...]:
    """What each host recorded about the training."""
    return tuple(
        Training(one.file.name, one.file.host, one.recorded, tuple(Fact(*of) for of in facts_of(one)))
        for one in stored
    )


def hyperparameters(written: Written) -> tuple[Training, ...]:
    """What the training wrote for TensorBoard; nothing if its files tell of several."""
    told = {file.hyperparameters: file for file in written.files if file.hyperparameters}
    if len(told) != 1:
        return ()
    ((settings, file),) = told.items()
    began = datetime.fromtimestamp(file.begin_s, timezone.utc)
    return (
        Training(
            f"TensorBoard, {file.folder}",
            "",
            f"{began:%Y-%m-%d %H:%M:%S} UTC",
            tuple(Fact(*one) for one in settings),
        ),
    )


def training_section(report: Report) -> Section:
    """How much the training recorded about itself."""
    facts = {fact.label for record in report.training for fact in record.facts}
    if not facts:
        return Section("training", "The training recorded nothing about itself beside this profile.", "")
    hosts = list(dict.fromkeys(record.host for record in report.training if record.host))
    where = f" on {listing(hosts)}" if hosts else ""
    return Section("training", f"The training recorded {count(len(facts), 'fact')} about itself{where}.", "")


_Told = tuple[Fact, tuple[str, ...]]
"""A fact, and the hosts that recorded it."""

_COLUMNS: Final[tuple[Described[_Told], ...]] = (
    column("label", "What", "text", lambda of: of[0].label),
    column("value", "Value", "name", lambda of: of[0].value),
    column("hosts", "Recorded by", "name", lambda of: listing(of[1])),
)


def training_table(records: tuple[Training, ...]) -> Table:
    """Each fact once, with all hosts that recorded it."""
    told: dict[Fact, dict[str, None]] = {}
    for record in records:
        for fact in record.facts:
            told.setdefault(fact, {})[record.host] = None
    rows = [(fact, tuple(hosts)) for fact, hosts in told.items()]
    return table("training", "What the training wrote down", rows, _COLUMNS, 0)
