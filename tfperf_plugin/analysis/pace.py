"""How long a step or an epoch takes over the whole training, by when its scalars were written.

Nothing is said where it is not clear which training was profiled, or where steps run backwards more often
than restarts explain. Medians of segments keep out what a clock's jump or a pause does to single ones; the
time in which an epoch ends or a validation reports belongs to no segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.arrays.intervals import Floats
from tfperf_plugin.readers.scalars import Scalars
from tfperf_plugin.records import Record

Counts = Literal["steps", "epochs", "unknown"]
Points = tuple[tuple[int, float], ...]

ALIKE: Final = 1.1
"""Ranges of times that lie closer to each other than this factor are alike."""
LONGER: Final = 1.25
"""Times that are larger than others by more than this factor are longer."""
_VALIDATION: Final = "validation"
# Tags of Keras' callback: of batches; of evaluations, by training steps; of epochs. And of tf.estimator.
_BATCHES: Final = re.compile(r"batch_.+")
_ITERATIONS: Final = re.compile(r"evaluation_.+_vs_iterations")
_EPOCHS: Final = re.compile(r"epoch_.+")
_ESTIMATOR: Final = re.compile(r"(.+/)?global_step/sec")
_PAUSES: Final = re.compile(r"(epoch|evaluation)_|(val|valid|validation|eval|evaluation|test)[_/]")
# When an event file was begun is known in whole seconds. Shorter validations are none: some versions of Keras
# begin the file of validations when the first one ends.
_BEGIN_NS: Final = 1_000_000_000
_LEAST_VALIDATION_NS: Final = 3 * _BEGIN_NS
# Local times differ from each other by multiples of this; and how soon a profile's end follows its start.
_ZONE_S: Final = 900.0
_NEAR_S: Final = 60.0
_SEGMENTS: Final = 32
_LEAST_SEGMENTS: Final = 4
_LEAST_EPOCHS: Final = 2
# Of differences between steps that are not positive, one may be a restart, and of many this share.
_BACKWARDS_RATIO: Final = 0.05


class Rate(Record, frozen=True):
    """The time in which a tag's steps go on by one: the median of segments, and their middle half."""

    tag: str
    ns: int
    low_ns: int
    high_ns: int
    steps: int  #: How many steps lie in the segments.


class Written(Record, frozen=True):
    """What the training wrote, and when its profile began, in seconds since the epoch, give or take
    ``slack_s``; ``None``: not known."""

    files: tuple[Scalars, ...] = ()
    recorded_s: float | None = None
    slack_s: float = 0.0


class TrainingPace(Record, frozen=True):
    """The pace of the training that was profiled."""

    counts: Counts  #: What the steps of ``rate`` are.
    rate: Rate
    #: Whether the time holds validations; how long the first one took, if later epochs are like the first.
    validates: bool
    validation_ns: int | None
    epoch: int  #: The epoch that was recorded, from 1 on, 0 if not known; and how many ended.
    epochs: int
    #: From the recording to the end of the first epoch, ``None`` if it is not known to be recorded.
    first_ns: int | None
    cut: bool  #: Whether only parts of the files were read.
    steps_per_epoch: int | None = None  #: Steps by which the time of epochs was divided.


def training_pace(written: Written, keras: bool) -> TrainingPace | None:
    """The pace of the training that was profiled, ``None`` if it did not write enough to tell.

    ``keras``: whether Keras' callback may have written it.
    """
    training = _profiled(written)
    if training is None:
        return None
    keras = keras or training.profiled_s is not None
    validations = [
        file
        for file in written.files
        if file.folder == _VALIDATION and training.begin_s <= file.begin_s <= training.end_s
    ]
    mine = (training, *validations)
    pauses = np.sort(
        [s for f in mine for tag, found in f.by_tag.items() if _PAUSES.match(tag) for _, s in found]
    )
    ends = next(_tagged(training, _EPOCHS), ("", ()))[1] if keras else ()
    found = _chosen(training, validations, ends, pauses, keras)
    if found is None:
        return None
    counts, rate, validates = found
    began = [file.begin_s for file in validations if ends and file.begin_s < ends[0][1]]
    at_s = training.profiled_s or (None if written.slack_s else written.recorded_s)
    ended = [end_s for _, end_s in ends]
    epoch = sum(end_s <= at_s for end_s in ended) + 1 if at_s and ended else 0
    first_ns = round((ended[0] - at_s) * 1e9) if at_s and epoch == 1 else None
    alike = first_ns is not None and first_ns <= LONGER * rate.high_ns
    validation_ns = round((ended[0] - began[0]) * 1e9) if len(began) == 1 and alike else 0
    return TrainingPace(
        counts=counts,
        rate=rate,
        validates=validates and bool(validations),
        validation_ns=validation_ns if validation_ns > _LEAST_VALIDATION_NS and counts == "epochs" else None,
        epoch=epoch if epoch <= len(ended) else 0,
        epochs=len(ended),
        first_ns=first_ns,
        cut=any(file.cut for file in mine),
    )


