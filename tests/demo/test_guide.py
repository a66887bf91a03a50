"""What the ten-minute guide quotes is what the reports on its demo runs say."""

from __future__ import annotations

import re

import pytest

from demo.build import build
from tests.conftest import REPOSITORY
from tfperf_plugin.compare.build import compare
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.panels.verdict import now_line
from tfperf_plugin.report.render.lines import after_line, lead, projection
from tfperf_plugin.report.whatif import prediction, prediction_lines

GUIDE = REPOSITORY / "demo" / "guide" / "ten_minutes.md"
TEXT = GUIDE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All sentences of both reports, of the prediction and of the comparison."""
    folder = tmp_path_factory.mktemp("guide")
    build(folder, ["gpu_stagger", "fixed_gpu_stagger"])
    found = {run.name.partition("/")[0]: analyze_run(run) for run in find_runs(str(folder))}
    slow, fast = found["gpu_stagger"], found["fixed_gpu_stagger"]
    comparison = compare(slow.report, fast.report, 0.03)
    assert comparison.prediction is not None
    assert slow.report.budget is not None
    first = lead(slow.report)
    assert first.words.after
    return "\n".join(
        (
            now_line(slow.report.verdict),
            after_line(first.words.after),
            first.action,
            first.cause,
            slow.report.verdict.compute,
            f"Projected, {' · '.join(projection(slow.report.budget))}",
            slow.report.findings[0].summary,
            *(section.answer for section in slow.report.sections),
            lead(fast.report).action,
            *prediction_lines(slow.report, prediction(slow.report, ("gpu-stagger",))),
            compare(slow.report, fast.report).sentence,
            comparison.sentence,
            comparison.prediction.sentence,
        )
    )


@pytest.mark.parametrize("quoted", re.findall(r"^> (.*)$", TEXT, re.MULTILINE))
def test_quotes_are_true(quoted: str, said: str) -> None:
    assert quoted in said


def test_pictures_and_links_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", TEXT)
    pictures = {path.name for path in GUIDE.parent.glob("*.png")}

    assert [link for link in links if not (GUIDE.parent / link).exists()] == []
    assert pictures == {link for link in links if link.endswith(".png")}
