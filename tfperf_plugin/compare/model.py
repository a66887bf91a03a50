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

Verdict = Literal["better", "worse", "same", "unproven", "suspicious", "cannot_compare"]
Basis = Literal["step", "examples", "nothing"]
Status = Literal["appeared", "vanished", "changed", "unchecked", "same"]


class Side(Record, frozen=True):
    """One of the two runs. ``step_ns``: its average step; ``error_ns``: the standard error of that average,
    ``None`` with fewer than three steps; ``gpus_count``: GPUs that take part in the training; ``usual_step``:
    id of the step whose length is nearest to the median, as in ``steps.columns``."""

    run: str
    headline: str
    step_ns: int | None
    p50_ns: int | None
    steps_count: int
    error_ns: int | None
    gpus_count: int
    hosts_count: int
    devices: tuple[str, ...]
    usual_step: str | None = None


class Times(Record, frozen=True):
    """The compared times: for the work of one step of the base run.

    ``new_ns``: the new run's step; with the basis ``examples``, its time for as many examples as a step of
    the base run holds. Differences up to ``noise_ns`` do not count because the steps of one run differ as
    much; those up to ``drift_ns`` because launches of one training differ as much. ``change``: the difference
    as a share of ``base_ns``. ``examples``: examples per step, new run / base run.
    """

    base_ns: int
    new_ns: int
    delta_ns: int
    change: float
    noise_ns: int
    drift_ns: int
    examples: float

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
    """One finding of either run.

    ``status``: ``unchecked`` if the rule could not judge the new run; ``same`` if the saving changed by at
    most the drift, or by less than 1 % of the step. ``base_ns``/``new_ns``: savings per step of each run.
    ``note``: what the rule says of the run without the finding; that the saving is within the drift; or which
    finding explains it.
    """

    id: str
    title: str
    status: Status
    base_severity: Severity | None
    new_severity: Severity | None
    base_ns: int | None
    new_ns: int | None
    note: str


class LaunchLevel(Record, frozen=True):
    """One of several launches. ``recorded``: when, in local time ("2026-01-01 00:00:00"), or "" if unknown;
    ``level_ns``: its step, for the work of one step of the first launch before."""

    run: str
    side: Literal["base", "new"]
    recorded: str
    level_ns: int
    steps_count: int


class Launches(Record, frozen=True):
    """Several launches a side, and what decides.

    ``items``: in the order of their time, if it is known of all, else those before first. ``statistic``: what
    a launch counts by, the 10th percentile of its steps or their mean. ``method``: ``rounds`` if launches
    were interleaved (the permutation test), ``floor`` if equal launches of the past decide, ``drift`` if the
    stated drift does, else ``nothing``. ``change``: of the mean level; ``low`` and ``high``: its interval,
    and ``p``, only with ``rounds``. ``sd``: of launches within a side, in ln. ``limit``: changes up to this
    do not count, with ``floor`` and ``drift``. ``needed``: launches a side that such a change takes, or one
    of 1 % if it is smaller.
    """

    items: tuple[LaunchLevel, ...]
    statistic: Literal["p10", "mean"]
    method: Literal["rounds", "floor", "drift", "nothing"]
    change: float
    sd: float
    needed: int
    p: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None


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
    """The savings that the base report promised for findings that vanished, beside the measured saving.

    ``promised_ns``: sum of these savings, which never overlap; ``measured_ns``: how much shorter the step
    became; ``other_ns``: measured minus promised.
    """

    findings: tuple[str, ...]
    promised_ns: int
    bound: bool
    measured_ns: int
    other_ns: int
    sentence: str


class Scaling(Record, frozen=True):
    """The same training on fewer and on more GPUs.

    ``kind``: ``weak`` if the batch of each GPU stays the same, ``strong`` if the batch of all GPUs together
    does, else ``mixed``. ``basis``: how that is known. ``ideal_ns``: the step with more GPUs if each GPU
    trained as fast as with fewer; ``efficiency``: ``ideal_ns`` / ``step_ns``, which may exceed 1;
    ``speedup``: ratio of examples per second, more GPUs / fewer GPUs. ``accounts``: base is the ideal step,
    new the real one.
    """

    kind: Literal["weak", "strong", "mixed"]
    basis: str
    fewer: Literal["base", "new"]
    fewer_gpus: int
    more_gpus: int
    ideal_ns: int
    step_ns: int
    lost_ns: int
    efficiency: float
    speedup: float
    accounts: tuple[AccountChange, ...]
    sentence: str


class Comparison(Record, frozen=True):
    """The whole comparison. ``reasons``: for the verdict; ``caveats``: what else may explain the difference;
    ``drift_ratio``: assumed difference between launches of one training, as a share of the step;
    ``drift_stated``: whether the user stated it, so that one launch a side may have a verdict.

    ``unproven``: the difference may be that of two launches without a change; ``suspicious``: what was
    measured contradicts itself. ``times`` and the fields derived from it are ``None`` or empty if the runs
    cannot be compared. With ``launches``, ``base`` and ``new`` are the launches in the middle of their side.
    """

    comparison_version: int
    tool_version: str
    verdict: Verdict
    sentence: str
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]
    drift_ratio: float
    drift_stated: bool
    basis: Basis
    base: Side
    new: Side
    times: Times | None = None
    accounts: tuple[AccountChange, ...] = ()
    findings: tuple[FindingChange, ...] = ()
    numbers: tuple[NumberChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    prediction: SavingCheck | None = None
    scaling: Scaling | None = None
    launches: Launches | None = None
