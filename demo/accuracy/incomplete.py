"""Reports on recordings that are incomplete or foreign, held against what an expert would say of them.

A report is right if it says what is missing, claims nothing that only the damage shows, finds what the
recording still shows, and gives steps the length that they have.
``python -m demo.accuracy.incomplete`` prints all outcomes.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from demo.accuracy.recordings import FORMATS, UNREADABLE, Recording, recordings
from demo.formats import RUN
from demo.simulator import Simulation, Truth, simulate
from tfperf_plugin.errors import TfperfError
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.panels.quality import WITHOUT_OPS

FIRST: Final = "89 of 117"
STEP_RATIO: Final = 0.05
"""A step whose length is off by more is wrong."""
_RULES: Final = {rule.id: rule for rule in RULES}


@dataclass(frozen=True)
class Outcome:
    """What is wrong with the report on a recording in one format; ``wrong`` is empty if nothing is."""

    recording: Recording
    format: str
    wrong: tuple[str, ...]


def measured(chosen: Iterable[Recording] | None = None) -> Iterator[Outcome]:
    """The outcomes of recordings, all by default, in each of their formats."""
    for recording in recordings() if chosen is None else chosen:
        for name in recording.formats:
            yield Outcome(recording, name, tuple(wrong(recording, name)))


def wrong(recording: Recording, name: str) -> Iterator[str]:
    """What is wrong with the report on a recording in the format of this name."""
    simulation = simulate(recording.training, FORMATS[name].encode)
    try:
        report = _report(recording, name, simulation)
    except TfperfError:
        if UNREADABLE not in recording.says:
            yield "not read"
        return
    found = {f.id for f in report.findings} | {f.id for one in report.findings for f in one.explains}
    yield from (f"silent on {id_}" for id_ in recording.says if id_ not in said(report))
    yield from (f"misses {id_}" for id_ in recording.finds if id_ not in found)
    expected = {id_.partition(":")[0] for id_ in recording.says} | {*recording.finds, *recording.may}
    warned = {f.id for f in (*report.trust, *report.findings) if f.severity != "info"}
    yield from (f"claims {id_}" for id_ in sorted(warned - expected))
    if recording.stepped:
        yield from _wrong_step(report, usual_step_ns(simulation.truth))


def _report(recording: Recording, name: str, simulation: Simulation) -> Report:
    """Through files, as a user's would be. Raises as ``build_report`` does."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (host, data) in enumerate(simulation.files.items()):
            place = Path(FORMATS[name].place.format(host=host))
            if recording.apart:
                above = place.parent.parent if place.parent.name == RUN else place.parent
                place = above / f"{RUN[:-1]}{number}" / place.name
            path = Path(folder, place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(recording.file(data) if recording.file else data)
        alone = len(simulation.files) == 1
        return build_report(resolve(str(path) if alone else folder), Options())


def said(report: Report) -> frozenset[str]:
    """Ids of what a report says of its recording.

    Notes on the capture, alone and with the case of their advice; what the reader lost; kinds of accelerators
    that the headline names; and that ops of the framework were not recorded.
    """
    notes = [id_ for f in report.trust if f.severity != "info" for id_ in (f.id, _case(f))]
    lost = [a.name for a in report.anomalies if a.severity != "info"]
    kinds = re.findall(r"\b([A-Z]{3,})s\b", report.headline)
    quality = report.capture_quality
    without_ops = quality and any(reason.text == WITHOUT_OPS for reason in quality.reasons)
    return frozenset((*notes, *lost, *kinds, *(["framework ops"] if without_ops else [])))


def _case(finding: Finding) -> str:
    """ "events-dropped: kernels are missing", "" if it is the usual case."""
    advice = _RULES[finding.id].page.advice
    name = next((name for name, one in advice.items() if one.title and one.title == finding.title), "")
    return f"{finding.id}: {name}" if name else ""


def usual_step_ns(truth: Truth) -> int:
    """The median time between the ends of two steps, on a GPU or, without one, on the host."""
    steps = next(iter(truth.steps.values()))
    ends = [step.gpus[0].end_ns if step.gpus else step.end_ns for step in steps if step.number >= 0]
    return round(median(then - end for end, then in pairwise(ends)))


def _wrong_step(report: Report, true_ns: int) -> Iterator[str]:
    told_ns = report.steps.p50_ns
    if not report.steps.count:
        yield "no step"
    elif abs(told_ns - true_ns) > STEP_RATIO * true_ns:
        yield f"step {told_ns / 1e6:.1f} ms instead of {true_ns / 1e6:.1f} ms"


def section(found: Sequence[Outcome]) -> str:
    """Of the page, as Markdown: a row for each recording, with what is wrong in each format."""
    lines = [
        "## Incomplete and foreign recordings",
        "",
        "Simulated recordings lose what real ones lose, in every format that can: kernels, times, marks, the "
        "end of the file, other ranks. A report on one is right if it says what is missing, claims nothing "
        "that only the damage shows, finds what the recording still shows, and gives steps the length that "
        "they have. The last rows are healthy and only look damaged. Rules and readers were changed after "
        f"their first results here, of which {FIRST} were right: this shows what holds, not what other files "
        f"would bring. {sum(not one.wrong for one in found)} of {len(found)} reports are right.",
        "",
        f"| recording | must be said or found | {' | '.join(FORMATS)} |",
        "|---|---|" + "---|" * len(FORMATS),
    ]
    rows: dict[str, dict[str, Outcome]] = {}
    for one in found:
        rows.setdefault(one.recording.name, {})[one.format] = one
    for name, row in rows.items():
        told = dict.fromkeys(
            id_ for one in row.values() for id_ in (*one.recording.says, *one.recording.finds)
        )
        cells = ("; ".join(row[of].wrong) or "right" if of in row else "–" for of in FORMATS)
        lines.append(f"| {name} | {', '.join(told) or 'nothing'} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(section(list(measured())))
