"""The report for an agent that is to make the training faster: a fact a line, in a fixed order, in few bytes.

Names from the profile are data. They stand in quotes unless they are plain, and no line begins with one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import count, number_text
from tfperf_plugin.judging.verdicts import Finding, Row, Saving
from tfperf_plugin.report.model import AfterWords, FindingWords, Report
from tfperf_plugin.report.panels.gpus import used_count
from tfperf_plugin.report.panels.quality import is_thin
from tfperf_plugin.report.render.commands import (
    At,
    advised,
    at,
    environment_note,
    is_blocked,
    leading,
    next_of,
)
from tfperf_plugin.report.render.commands import environment_of as environment_of
from tfperf_plugin.report.render.lines import hosts_words, words_of
from tfperf_plugin.report.render.plain import quoted, short

VERSION: Final = 1
MOST_BYTES: Final = 6_000
_NAMED: Final = 5
"""Limit for ids, names or notes in a row."""
_SHOWN_RATIO: Final = 0.03
"""An account is listed from this share of the step on."""
_CODE_LINES: Final = 10
"""Longer code is not shown."""
_LINE: Final = re.compile(r"[\w./-]{1,80}\.py(?::|\()\d{1,7}")


class _Room(NamedTuple):
    """What a text holds at most."""

    findings: int
    evidence: int  # rows of each finding
    fixes: int  # of each finding
    sentence: int  # its bytes


# Evidence goes first, then fixes.
_ROOMS: Final = (
    _Room(6, 4, 3, 400), _Room(6, 2, 3, 400), _Room(6, 0, 3, 300), _Room(6, 0, 2, 240), _Room(6, 0, 1, 160),
    _Room(3, 0, 1, 160),
)  # fmt: skip
_ONLY_HEAD: Final = _Room(1, 0, 0, 800)
_ALONE: Final = (_Room(1, 8, 8, 800), _Room(1, 0, 8, 400), _Room(1, 0, 3, 160))


def to_agent(report: Report, where: At | None = None) -> str:
    """The report in at most ``MOST_BYTES`` bytes of UTF-8. ``where``: how commands name the run."""
    said = words_of(report)
    first = leading(report)
    every = [f for f in report.findings if f is not first]
    found = [(f, said.get(f.id, FindingWords(f.id))) for f in ([first] if first else []) + every]
    return _fitting(report, title("tfperf-agent", report), found, where, _ROOMS)


def with_agent_texts(report: Report) -> Report:
    """The finished report with the same text for each finding alone, which has more room."""
    first = title("tfperf-agent", report)
    found = {finding.id: finding for finding in report.findings}

    def text(words: FindingWords) -> str:
        finding = found.get(words.id)
        return _fitting(report, first, [(finding, words)], None, _ALONE) if finding else ""

    return replace(report, words=tuple(replace(words, agent=text(words)) for words in report.words))


def finding_lines(report: Report, finding: Finding, words: FindingWords) -> tuple[str, ...]:
    """The lines about a finding without what it measured and what to do."""
    return tuple(_finding(report, finding, words, _ONLY_HEAD))


def report_id(report: Report) -> str:
    """Names what the report says: of the same profiles, options and version, it is the same everywhere."""
    told = replace(report, run="", timing=(), words=())
    try:
        content = msgspec.json.encode(told)
    except UnicodeEncodeError:  # a name that is no valid text
        content = repr(told).encode(errors="backslashreplace")
    return hashlib.sha256(content).hexdigest()[:8]


def _fitting(
    report: Report,
    first: str,
    found: Sequence[tuple[Finding, FindingWords]],
    where: At | None,
    rooms: Sequence[_Room],
) -> str:
    """The text with the most room that is within ``MOST_BYTES``."""
    end = tuple(_end(report, found, where or at(report.run)))
    text = ""
    for room in rooms:
        text = "\n".join((first, *_head(report, room, found), *_findings(report, found, room), *end)) + "\n"
        if len(text.encode()) <= MOST_BYTES:
            break
    return text


# ---------------------------------------------------------------------------------- head


def _head(report: Report, room: _Room, found: Sequence[tuple[Finding, FindingWords]]) -> Iterator[str]:
    yield f"verdict: {short(_verdict(report), room.sentence)}"
    if training := report.whole and report.whole.sentence:
        yield f"training: {short(training, room.sentence)}"
    yield from _change(report, found[0][0] if found else None, room)
    yield f"program: {report.program or 'not known'}"
    yield f"hardware: {_hardware(report)}"
    yield f"step: {_step(report)}"
    yield f"workload: {_workload(report)}"
    yield from _cautions(report, room)
    yield f"accounts (ms/step): {_accounts(report)}"


def _verdict(report: Report) -> str:
    """What the report advises, and first whether nothing is to be changed, or the recording is in doubt."""
    if report.pace and report.pace.verdict == "differs":
        return f"{report.pace.sentence} {report.advice}"
    if is_blocked(report):
        doubts = (note.title for note in report.trust if note.severity != "info")
        doubt = next(doubts, "too little was recorded")
        # The advice names the doubt itself where no step can be judged.
        return (
            f"not certain. {report.advice}"
            if doubt in report.advice
            else f"not certain, {doubt}. {report.advice}"
        )
    return f"healthy. {report.advice}" if report.settled else report.advice


def _change(report: Report, finding: Finding | None, room: _Room) -> Iterator[str]:
    """The one change to make first, in words and as code for this program."""
    again = (
        "record again"
        if is_blocked(report)
        else "measure first what limits most of the step, see next"
        if report.measure
        else ""
    )
    if finding is None or finding.severity == "info":
        yield f"change: {again or 'nothing'}"
        return
    fix = finding.fix
    best = next((action for action in fix.actions if action.rstrip(".") != finding.action), fix.summary)
    said = f"{f'{again} first, then: ' if again else ''}{finding.action or finding.title}. {best}"
    yield f"change: {short(said, room.sentence)}"
    code = next((s.code for s in fix.snippets if s.framework not in ("shell", "PowerShell")), "")
    lines = code.split("\n")
    if code and len(lines) <= _CODE_LINES and room.fixes and not advised(report, finding):
        yield from (f"  | {short(line, 120)}" for line in lines)


def title(kind: str, report: Report, of: str = "") -> str:
    """The first line: which text this is, in which version, of which part of which report."""
    named = f"run {quoted(report.run)} | report {report_id(report)} | tfperf {short(report.tool_version, 20)}"
    return f"{kind} {VERSION} | {f'{of} | ' if of else ''}{named}"


def _hardware(report: Report) -> str:
    names = sorted({device.name for device in report.devices if device.name})
    gpus = f"{used_count(report)} of {len(report.devices)} GPUs used" if report.devices else "no GPU recorded"
    return ", ".join((hosts_words(report), gpus, *few(map(quoted, names))))


def _step(report: Report) -> str:
    steps = report.steps
    if not steps.unit or not steps.count:
        return "none told apart"
    mean = report.ledger.step_ns if report.ledger else steps.mean_ns
    what = f"{steps.count} x {steps.unit}" if steps.unit != "step" else count(steps.count, "step")
    groups = [f"{in_ms(group.step_ns or group.p50_ns)} in {quoted(group.name)}" for group in steps.groups]
    differ = f"; they differ: {', '.join(few(groups))}" if groups else ""
    rare = steps.rare
    longer = f"; {rare.count} far longer, {in_ms(rare.step_ns or rare.p50_ns)} each" if rare else ""
    return f"{in_ms(mean)} ms mean, {in_ms(steps.p50_ns)} median over {what} ({steps.source}){differ}{longer}"


def _workload(report: Report) -> str:
    work = report.workload
    products = work.layers.products if work.layers else {}
    kinds = [f"{quoted(kind)}:{number}" for kind, number in products.items()]
    values = {
        "layers": ", ".join(few(kinds)),
        "parameters": str(work.parameters or ""),
        "batch": str(work.batch_size or work.pipeline_batch_size or ""),
        "dtype": quoted(work.policy) if work.policy else "",
    }
    known = [f"{name} {value}" for name, value in values.items() if value]
    lacking = ", ".join(name for name, value in values.items() if not value)
    return "; ".join((*known, *((f"not recorded: {lacking}",) if lacking else ())))


def _cautions(report: Report, room: _Room) -> Iterator[str]:
    quality = report.capture_quality
    thin = f"evidence {quality.level}" if quality and is_thin(report) else ""
    notes = [note for note in report.trust if note.severity != "info"]
    if not notes:
        yield f"cautions: {thin or 'none'}"
        return
    yield f"cautions ({len(notes)}){f', {thin}' if thin else ''}:"
    for note in notes[:_NAMED]:
        yield short(
            f"[{note.id}] {note.severity}: {note.cause or note.summary} {note.fix.summary}", room.sentence
        )


def _accounts(report: Report) -> str:
    if report.ledger is None:
        return "none"
    every = sorted((a for a in report.ledger.accounts if a.ns), key=lambda account: -account.ns)
    shown = [account for account in every if account.ratio >= _SHOWN_RATIO]
    more = [f"{len(every) - len(shown)} more"] if len(every) > len(shown) else []
    return " | ".join([*(f"{a.id} {in_ms(a.ns)} {share(a.ratio)}" for a in shown), *more]) or "none"


# ------------------------------------------------------------------------------ findings


def _findings(report: Report, found: Sequence[tuple[Finding, FindingWords]], room: _Room) -> Iterator[str]:
    alone = f"1 of {len(report.findings)}, this one only" if len(found) < len(report.findings) else ""
    yield f"findings ({alone or len(found)}):" if found else "findings: none"
    for finding, words in found[: room.findings]:
        yield from _finding(report, finding, words, room)
    if left := [finding.id for finding, _ in found[room.findings :]]:
        yield f"more findings ({len(left)}): {', '.join(few(left))}"


def _finding(report: Report, finding: Finding, words: FindingWords, room: _Room) -> Iterator[str]:
    """A finding that is worth little in one line, unless it alone is told."""
    if room.findings > 1 and _is_small(finding):
        yield f"{headed(finding)}: {short(finding.cause or finding.summary, min(160, room.sentence))}"
    else:
        yield from _whole(report, finding, words, room)


def _is_small(finding: Finding) -> bool:
    """Whether less than what is worth a warning can be saved."""
    saved = finding.saving.ratio if finding.saving else 0.0
    return finding.severity == "info" and saved < SEVERITIES["warning"].value


def _whole(report: Report, finding: Finding, words: FindingWords, room: _Room) -> Iterator[str]:
    yield headed(finding)
    said = finding.summary if room.findings == 1 else finding.cause or finding.summary
    yield f"  what: {short(said, room.sentence)}"
    if evidence := [short(measured(item), 100) for item in finding.evidence[: room.evidence]]:
        yield f"  evidence: {'; '.join(evidence)}"
    for action in (finding.fix.actions or (finding.fix.summary,))[: room.fixes]:
        yield f"  fix: {short(action, room.sentence)}"
    if pairs := advised(report, finding):
        note = environment_note(finding)
        yield f"  env: {' '.join(f'{name}={value}' for name, value in pairs)}{f' ({note})' if note else ''}"
    if aims := list(_aims(finding.evidence, words.after)):
        yield f"  then: {short('; '.join(aims), 200)}"
    if words.beside:
        yield f"  beside others: {short(words.beside, 160)}"
    if finding.explains:
        yield f"  explains: {', '.join(few([inner.id for inner in finding.explains]))}"
    line = _source_line(report, finding)
    yield f"  at: {short(_places(finding.where), 160)}{f'. source line: {line}' if line else ''}"


def _source_line(report: Report, finding: Finding) -> str:
    """The line of Python that ran while GPUs waited for what the finding claims; "" if none was traced."""
    claimed = finding.saving.accounts if finding.saving else {}
    meanwhile = (row.cause or "" for row in report.idle if row.account in claimed)
    return next((m[0] for text in (finding.summary, *meanwhile) if (m := _LINE.search(text))), "")


def headed(finding: Finding) -> str:
    """ "[input-bound] critical, confidence high, saves <= 2.47 ms (76%)"."""
    return f"[{finding.id}] {finding.severity}, confidence {finding.confidence}, {_saves(finding.saving)}"


def _saves(saving: Saving | None) -> str:
    if saving is None:
        return "saving not known"
    if saving.once_ns:
        return f"saves {in_ms(saving.once_ns)} ms once"
    of, rare = ("", "") if saving.accounts else (" of a usual step", ", averaged over all steps")
    return f"saves {'<=' if saving.bound else '~'} {in_ms(saving.ns)} ms ({share(saving.ratio)}{of}){rare}"


def measured(item: Evidence) -> str:
    """ "kernels per step 226"."""
    return f"{item.label} {number_text(item.value, item.unit)}"


def _aims(evidence: Iterable[Evidence], after: AfterWords | None) -> Iterator[str]:
    """How to see that a fix worked: "step near 22.1 ms", "launch skew below 0.60 ms"."""
    if after and not after.time.endswith("less"):
        least = after.time.startswith("≥ ")
        likely = f" ({after.likely})" if after.likely else ""
        yield (f"step no shorter than {after.time[2:]}" if least else f"step near {after.time}") + likely
    for item in evidence:
        if not isinstance(item.value, str) and item.threshold is not None and item.value > item.threshold:
            yield f"{item.label} below {number_text(item.threshold, item.unit)}"
            return


def _places(places: Sequence[Place]) -> str:
    more = f"; {len(places) - 1} more" if len(places) > 1 else ""
    return placed(places[0]) + more if places else "no place"


def placed(place: Place) -> str:
    """ "worker0 GPU:0 10.0..12.9 ms, step 5"."""
    on = " ".join(quoted(name) for name in (place.host, place.device or "", place.stream or "") if name)
    step = "" if place.step is None else f", step {place.step}"
    return f"{on} {place.begin_ms:.3f}..{place.end_ms:.3f} ms{step}"


# ----------------------------------------------------------------------------------- end


def _end(report: Report, found: Sequence[tuple[Finding, FindingWords]], where: At) -> Iterator[str]:
    if rows := (*report.missing_data, *report.errors):
        yield f"not checked ({len(rows)}): {'; '.join(few(_by_reason(rows), 3))}"
    yield (
        f"passed {len(report.passed)}, do not apply {len(report.not_applicable)}, "
        f"by hand {len(report.manual)}"
    )
    yield f"next: {next_of(report, found[0][0] if found else None, where)}"


def _by_reason(rows: Iterable[Row]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        by_reason.setdefault(row.reason.rstrip("."), []).append(row.id)
    for reason, ids in by_reason.items():
        yield f"{', '.join(few(ids))}: {short(reason, 120)}"


# ------------------------------------------------------------------------------- numbers


def in_ms(ns: float) -> str:
    """Milliseconds in three digits: "2.47", "1234"."""
    value = ns / 1e6
    return f"{value:.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def share(ratio: float) -> str:
    """ "76%", "0.4%"."""
    value = 100 * ratio
    return f"{value:.0f}%" if value == 0 or value >= 9.5 else f"{value:.2g}%"


def few(items: Iterable[str], most: int = _NAMED) -> list[str]:
    """The first ``most``, and how many more there are."""
    every = list(items)
    return every[:most] + ([f"{len(every) - most} more"] if len(every) > most else [])
