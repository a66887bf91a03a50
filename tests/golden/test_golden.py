"""The reports of all demo runs, as Markdown, and their other words, against the committed ones.

A difference is either a defect or an improvement to be read. To accept: ``make golden``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.build import run_names
from demo.reports import demo_report
from tfperf_plugin.report import model
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.commands import at
from tfperf_plugin.report.render.text import to_markdown

HERE = Path(__file__).parent
UPDATE = os.environ.get("TFPERF_UPDATE_GOLDEN") == "1"


def _compare(path: Path, text: str) -> None:
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no golden report {path.name}; run `make golden` and read what it writes"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; if that is right, `make golden`"


def _words(report: model.Report) -> Iterator[str]:
    """What the page and JSON say and Markdown does not."""
    yield from (report.headline, report.advice)
    for section in report.sections:
        yield f"{section.id}: " + " | ".join(filter(None, (section.answer, section.chip, section.note)))
    if report.allreduce:
        yield f"{report.allreduce.title}: {report.allreduce.difference}"
        for one in report.allreduce.numbers:
            yield f"  {one.at}, {one.term}: " + " | ".join(filter(None, (one.value, one.known, one.note)))
    for gpu in report.memory.devices[:2] if report.memory else ():
        yield f"{gpu.device}: {gpu.said} {gpu.note}"
    yield from (f"{late.host} {late.device}: {late.cause}" for late in report.stragglers[:4])
    yield report.key_numbers.mfu_basis
    for division in report.budget.divisions if report.budget else ():
        yield f"{division.name}, {division.basis}: {division.rest}; {division.hidden}"
    yield re.sub(r"report [0-9a-f]{8}", "report HASH", to_agent(report, at(report.run, ["logs"])))


@pytest.mark.parametrize("name", run_names())
def test_report(name: str) -> None:
    _compare(HERE / f"{name}.md", to_markdown(demo_report(name)))


@pytest.mark.parametrize("name", run_names())
def test_words(name: str) -> None:
    _compare(HERE / f"{name}.txt", "\n".join(filter(None, map(str.strip, _words(demo_report(name))))) + "\n")


def test_every_golden_report_has_a_demo_run() -> None:
    for ending in ("md", "txt"):
        assert {p.stem for p in HERE.glob(f"*.{ending}")} == set(run_names())
