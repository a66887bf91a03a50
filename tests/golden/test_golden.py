"""The reports of all demo runs, as Markdown, against the committed ones.

A difference is either a defect or an improvement to be read. To accept: ``make golden``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from demo.build import run_names
from demo.reports import demo_report
from tfperf_plugin.report.render.text import to_markdown

HERE = Path(__file__).parent
UPDATE = os.environ.get("TFPERF_UPDATE_GOLDEN") == "1"


def _compare(path: Path, text: str) -> None:
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no golden report {path.name}; run `make golden` and read what it writes"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; if that is right, `make golden`"


@pytest.mark.parametrize("name", run_names())
def test_report(name: str) -> None:
    _compare(HERE / f"{name}.md", to_markdown(demo_report(name)))


def test_every_golden_report_has_a_demo_run() -> None:
    assert {p.stem for p in HERE.glob("*.md")} == set(run_names())
