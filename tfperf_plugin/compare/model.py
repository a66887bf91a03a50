"""The comparison of two runs, or of several launches a side.

The command line, the HTTP route and the tab render it. Units as in the report: ``_ns`` are integer
nanoseconds, text is plain text, ``None`` means that a profile does not say. A change is new minus base;
negative means less time.
"""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.judging.verdicts import Severity
from tfperf_plugin.records import Record

COMPARISON_VERSION = 2

#: ``unproven``: two launches without a change may differ as much; ``suspicious``: what was measured
#: contradicts itself.
Verdict = Literal["better", "worse", "same", "unproven", "suspicious", "cannot_compare"]
Basis = Literal["step", "examples", "nothing"]
Status = Literal["appeared", "vanished", "changed", "unchecked", "same"]


class Side(Record, frozen=True):
    """One of the two runs."""

    run: str
    headline: str
    step_ns: int | None  # its average step
    p50_ns: int | None
    steps_count: int
    error_ns: int | None  # the standard error of the average, ``None`` with fewer than three steps
    gpus_count: int  # that take part in the training
    hosts_count: int
    devices: tuple[str, ...]
    usual_step: str | None = None  # the step nearest to the median, as in ``steps.columns``


class Times(Record, frozen=True):
    """The compared times: for the work of one step of the base run."""

    base_ns: int
    #: The new run's step; with the basis ``examples``, its time for the examples of a step of the base run.
    new_ns: int
    delta_ns: int
    change: float  # the difference as a share of ``base_ns``
    noise_ns: int  # smaller differences do not count because the steps of one run differ as much
    drift_ns: int  # smaller ones do not count because launches of one training differ as much
    examples: float  # per step, new run / base run

    @classmethod
    def of(cls, base_ns: float, new_ns: float, examples: float, *, noise_ns: float, drift_ns: float) -> Times:
        """The times in whole nanoseconds, and their difference."""
        base, new = round(base_ns), round(new_ns)
        change = (new - base) / base
        return cls(base, new, new - base, change, round(noise_ns), round(drift_ns), examples)

    @property
    def limit_ns(self) -> int:
        """Differences up to this do not count."""
        return max(self.noise_ns, self.drift_ns)


class AccountChange(Record, frozen=True):
    """One account. Over all accounts, each column adds up exactly to its value in ``Times``."""

    id: str
    base_ns: int
    new_ns: int
    delta_ns: int


class FindingChange(Record, frozen=True):
    """One finding of either run."""

    id: str
    title: str
    #: ``unchecked``: the rule could not judge the new run; ``same``: the saving changed by at most the drift,
    #: or by less than 1 % of the step.
    status: Status
    base_severity: Severity | None
    new_severity: Severity | None
    base_ns: int | None  # the saving per step
    new_ns: int | None
    #: What the rule says of the run without the finding; that the saving is within the drift; or which
    #: finding explains it.
    note: str


class LaunchLevel(Record, frozen=True):
    """One of several launches."""

    run: str
    side: Literal["base", "new"]
    recorded: str  # when, in local time ("2026-01-01 00:00:00"), or "" if unknown
    level_ns: int  # its step, for the work of one step of the first launch before
    steps_count: int


class Launches(Record, frozen=True):
    """Several launches a side, and what decides."""

    #: In the order of their time if it is known of all, else those before first.
    items: tuple[LaunchLevel, ...]
    statistic: Literal["p10", "mean"]  # a launch counts by this percentile of its steps, or by their mean
    #: ``rounds``: launches were interleaved (the permutation test decides); ``floor``: equal launches of the
    #: past decide; ``drift``: the stated drift does.
    method: Literal["rounds", "floor", "drift", "nothing"]
    change: float  # of the mean level
    sd: float  # of launches within a side, in ln
    needed: int  # launches a side that such a change takes, or one of 1 % if it is smaller
    #: The probability of chance and the interval of the change, only with ``rounds``.
    p: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None  # changes up to this do not count, with ``floor`` and ``drift``


class Decided(Record, frozen=True):
    """What decides between two sides."""

    verdict: Verdict
    times: Times
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]
    launches: Launches | None = None


class NumberChange(Record, frozen=True):
    """A number of both reports; at least one value is known."""

    label: str
    unit: Literal["ratio", "ns", "bytes", "GB/s"]
    base: float | None
    new: float | None


class SettingChange(Record, frozen=True):
    """A setting whose recorded values differ between the two trainings."""

    label: str
    base: str
    new: str


class SavingCheck(Record, frozen=True):
    """What the base report predicted without the findings that vanished, beside what was measured."""

    findings: tuple[str, ...]
    promised_ns: int  # how much shorter the step was to become
    #: The range of the predicted step, for the work of one step of the base run.
    low_ns: int
    high_ns: int
    measured_ns: int  # how much shorter the step became
    other_ns: int  # measured minus promised
    sentence: str


class Scaling(Record, frozen=True):
    """The same training on fewer and on more GPUs."""

    #: ``weak``: the batch of each GPU stays the same; ``strong``: the batch of all GPUs together does.
    kind: Literal["weak", "strong", "mixed"]
    basis: str  # how that is known
    fewer: Literal["base", "new"]
    fewer_gpus: int
    more_gpus: int
    ideal_ns: int  # the step with more GPUs if each GPU trained as fast as with fewer
    step_ns: int
    lost_ns: int
    efficiency: float  # ideal / real step; may exceed 1
    speedup: float  # ratio of examples per second, more GPUs / fewer GPUs
    accounts: tuple[AccountChange, ...]  # base is the ideal step, new the real one
    sentence: str


class Comparison(Record, frozen=True):
    """The whole comparison.

    ``times`` and the fields derived from it are ``None`` or empty if the runs cannot be compared.
    """

    comparison_version: int
    tool_version: str
    verdict: Verdict
    sentence: str
    reasons: tuple[str, ...]  # for the verdict
    caveats: tuple[str, ...]  # what else may explain the difference
    drift_ratio: float  # assumed difference between launches of one training, as a share of the step
    drift_stated: bool  # whether the user stated it, so that one launch a side may have a verdict
    basis: Basis
    base: Side  # with ``launches``, the launch in the middle of its side
    new: Side
    times: Times | None = None
    accounts: tuple[AccountChange, ...] = ()
    changed: str = ""  # the largest changes of ``accounts``, as a sentence
    findings: tuple[FindingChange, ...] = ()
    numbers: tuple[NumberChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    prediction: SavingCheck | None = None
    scaling: Scaling | None = None
    launches: Launches | None = None
