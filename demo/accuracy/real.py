"""Reports of real captures, held against what an expert says of them from their events alone.

    python -m demo.accuracy.real FOLDER [--out PAGE]

``FOLDER`` holds the log directories that ``tests/corpus/labels.tsv`` names. A label is what an expert would
say, such as ``input``; ``first`` lists what may come first, ``never`` what would be false. A report is right
if what its first screen says is among the first; a warning is false if all that it says is among the never.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tfperf_plugin import api
from tfperf_plugin.errors import TfperfError
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.lines import lead

CORPUS: Final = Path(__file__).parents[2] / "tests" / "corpus"

SAYS: Final[dict[str, tuple[str, ...]]] = {
    "all-to-all-exposed": ("communication", "waiting"),
    "allocator-stalls": ("first-allocation",),
    "allreduce-exposed": ("communication",),
    "allreduce-fragmented": ("communication",),
    "allreduce-slow": ("communication",),
    "allreduce-wait": ("waiting", "straggler", "late-rank"),
    "batch-too-small": ("batch-too-small",),
    "communication-bound": ("communication",),
    "eager-execution": ("eager", "launch"),
    "gpu-not-used": ("not-gpu",),
    "gpu-stagger": ("late-rank", "waiting"),
    "h2d-copy-bound": ("batch-copy",),
    "host-op-in-step": ("launch",),
    "input-bound": ("input", "generator"),
    "kernel-launch-bound": ("launch",),
    "mixed-precision-off": ("sixteen-bit",),
    "narrow-products": ("narrow",),
    "no-device-events": ("not-recorded",),
    "replica-imbalance": ("straggler",),
    "rnn-loop": ("rnn-loop",),
    "slow-gathers": ("slow-gathers",),
    "slow-host": ("late-rank", "straggler"),
    "slow-products": ("slow-kernels",),
    "small-kernels": ("launch", "slow-kernels"),
    "step-gaps": ("loop-work",),
    "too-few-steps": ("too-few-steps", "capture-too-short"),
    "unexplained-idle": ("waiting",),
    "warm-up-captured": ("first-call", "capture-too-short"),
}
"""Rule → the labels that it amounts to; of the others, experts said nothing."""


class Label(Record, frozen=True):
    """What an expert says of a capture: ``first``, the preferred one first; ``never`` would be false."""

    name: str
    repository: str
    first: tuple[str, ...]
    never: frozenset[str]
    evidence: str


class Judged(Record, frozen=True):
    """A report beside its label. ``said``: the rule of the first screen, or what the report says instead;
    ``false``: rules of warnings that an expert would never give."""

    label: Label
    said: str
    right: bool
    warnings_count: int
    false: tuple[str, ...]


class Share(Record, frozen=True):
    """Right ones of all."""

    right: int
    count: int

    def __str__(self) -> str:
        return f"{self.right} of {self.count}"


def labels(name: str = "labels.tsv") -> tuple[Label, ...]:
    """The labels of a table in ``tests/corpus``."""
    with (CORPUS / name).open(encoding="utf-8", newline="") as file:
        return tuple(
            Label(
                row["name"],
                row["repository"],
                tuple(row["first"].split("|")),
                frozenset(row["never"].split("|")),
                row["evidence"],
            )
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        )


def judged(label: Label, report: Report) -> Judged:
    """Holds the first screen and the warnings of a report against a label."""
    warned = [found for found in report.findings if found.severity != "info"]
    false = tuple(found.id for found in warned if _says(found) and _says(found) <= label.never)
    if lead(report).words.asks:
        said, meant = report.findings[0].id, _says(report.findings[0])
    else:
        said, meant = _instead(report)
    return Judged(label, said, not meant.isdisjoint(label.first), len(warned), false)


def _says(found: Finding) -> frozenset[str]:
    return frozenset(SAYS.get(found.id, ()))


def _instead(report: Report) -> tuple[str, frozenset[str]]:
    """What a first screen means that asks for no change: a better recording, or nothing."""
    if report.settled:
        return "nothing to fix", frozenset({"nothing"})
    meant = frozenset(label for note in report.trust[:1] for label in _says(note))
    if not report.devices and "TPU" in report.headline:
        return "a TPU, not judged", frozenset({"tpu"})
    return report.trust[0].id if report.trust else "nothing found", meant


def by_repository(results: Iterable[Judged]) -> dict[str, Share]:
    """Right first screens of each repository, those with most captures first."""
    results = list(results)
    counts = Counter(one.label.repository for one in results)
    right = Counter(one.label.repository for one in results if one.right)
    return {name: Share(right[name], count) for name, count in counts.most_common()}


def mean_ratio(shares: Iterable[Share]) -> float:
    """The mean over repositories, so that one with many captures does not decide."""
    ratios = [share.right / share.count for share in shares]
    return sum(ratios) / max(1, len(ratios))


def disagreement(one: Sequence[Label], other: Sequence[Label]) -> list[tuple[Label, Label]]:
    """Captures of which two readers prefer different firsts."""
    first = {label.name: label for label in one}
    return [(first[label.name], label) for label in other if first[label.name].first[0] != label.first[0]]


def page(results: Sequence[Judged]) -> Iterator[str]:
    """The lines of the page ``first-findings``."""
    shares = by_repository(results)
    right, warnings = sum(one.right for one in results), sum(one.warnings_count for one in results)
    false, second = sum(len(one.false) for one in results), labels("second.tsv")
    differ = disagreement(labels(), second)
    yield from _INTRODUCTION
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| first screens that say what an expert would say first | {right} of {len(results)} |"
    yield f"| … mean over {len(shares)} repositories | {percent(mean_ratio(shares.values()))} |"
    yield (
        f"| warnings that an expert would never give | {false} of {warnings}: "
        f"{false / max(1, len(results)):.2f} a report |"
    )
    agree = f"{len(second) - len(differ)} of {len(second)}"
    yield f"| captures of which two readers prefer the same first | {agree} |"
    yield ""
    for mine, theirs in differ:
        common = [label for label in mine.first if label in theirs.first]
        yield (
            f"The readers differ about {mine.name}: {mine.first[0]} against {theirs.first[0]}; "
            f"both accept {_either(common) or 'nothing'}."
        )
    yield ""
    yield "| repository | right |"
    yield "|---|---:|"
    yield from (f"| {name} | {share} |" for name, share in shares.items())
    yield ""
    yield "| capture | first screen | an expert would say | evidence | right |"
    yield "|---|---|---|---|---|"
    for one in results:
        false_words = f"; false: {', '.join(one.false)}" if one.false else ""
        evidence = one.label.evidence.replace("|", "\\|").replace("<", "&lt;")
        yield (
            f"| {one.label.name} | {one.said}{false_words} | {_either(one.label.first)} | {evidence} | "
            f"{'yes' if one.right else 'no'} |"
        )


def _either(first: Iterable[str]) -> str:
    return " or ".join(first)


_INTRODUCTION = (
    "# First findings of real captures",
    "",
    "What an expert would say first of each capture was written down from its events alone, by a script that",
    "shares no code with tfperf, before the report was run; so was what would be false. The table holds",
    "reports against that (`python -m demo.accuracy.real`). A second reader labeled ten captures without",
    "knowing the first labels. A label in no column is neither asked for nor wrong.",
    "",
    "“Right” means that the first screen says one of the labels. It does not say that the saving comes true:",
    "no owner was asked. These captures were seen while the rules were changed; others decide",
    "how good the rules are.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Judges the reports of all labeled captures in a folder."""
    parser = argparse.ArgumentParser(prog="python -m demo.accuracy.real", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="file to write, else only what is wrong is printed")
    options = parser.parse_args(arguments)
    results = []
    for label in labels():
        try:
            report = api.analyze(options.folder / label.name, cache=False)
        except TfperfError as error:
            print(f"{label.name}: {error}", file=sys.stderr)
            continue
        one = judged(label, report)
        results.append(one)
        if not one.right or one.false:
            print(f"{label.name}: said {one.said} for {_either(label.first)}; false: {', '.join(one.false)}")
    shares = by_repository(results)
    print(
        f"{sum(one.right for one in results)} of {len(results)}, mean {percent(mean_ratio(shares.values()))}"
    )
    if options.out:
        options.out.write_text("\n".join(page(results)) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