def per_step(found: TrainingPace, steps: int) -> TrainingPace:
    """The pace of epochs that hold ``steps`` steps, without their validations if their time is known."""
    rate, spent_ns = found.rate, found.validation_ns or 0
    late_ns = _BEGIN_NS if spent_ns else 0
    low_ns, high_ns = rate.low_ns - spent_ns, rate.high_ns - spent_ns + late_ns
    if found.counts != "epochs" or low_ns < steps:
        return found
    ns = rate.ns - spent_ns + late_ns // 2
    each = Rate(rate.tag, max(1, ns // steps), low_ns // steps, high_ns // steps, rate.steps * steps)
    return replace(
        found, counts="steps", rate=each, validates=found.validates and not spent_ns, steps_per_epoch=steps
    )


def _profiled(written: Written) -> Scalars | None:
    """The only file of a training that was written when the profile was, of several the one that says so."""
    at_s, slack_s = written.recorded_s, written.slack_s
    files = [
        file
        for file in written.files
        if file.folder != _VALIDATION
        and (at_s is None or file.begin_s - slack_s <= at_s <= file.end_s + slack_s)
    ]
    if len(files) > 1 and at_s is not None:
        late_s = [(file.profiled_s or 0.0) - at_s + _NEAR_S for file in files]
        files = [f for f, s in zip(files, late_s, strict=True) if f.profiled_s and s % _ZONE_S < 2 * _NEAR_S]
    return files[0] if len(files) == 1 else None


def _chosen(
    training: Scalars, validations: Sequence[Scalars], ends: Points, pauses: Floats, keras: bool
) -> tuple[Counts, Rate, bool] | None:
    """What is counted, its rate, and whether this may hold validations: steps, else epochs, else whatever the
    loss with the most points counts."""
    none = pauses[:0]
    steps = [*(_tagged(training, _BATCHES) if keras else ()), *_tagged(training, _ESTIMATOR)]
    if rates := _rates(steps, pauses, _LEAST_SEGMENTS):
        return "steps", rates[0], False
    iterations = [found for file in (*validations, training) for found in _tagged(file, _ITERATIONS)]
    if keras and (rates := _rates(iterations, none, _LEAST_EPOCHS)):
        return "steps", rates[0], True
    if ends:
        rates = _rates([("epoch", ends)], none, _LEAST_EPOCHS)
        return ("epochs", rates[0], True) if rates and rates[0].steps == len(ends) - 1 else None
    others = [(tag, points) for tag, points in sorted(training.by_tag.items()) if _is_training_loss(tag)]
    rates = _rates(others, pauses, _LEAST_SEGMENTS)
    return ("unknown", rates[0], False) if rates else None


def _is_training_loss(tag: str) -> bool:
    name = tag.lower()
    return "loss" in name and "val" not in name and "test" not in name


def _tagged(file: Scalars, pattern: re.Pattern[str]) -> Iterator[tuple[str, Points]]:
    return ((tag, points) for tag, points in sorted(file.by_tag.items()) if pattern.fullmatch(tag))


def _rates(tags: Sequence[tuple[str, Points]], pauses: Floats, least: int) -> list[Rate]:
    """The rates of these tags, of the most points first."""
    most_first = sorted(tags, key=lambda found: -len(found[1]))
    return [rate for tag, points in most_first if (rate := _rate(tag, points, pauses, least))]


def _rate(tag: str, points: Points, pauses: Floats, least: int) -> Rate | None:
    """``None`` for fewer than ``least`` segments, or if the steps are those of several trainings."""
    if len(points) <= least:
        return None
    steps, times_s = np.array(points, np.float64).T
    counted, took_s = np.diff(steps), np.diff(times_s)
    wrong = (counted <= 0) | (took_s < 0)
    if np.count_nonzero(wrong) > max(1, _BACKWARDS_RATIO * len(wrong)):
        return None
    paused = np.diff(np.searchsorted(pauses, times_s, "right")) > 0
    counted, took_s = counted[~wrong & ~paused], took_s[~wrong & ~paused]
    if len(counted) < least:
        return None
    begins = np.linspace(0, len(counted), min(_SEGMENTS, len(counted)), endpoint=False).astype(np.int64)
    by_segment = np.sort(np.add.reduceat(took_s, begins) / np.add.reduceat(counted, begins)) * 1e9
    quarter = len(by_segment) // 4
    ns = round((by_segment[(len(by_segment) - 1) // 2] + by_segment[len(by_segment) // 2]) / 2)
    low_ns, high_ns = round(by_segment[quarter]), round(by_segment[-1 - quarter])
    return Rate(tag, ns, low_ns, high_ns, round(counted.sum())) if ns > 0 else None
