"""The verdict, the same words in all outputs: the step now and after the first fix, what to do, how sure."""

from __future__ import annotations

from typing import Final, NamedTuple

from tfperf_plugin.analysis.artifacts.host.startup import MARKED_RATIO
from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.judging.engine.words import between, count, ms, percent
from tfperf_plugin.judging.verdicts import LOOKS_ONLY, Finding
from tfperf_plugin.report.model import Report, StepGroup, StepItem

# The mean of steps that differ is a step's length if it is this close to that of the shorter ones.
_ALIKE: Final = 0.05
# The median is named if it differs from the mean by more.
_BENT: Final = 0.02
# A likely range that is wider, as a share of the time, tells its longer end only.
_WIDE: Final = 0.5
_PARTIAL: Final = "partial"


class Verdict(NamedTuple):
    """What a report says first; what does not apply is "". ``first``: the first finding, which it repeats,
    unless nothing can be judged or it brings no time.

    ``asks``: what stands before ``action``, such as "Change first".
    """

    unit: str
    now: str
    after: str
    asks: str
    action: str
    cause: str
    first: Finding | None
    compute: str
    evidence: str


def verdict(report: Report) -> Verdict:
    """The verdict of a report."""
    first = report.findings[0] if report.findings else None
    acts = acts_on(report)
    return Verdict(
        unit=_unit(report),
        now=_now(report),
        after=_after(report) if acts else "",
        asks=_asks(first, acts),
        action=(first.action or first.title) if first and acts else report.advice,
        cause=(first.cause or first.summary) if first and acts else _checked(report),
        first=first if acts or (first and first.saving and report.steps.unit and report.ledger) else None,
        compute=_compute(report),
        evidence=report.capture_quality.level if report.capture_quality else "",
    )


def acts_on(report: Report) -> bool:
    """Whether the first finding is worth a change; else there is nothing to fix, or nothing to judge."""
    return bool(report.findings) and report.findings[0].severity != "info" and bool(report.steps.unit)


def _asks(first: Finding | None, acts: bool) -> str:
    if not acts or first is None:
        return "Verdict"
    return "Change first" if _shortens(first) else "Look first"


def _shortens(finding: Finding) -> bool:
    """Whether its action makes steps shorter."""
    return bool(finding.saving and not finding.saving.once_ns) and finding.id not in LOOKS_ONLY


# ------------------------------------------------------------------------------------- now


def _unit(report: Report) -> str:
    unit = report.steps.unit
    return f"Time of a {unit}" if unit not in ("", "step") else "Step time"


def _now(report: Report) -> str:
    steps = report.steps
    if not steps.unit:
        return report.headline
    rare = (_each(steps.rare, steps.unit),) if steps.rare else ()
    if steps.groups:
        return ", ".join((*(_each(group, steps.unit) for group in steps.groups), *rare))
    if report.ledger and steps.count:
        return " · ".join((ms(report.ledger.step_ns), *_basis(report, report.ledger.step_ns), *rare))
    if steps.count:
        marked = "as the host marks it" if steps.count == 1 else "median, as the host marks them"
        return f"{ms(steps.p50_ns)} · {_parts(report) or _steps(steps.count, steps.unit)}, {marked}"
    working = [device.busy_ratio for device in report.devices if device.participates]
    share = percent(sum(working) / len(working)) if working else ""
    # Without steps it is not known which of it is waiting.
    active = f"; kernels and copies run for {share} of it on the GPUs" if share else ""
    return f"no step was told apart in the recording{active}"


def _steps(number: int, unit: str) -> str:
    return count(number, unit.split(" of ")[0])


def _each(group: StepGroup, unit: str) -> str:
    return f"{ms(group.step_ns or group.p50_ns)} {_members(group, unit)}"


def _members(group: StepGroup, unit: str) -> str:
    if group.name.endswith(" steps"):
        return f"in {_steps(group.count, group.name.removesuffix('steps') + unit.split(' ')[0])}"
    return f"on {group.name}"


