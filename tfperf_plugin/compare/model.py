"""A comparison of two runs: the one result that command line, REST route and the tab render.

Units as in the report: ``_ns`` integer nanoseconds, text is plain text, ``None`` means that a profile does
not say. A change is new minus base, so that less time is negative.
"""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.judging.verdicts import Severity
from tfperf_plugin.records import Record

COMPARISON_VERSION = 1

Verdict = Literal["better", "worse", "same", "cannot_compare"]
Basis = Literal["step", "examples", "nothing"]
Status = Literal["appeared", "vanished", "changed", "unchecked", "same"]


class Side(Record, frozen=True):
    """One of the two runs. ``step_ns``: its average step, ``error_ns``: the standard error of that from the
    spread of its own steps, ``None`` with fewer than three; ``gpus_count``: those that take part."""

    run: str
    headline: str
    step_ns: int | None
    p50_ns: int | None
    steps_count: int
    error_ns: int | None
    gpus_count: int
    hosts_count: int
    devices: tuple[str, ...]


class Times(Record, frozen=True):
    """What is compared: the time for the work of one step of the base run.

    ``new_ns`` is the new run's step, or with the basis ``examples`` the time that it takes for as many
    examples as a step of the base run holds. Differences up to ``noise_ns`` are none because the steps of one
    run differ as much, those up to ``drift_ns`` because launches of one training do. ``change``: the
    difference as a share of ``base_ns``. ``examples``: those in a step of the new run / those in one of the
    base run.
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
        """Differences up to this are no difference."""
        return max(self.noise_ns, self.drift_ns)


class AccountChange(Record, frozen=True):
    """One account; over all accounts each column adds up to that of ``Times`` exactly."""

    id: str
    base_ns: int
    new_ns: int
    delta_ns: int


class FindingChange(Record, frozen=True):
    """One finding of either run.

    ``status``: ``unchecked`` if the new run could not be judged by it, ``same`` if its saving differs by no
    more than the drift, and at least 1 %, of the step. ``base_ns``/``new_ns``: savings, per step of each run.
    ``note``: what the rule says of the run that has no such finding, whether launches differ by as much, or
    under which finding it is folded there.
    """

    id: str
    title: str
    status: Status
    base_severity: Severity | None
    new_severity: Severity | None
    base_ns: int | None
    new_ns: int | None
    note: str


class NumberChange(Record, frozen=True):
    """A number of both reports, at least one of them known."""

    label: str
    unit: Literal["ratio", "ns", "bytes", "GB/s"]
    base: float | None
    new: float | None


class SettingChange(Record, frozen=True):
    """Something that both trainings recorded of themselves, and differently."""

    label: str
    base: str
    new: str


class SavingCheck(Record, frozen=True):
    """What the base report promised for its findings that are gone, and what came of it.

    ``promised_ns``: their savings, which never overlap; ``measured_ns``: what the step really lost;
    ``other_ns``: the difference of the two, which something else did, or which did not come true.
    """

    findings: tuple[str, ...]
    promised_ns: int
    bound: bool
    measured_ns: int
    other_ns: int
    sentence: str


class Scaling(Record, frozen=True):
    """The same training on fewer and on more GPUs.

    ``kind``: ``weak`` if each GPU keeps its batch, ``strong`` if all GPUs together keep it, ``mixed`` if
    neither. ``basis``: how that is known. ``ideal_ns``: a step of the run with more GPUs, did each GPU train
    as fast as with fewer; ``efficiency`` = ``ideal_ns`` / ``step_ns``, which may exceed 1; ``speedup``:
    examples per second against the run with fewer. ``accounts``: base is the ideal, new the real step.
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
    """The whole comparison. ``reasons``: why this verdict; ``caveats``: what else may be behind it;
    ``drift_ratio``: by what share of the step launches of one training are taken to differ.

    ``times`` and what follows from it is ``None`` or empty where the runs cannot be compared.
    """

    comparison_version: int
    tool_version: str
    verdict: Verdict
    sentence: str
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]
    drift_ratio: float
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
