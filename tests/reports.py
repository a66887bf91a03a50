"""A report that says little, for tests of what only passes reports on."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis import evidence
from tfperf_plugin.execution import analyze
from tfperf_plugin.execution.analyze import Progress
from tfperf_plugin.judging import verdicts
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report import model
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render.agent import with_agent_texts
from tfperf_plugin.report.tables import table_of


def make_report(run: str = "run", severity: verdicts.Severity = "warning") -> model.Report:
    """A report with one finding, which says something in every kind of field."""
    finding = verdicts.Finding(
        id="input-bound",
        title="The GPUs wait for data",
        group="input",
        severity=severity,
        confidence="high",
        summary="<b>slow</b>\x1b[31m",
        saving=verdicts.Saving(7_100_000, 0.32, "idle.input", accounts={"idle.input": 7_100_000}),
        guide=verdicts.Guide("1. Input", "https://example.org/guide"),
        evidence=(
            evidence.Evidence("Waiting", 0.32, "ratio", 0.05),
            evidence.Evidence("Stage", "Map", "text"),
        ),
        where=(evidence.Place("host", 1.0, 2.5, "the worst step"),),
        fix=verdicts.Fix("Prefetch.", ("Add prefetch.",), (verdicts.Snippet("Keras", "ds.prefetch(2)"),)),
    )
    account = model.Account("compute", 22_000_000, 1.0)
    report = model.Report(
        schema_version=model.SCHEMA_VERSION,
        tool_version="0",
        run=run,
        headline="22 ms per step.",
        advice="Fix the input first.",
        hosts=("host",),
        machines_count=1,
        devices=(model.Device("host", "GPU:0", "A100", None, 0.64, True),),
        steps=model.Steps(
            1, "markers", 22_000_000, 22_000_000, 22_000_000, 22_000_000,
            (model.StepItem(1, "host", 0.0, 22.0, True, "", (model.StepDevice("GPU:0", {"compute": 1}),)),),
            1, 100,
        ),
        ledger=model.Ledger(22_000_000, (account,), (account,), (), 0, 0, 0),
        key_numbers=model.KeyNumbers(0.6, 0.5, 0.4, None, None, 0.64),
        trust=(),
        findings=(replace(finding, explains=(replace(finding, id="h2d-copy-bound"),)),),
        passed=(verdicts.Row("step-gaps", "Steps follow each other", "0.1 %"),),
        not_applicable=(),
        missing_data=(),
        manual=(),
        errors=(),
        allreduce=None,
        stagger=None,
        input=model.Input((), (), ("Map",), "Map", "Steps wait for it.", 1),
        anomalies=(),
        timing=(model.Stage("read", 5),),
    )  # fmt: skip
    return with_agent_texts(with_words(report))


def rows(report: model.Report, id: str) -> list[Any]:
    """The rows of a table with their cells as attributes, ``None`` in columns without any; none without the
    table."""
    table = table_of(report, id)
    return [_Row(**row) for row in table.records()] if table else []


class _Row(SimpleNamespace):
    def __getattr__(self, _: str) -> None:
        return None


def with_rows(report: model.Report, id: str, **cells: Callable[[Any], model.Cell]) -> model.Report:
    """The report with the cells of some columns of a table made from each row."""

    def changed(table: model.Table) -> model.Table:
        made = [
            {**row, **{name: make(_Row(**row)) for name, make in cells.items()}} for row in table.records()
        ]
        return replace(table, rows=tuple(tuple(row[column.id] for column in table.columns) for row in made))

    return with_table(report, id, changed)


def with_table(report: model.Report, id: str, change: Callable[[model.Table], model.Table]) -> model.Report:
    """The report with a table changed."""

    def changed(block: model.SectionBlock) -> model.SectionBlock:
        return change(block) if isinstance(block, model.Table) and block.id == id else block

    sections = (replace(one, blocks=tuple(map(changed, one.blocks))) for one in report.sections)
    return replace(report, sections=tuple(sections))


def make_analysis(report: model.Report) -> analyze.Analysis:
    """``report`` with arrays that hold its headline's bytes."""
    return analyze.Analysis(report, {"timeline/code": np.frombuffer(report.headline.encode(), np.uint8)})


class Analysis:
    """Stands for ``analyse``: counts its calls, and reports the run's name and bytes."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Options]] = []

    def __call__(self, run: Run, options: Options, progress: Progress) -> analyze.Analysis:
        self.calls.append((run.name, options))
        progress("read", 0.5)
        content = b"".join(host.path.read_bytes() for host in run.hosts)
        return make_analysis(replace(make_report(run.name), headline=content.decode()))