def _basis(report: Report, mean_ns: int) -> tuple[str, ...]:
    """The steps behind the time, their range, and the median if it is another."""
    steps = report.steps
    judged = [item for item in steps.items if item.judged]
    if parts := _parts(report):
        return (parts,)
    span = _span(judged) if steps.items_total <= steps.items_cap else ""
    bent = steps.count > 2 and abs(mean_ns - steps.p50_ns) > _BENT * steps.p50_ns
    median = (f"mean; the median is {ms(steps.p50_ns)}",) if bent else ()
    counted = _steps(steps.count, f"usual {steps.unit}" if steps.rare else steps.unit)
    return (counted + (f", {span}" if span else ""), *median)


def _parts(report: Report) -> str:
    """ "recorded part of one step" where no judged step is whole, else ""."""
    judged = [item for item in report.steps.items if item.judged]
    if not judged or not all(item.note.startswith(_PARTIAL) for item in judged):
        return ""
    return "recorded part of one step" if len(judged) == 1 else f"recorded parts of {len(judged)} steps"


def _span(items: list[StepItem]) -> str:
    lengths = [round((item.end_ms - item.begin_ms) * 1e6) for item in items]
    return between(min(lengths), max(lengths)) if lengths and len(set(map(ms, lengths))) > 1 else ""


# ------------------------------------------------------------------------------------- after


def _after(report: Report) -> str:
    first = report.findings[0]
    if not first.saving or not first.saving.accounts or not _shortens(first) or not report.ledger:
        return ""
    step_ns, thin = report.ledger.step_ns, is_thin(report)
    ns = first.after.ns if first.after else step_ns - first.saving.ns
    change = f"−{percent((step_ns - ns) / max(1, step_ns))}"
    if ns > 0:
        change += f", {multiple(step_ns / ns)}"
    if report.steps.groups:
        change += " on average"
    if thin:
        change += " at best"
    shortest = min((group.p50_ns for group in report.steps.groups), default=0)
    if shortest and abs(ns - shortest) > _ALIKE * shortest:
        least = "at most " if thin else ""
        return f"{least}{ms(step_ns - ns)} less · {change}"
    if thin:
        return f"≥ {ms(ns)} · {change}"
    if first.after is None:
        return f"{'≥ ' if first.saving.bound else ''}{ms(ns)} · {change}"
    low, high = first.after.low_ns, first.after.high_ns
    # A fix that makes all steps alike makes none shorter than the short ones.
    wide = bool(shortest) or high - low > _WIDE * ns
    likely = f"at most {ms(high)}" if wide else between(low, high)
    return f"{ms(ns)} · likely {likely} · {change}"


def multiple(ratio: float) -> str:
    """ "1.36×", "16.6×", "187×": three digits, as times have."""
    digits = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:,.{digits}f}×"


def is_thin(report: Report) -> bool:
    """Whether so little was recorded that a projection is a bound only."""
    return report.capture_quality is not None and report.capture_quality.level in ("thin", "none")


# ------------------------------------------------------------------------------------- rest


def _checked(report: Report) -> str:
    """What was judged; first what the profile is of, if of no GPU."""
    parts = [f"{count(len(report.passed), 'check')} passed"]
    if report.missing_data:
        parts.append(f"{len(report.missing_data)} lacked data")
    if report.not_applicable:
        parts.append(f"{len(report.not_applicable)} do not apply")
    what = f"{report.headline} " if report.steps.unit and not report.devices else ""
    return f"{what}{', '.join(parts)}."


def _compute(report: Report) -> str:
    """The share of compute and MFU in one line."""
    if report.ledger is None or not report.steps.unit:
        return ""
    share = next((a.ratio for a in report.ledger.accounts if a.id == "compute"), 0.0)
    startup = next((a for a in report.ledger.accounts if a.id == "idle.startup"), None)
    if startup and startup.ratio >= MARKED_RATIO:
        return (
            f"Start-up takes {ms(startup.ns)} of it ({percent(startup.ratio)}), which later steps do not have"
        )
    numbers = report.key_numbers
    what = "time" if report.steps.groups else report.steps.unit.split(" ")[0]
    line = f"Computes {percent(share)} of the {what}"
    if numbers.mfu_ratio is not None:
        line += f"; MFU {percent(numbers.mfu_ratio)} {numbers.mfu_basis.replace(f' ({PEAKS_SOURCE})', '')}"
    return line
