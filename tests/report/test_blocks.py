"""Blocks: a column added in one place is in every output, and no writer knows what a block is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from demo.build import run_names
from demo.reports import demo_logdir, demo_report
from tests.reports import make_report, rows
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report import model
from tfperf_plugin.report.panels import kernels
from tfperf_plugin.report.render.export import FORMATS
from tfperf_plugin.report.render.show import hashed, to_show
from tfperf_plugin.report.render.text import to_text
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.report.tables import Described, column, table, wide


def test_a_column_added_in_one_place_is_in_every_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tab draws what JSON holds: ``rows.test.ts`` has a table with a column that no other has."""
    energy: Described[Any] = column("energy", "Energy", "count", lambda of: 4711 * of.times.count)
    monkeypatch.setattr(kernels, "_KERNELS", (*kernels._KERNELS, energy))
    name = "healthy_single_gpu"
    report = build_report(resolve(demo_logdir(name), name))

    (op, *_), (kernel, *_) = rows(report, "ops"), rows(report, "kernels")
    assert kernel.energy > 4711
    in_json = (block for section in to_json(report)["sections"] for block in section["blocks"])
    (kept,) = (block for block in in_json if block.get("id") == "kernels")
    assert kept["columns"][-1]["id"] == "energy"
    assert kept["rows"][0][-1] == kernel.energy
    written = {form: FORMATS[form].write(report) for form in ("markdown", "html")}
    for text in (to_text(report, color=False), *written.values()):
        assert "Energy" in text
        assert f"{kernel.energy:,}" in text
    launched = next(one for one in rows(report, "launches") if one.op.startswith(op.name))
    assert f"energy {launched.energy:,}" in to_show(report, f"op:{hashed(op.name)}")


def tables(report: model.Report) -> Iterator[model.Table]:
    for section in report.sections:
        yield from (block for block in section.blocks if isinstance(block, model.Table))


@pytest.mark.parametrize("name", run_names())
def test_tables_of_demo_runs_are_what_they_promise(name: str) -> None:
    found = list(tables(demo_report(name)))

    assert len({of.id for of in found}) == len(found)
    for of in found:
        ids = [column.id for column in of.columns]
        assert len(set(ids)) == len(ids)
        assert of.chosen_by in ("", *ids)
        assert len(of.rows) <= of.total
        for described, *cells in zip(of.columns, *of.rows, strict=True):
            words = described.unit in ("name", "text", "mark")
            assert {type(cell) for cell in cells} - {type(None)} <= ({str} if words else {int, float})
            if described.unit == "ratio":
                assert all(0 <= cell <= 1 for cell in cells if cell is not None), (of.id, described.id)
            if described.unit in ("ns", "more_ns", "bytes"):
                assert not any(isinstance(cell, float) for cell in cells), (of.id, described.id)


def shown(block: model.SectionBlock) -> dict[str, str]:
    """What the outputs say with and without the block."""
    section = model.Section("memory", "Said.", "", "", (block,))
    report = replace(make_report(), sections=(section,))
    return {
        "text": to_text(report, color=False),
        "markdown": FORMATS["markdown"].write(report),
        "html": FORMATS["html"].write(report),
    }


def test_a_table_is_written_as_each_output_writes_tables() -> None:
    things = [("conv", 4_100_000, 0.5, None), ("dense", 20_000, 0.004, 0.31), ("loss", 1, 0.0, None)]
    of = table(
        "things",
        "Things",
        things,
        (
            column("name", "Thing", "name", lambda row: row[0]),
            column("ns", "Per step", "ns", lambda row: row[1]),
            wide("ratio", "Share", "ratio", lambda row: row[2]),
            column("of", "Of bound", "ratio", lambda row: row[3], none="not judged"),
            column("empty", "Empty", "text", lambda _: ""),
        ),
        2,
    )
    assert [column.id for column in of.columns] == ["name", "ns", "ratio", "of"]
    written = shown(of)
    assert (
        "Things, 2 of 3\n"
        "  Per step    Of bound  Thing\n"
        "    4.1 ms  not judged  conv\n"
        "     20 µs        31 %  dense\n"
    ) in written["text"]
    assert (
        "## Things, 2 of 3\n\n| Thing | Per step | Of bound |\n|---|---:|---:|\n"
        "| conv | 4.1 ms | not judged |\n| dense | 20 µs | 31 % |\n"
    ) in written["markdown"]
    assert '<td>dense</td><td class="n">20 µs</td><td class="n">31 %</td>' in written["html"]
    assert "loss" not in "".join(written.values())


def test_what_is_not_brief_is_left_to_json_and_the_tab() -> None:
    of = table("things", "Things", ["conv"], (column("name", "Thing", "name", str),), 0)
    assert not any("Things" in text for text in shown(of).values())
