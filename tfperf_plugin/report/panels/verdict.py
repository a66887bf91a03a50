"""The verdict, and what is said of each finding: the step now and once it is fixed, and what that brings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.hardware.speeds import PEAKS_SOURCE
from tfperf_plugin.judging.engine.rank import CONFIDENCE_WEIGHT
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, between, count, listing, ms, multiple, percent
from tfperf_plugin.judging.verdicts import LOOKS_ONLY, After, Finding, Saving
from tfperf_plugin.report.model import (
    AfterWords,
    FindingWords,
    Report,
    StepGroup,
    StepItem,
    TimeWords,
    Verdict,
)
from tfperf_plugin.report.panels.budget import budget, startup_ns
from tfperf_plugin.report.panels.quality import is_loose
from tfperf_plugin.report.projection import after, has_cause_of

# The mean of steps that differ is a step's length if it is this close to that of the shorter ones.
_ALIKE: Final = 0.05
# The median is named if it differs from the mean by more.
_BENT: Final = 0.02
# Where steps begin is said if that is after this share of the recording, most of which is no step then.
_LATE: Final = 0.5
# A likely range that is wider, as a share of the time, tells its longer end only.
_WIDE: Final = 0.5
# The accounts beside compute that the verdict names, and the share of the step from which on it does.
_EXPOSED: Final = "Exposed communication"
_OTHERS_COUNT: Final = 2
_OTHERS_RATIO: Final = 0.05
_PARTIAL: Final = "partial"
# A finding that brings less than this share of its time by itself says so.
_ALONE_RATIO: Final = 0.5
# The verdict says the step once the first finding is fixed, so its row explains smaller differences.
_FIRST_RATIO: Final = 0.9


def with_words(report: Report) -> Report:
    """The report with its budget, the step once each finding is fixed, and all sentences about them."""
    findings = []
    for finding in report.findings:
        usual = report.ledger and finding.saving and finding.saving.accounts
        findings.append(replace(finding, after=after(report, (finding.id,)) if usual else None))
    unit = report.steps.unit
    times, note = _now(report)
    called = ("Step time" if unit == "step" else f"Time of a {unit}") if times else "Recorded"
    verdict = Verdict(called, times, note, _checked(report), _compute(report), _beside_compute(report))
    headline = report.headline or _headline(verdict)
    report = replace(
        report, headline=headline, findings=tuple(findings), budget=budget(report), verdict=verdict
    )
    return replace(report, words=tuple(_words(report)))


def _headline(found: Verdict) -> str:
    """The verdict as sentences: "Step time 22.0 ms · 7 steps. Computes 55 % of the step; MFU 21 %."."""
    now = f"{found.unit} {now_line(found)}" if found.now else now_line(found)
    return " ".join(f"{said}." for said in (now, goes_line(found)) if said)


# ------------------------------------------------------------------------------------- now


def goes_line(found: Verdict) -> str:
    """Where the step goes."""
    return "; ".join(filter(None, (found.compute, found.beside)))


def now_line(found: Verdict) -> str:
    """ "22.0 ms · 7 steps", or "14.4 ms on 3 hosts, 26.5 ms on worker-3"."""
    times = ", ".join(f"{now.time} {now.of}".rstrip() for now in found.now)
    return " · ".join(filter(None, (times, found.note)))


def _now(report: Report) -> tuple[tuple[TimeWords, ...], str]:
    steps = report.steps
    if not steps.unit:
        return (), report.headline
    rare = (steps.rare,) if steps.rare else ()
    if steps.groups:
        return tuple(TimeWords(_length(g), _members(g, steps.unit)) for g in (*steps.groups, *rare)), ""
    if report.ledger and steps.count:
        ns = report.ledger.step_ns
        longer = [f"{_length(group)} {_members(group, steps.unit)}" for group in rare]
        return (TimeWords(ms(ns), ""),), " · ".join((*_basis(report, ns), *longer))
    if steps.count:
        # The time on the CPU is that of the mean step.
        median, mean = ("median", steps.p50_ns), ("mean", steps.mean_ns)
        (shown, ns), (other, other_ns) = (mean, median) if report.host_time else (median, mean)
        how = "they recur on the host" if steps.source == "host_period" else "the host marks them"
        marked = "as the host marks it" if steps.count == 1 else f"{shown}, as {how}"
        apart = steps.count > 2 and abs(steps.mean_ns / steps.p50_ns - 1) > _ALIKE
        beside = f"; the {other} is {ms(other_ns)}" if apart else ""
        parts = _parts(report)
        note = parts or f"{_steps(steps.count, steps.unit)}, {marked}{beside}"
        return (TimeWords(ms(ns), "on the host" if parts and not report.host_time else ""),), note
    working = [device.busy_ratio for device in report.devices if device.participates]
    share = percent(sum(working) / len(working)) if working else ""
    # Without steps it is not known which of it is waiting.
    active = f"; kernels and copies run for {share} of it on the GPUs" if share else ""
    return (), f"No step was told apart in the recording{active}"


def _steps(number: int, unit: str) -> str:
    return count(number, unit.split(" of ")[0])


def _length(group: StepGroup) -> str:
    return ms(group.step_ns or group.p50_ns)


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
    listed = judged if steps.items_total <= steps.items_cap else []
    span = _span(listed)
    bent = steps.count > 2 and abs(mean_ns - steps.p50_ns) > _BENT * steps.p50_ns
    median = (f"mean; the median is {ms(steps.p50_ns)}",) if bent else ()
    counted = _steps(steps.count, f"usual {steps.unit}" if steps.rare else steps.unit)
    begin, end = (listed[0].begin_ms, listed[-1].end_ms) if listed else (0, 0)
    late = (f"from {ms(begin * 1e6)} of the recording on",) if begin > _LATE * end else ()
    return (counted + (f", {span}" if span else ""), *median, *late)


def _parts(report: Report) -> str:
    """What was recorded where no judged step is whole, else ""."""
    if report.steps.source == "recording" and report.steps.items:
        return report.steps.items[0].note
    judged = [item for item in report.steps.items if item.judged]
    if not judged or not all(item.note.startswith(_PARTIAL) for item in judged):
        return ""
    if len({item.host for item in judged}) == len(report.steps.items):
        return f"{_steps(1, report.steps.unit)} was recorded, not the time after it"
    several = f"only parts of {len(judged)} steps were recorded"
    return several if len(judged) > 1 else "only a part of one step was recorded"


def _span(items: list[StepItem]) -> str:
    lengths = [round((item.end_ms - item.begin_ms) * 1e6) for item in items]
    return between(min(lengths), max(lengths)) if lengths and len(set(map(ms, lengths))) > 1 else ""


def _checked(report: Report) -> str:
    """What was judged; first what the profile is of, if of no GPU."""
    quality = report.capture_quality
    of_host = " of the host" if quality and quality.level == "none" else ""
    parts = [f"{count(len(report.passed), 'check')}{of_host} passed"]
    if report.missing_data:
        parts.append(f"{len(report.missing_data)} lacked data")
    if report.not_applicable:
        parts.append(f"{len(report.not_applicable)} do not apply")
    what = f"{report.headline} " if report.steps.unit and not report.devices else ""
    return f"{what}{', '.join(parts)}."


def _compute(report: Report) -> str:
    """The share of compute, the op or kernel that most kernel time goes into, and MFU, in one line."""
    if report.ledger is None or not report.steps.unit or _lacks_events(report):
        return ""
    accounts = {account.id: account for account in report.ledger.accounts}
    if starts := startup_ns(report.ledger):
        share = percent(accounts["idle.startup"].ratio)
        return f"Start-up takes {ms(starts)} of the recorded time ({share}), which later steps do not have"
    compute, numbers = accounts.get("compute"), report.key_numbers
    what = "time" if report.steps.groups else report.steps.unit.split(" ")[0]
    line = f"Computes {percent(compute.ratio if compute else 0)} of the {what}"
    if most := next((f for f in report.findings if f.id == "dominant-op" and f.where), None):
        line += f", {percent(float(most.evidence[0].value))} of that in {most.where[0].label}"
    if numbers.mfu_ratio is not None:
        line += f"; MFU {percent(numbers.mfu_ratio)} {numbers.mfu_basis.replace(f' ({PEAKS_SOURCE})', '')}"
    return line


def _lacks_events(report: Report) -> bool:
    """Whether most events, or some of the only step, are lost: then a GPU that seems idle may have worked."""
    lost = {note.severity for note in report.trust if note.id == "events-dropped"}
    return "critical" in lost or ("warning" in lost and bool(_parts(report)))


def _beside_compute(report: Report) -> str:
    """The largest accounts that are no compute; communication is one."""
    if report.ledger is None or not report.steps.unit or _lacks_events(report):
        return ""
    shares: dict[str, float] = defaultdict(float)
    for account in report.ledger.accounts:
        label = _EXPOSED if account.id.startswith("communication.") else ACCOUNT_WORDS[account.id]
        shares[label] += account.ratio
    shares.pop(ACCOUNT_WORDS["compute"], None)
    largest = sorted(shares.items(), key=lambda row: -row[1])[:_OTHERS_COUNT]
    return ", ".join(f"{label} {percent(ratio)}" for label, ratio in largest if ratio >= _OTHERS_RATIO)


# -------------------------------------------------------------------------------- findings


def _words(report: Report) -> Iterator[FindingWords]:
    for rank, finding in enumerate(report.findings, 1):
        acts = bool(report.steps.unit) and finding.severity != "info"
        small = not acts and finding.saving and report.steps.unit and report.ledger
        yield FindingWords(
            finding.id,
            asks=("Change" if _shortens(finding) else "Look") if acts else "",
            most=f"Largest finding: {finding.action or finding.title}." if small else "",
            saving=_saving(finding.saving),
            beside=_beside(report, finding, rank),
            after=after_words(report, (rank,), finding.after)
            if finding.after and _shortens(finding)
            else None,
        )
        for inner in finding.explains:
            yield FindingWords(inner.id, saving=_saving(inner.saving))


def _shortens(finding: Finding) -> bool:
    """Whether its action makes steps shorter."""
    return bool(finding.saving and not finding.saving.once_ns) and finding.id not in LOOKS_ONLY


def _saving(saving: Saving | None) -> str:
    """ "up to 7.1 ms per step (32 %)"."""
    if saving is None:
        return ""
    if saving.once_ns:
        return f"{ms(saving.once_ns)}, seen in one step only"
    of, rare = ("", "") if saving.accounts else (" of a usual one", ", averaged over all steps")
    about = "up to" if saving.bound else "about"
    return f"{about} {ms(saving.ns)} per step ({percent(saving.ratio)}{of}){rare}"


def _beside(report: Report, finding: Finding, rank: int) -> str:
    """ "only after 1: alone it brings 13 µs", if that is much less than it claims; "same cause as 1: …"."""
    saving = finding.saving
    if saving is None or finding.after is None or report.ledger is None:
        return ""
    alone = report.ledger.step_ns - finding.after.ns
    if alone < (_FIRST_RATIO if rank == 1 else _ALONE_RATIO) * saving.ns:
        brings = f"alone it brings {ms(alone) if alone > 0 else 'nothing'}"
        return brings if rank == 1 else f"only after {'1' if rank == 2 else 'others'}: {brings}"
    for other, cause in enumerate(report.findings, 1):
        if has_cause_of(finding, cause):
            return f"same cause as {other}: {saving.late_kernel}"
    return _why_behind(report, finding, rank)


def _why_behind(report: Report, finding: Finding, rank: int) -> str:
    """ "saves more than finding 1, but is less certain", if that one saves less and is more certain."""
    for other, before in enumerate(report.findings[: rank - 1], 1):
        less = before.saving and finding.saving and before.saving.ns < finding.saving.ns
        if less and CONFIDENCE_WEIGHT[before.confidence] > CONFIDENCE_WEIGHT[finding.confidence]:
            return f"saves more than finding {other}, but is less certain"
    return ""


def after_words(report: Report, fixes: Sequence[int], found: After) -> AfterWords:
    """The step once the findings of these ranks are fixed."""
    assert report.ledger is not None
    step_ns, groups, ns = report.ledger.step_ns, report.steps.groups, found.ns
    loose = is_loose(report, fixes)
    of = f"After {'fix' if len(fixes) == 1 else 'fixes'} {listing([str(n) for n in fixes], len(fixes))}"
    change = f"−{percent((step_ns - ns) / max(1, step_ns))}"
    if ns > 0:
        change += f", {multiple(step_ns / ns)}"
    if groups:
        change += " on average"
    if loose:
        change += " at best"
    shortest = min((group.p50_ns for group in groups), default=0)
    if shortest and abs(ns - shortest) > _ALIKE * shortest:
        return AfterWords(of, f"{'at most ' if loose else ''}{ms(step_ns - ns)} less", change, "")
    if loose:
        starts = startup_ns(report.ledger)
        return AfterWords(of, f"≥ {ms(ns)}", change, f"{ms(starts)} of it start-up" if starts else "")
    # A fix that makes all steps alike makes none shorter than the short ones.
    wide = bool(shortest) or found.high_ns - found.low_ns > _WIDE * ns
    likely = f"at most {ms(found.high_ns)}" if wide else between(found.low_ns, found.high_ns)
    return AfterWords(of, ms(ns), change, f"likely {likely}")
