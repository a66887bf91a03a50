"""A stored report holds its outline and the whole; what is neither is refused."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.report import stored
from tfperf_plugin.report.gpus import FEW
from tfperf_plugin.report.render import to_json

SOURCES = Path(__file__).parents[2] / "frontend" / "src"
MODEL_TS, LEDGER_TS = SOURCES / "model.ts", SOURCES / "elements" / "ledger.ts"
LARGE = ("slow_host", "gpu_stagger")
LARGE_COUNT = 2048


@pytest.mark.parametrize("name", scenario_names())
def test_a_report_comes_back_from_what_is_stored(name: str) -> None:
    report = demo_report(name)
    content = stored.split(stored.to_bytes(report))

    assert stored.from_bytes(stored.to_bytes(report)) == report
    assert json.loads(gzip.decompress(content.whole)) == to_json(report)
    assert json.loads(gzip.decompress(content.outline)) == stored.outline(to_json(report))


@pytest.mark.parametrize("name", scenario_names())
def test_an_outline_lacks_tables_and_nothing_else(name: str) -> None:
    whole = to_json(demo_report(name))
    outline = stored.outline(whole)

    assert whole.keys() - outline.keys() == {key for key, lists in stored.TABLES.items() if not lists}
    for key, part in outline.items():
        if lists := part and stored.TABLES.get(key):
            assert whole[key].keys() - part.keys() == set(lists)
            assert {**whole[key], **part} == whole[key]
        else:  # no demo run has so many GPUs that their rows are cut
            assert part == whole[key]


def test_of_many_gpus_an_outline_has_the_first_rows_alone_and_is_no_longer() -> None:
    def sized(count: int) -> dict[str, Any]:
        plain = demo_report("slow_host")
        assert plain.ledger
        times = LARGE_COUNT // len(plain.devices)
        rows = replace(plain.ledger, devices=plain.ledger.devices * times, devices_total=count)
        return to_json(
            replace(
                plain,
                ledger=replace(rows, devices=rows.devices[:count]),
                devices=(plain.devices * times)[:count],
                launches=(plain.launches * times)[:count],
                training=plain.training * times,
            )
        )

    some, many = sized(FEW), sized(LARGE_COUNT)
    outlines = [stored.outline(value) for value in (some, many)]

    assert len(many["ledger"]["devices"]) == LARGE_COUNT
    assert outlines[1]["ledger"] == {**many["ledger"], "devices": many["ledger"]["devices"][:FEW]}
    texts = [json.dumps(value) for value in outlines]
    assert len(texts[1]) - len(texts[0]) == len(str(LARGE_COUNT)) - len(str(FEW))
    assert len(json.dumps(many)) > 10 * len(texts[1])


@pytest.mark.parametrize("name", LARGE)
def test_an_outline_of_a_large_report_is_small(name: str) -> None:
    content = stored.to_content(demo_report(name))

    whole, outline = (len(gzip.decompress(part)) for part in (content.whole, content.outline))
    assert outline < whole / 4, (outline, whole)


def test_the_tab_knows_what_an_outline_lacks() -> None:
    source = MODEL_TS.read_text()
    said = source[source.index("export type Outline") :].split("};")[0]

    def names(of: str) -> set[str]:
        found = re.search(rf"Omit<{of}, ([^>]+)>", said)
        assert found
        return set(re.findall(r"'(\w+)'", found[1]))

    assert names("Report") == set(stored.TABLES)
    assert names("Steps") == set(stored.TABLES["steps"])
    assert names("AllReduce") == set(stored.TABLES["allreduce"])
    assert f"const BARS_ALL = {FEW};" in LEDGER_TS.read_text()


@pytest.mark.parametrize(
    "kind", ["nothing", "outline alone", "cut", "cut in the outline", "more", "text", "turned"]
)
def test_what_is_no_stored_report_is_refused(kind: str) -> None:
    good = stored.to_bytes(make_report())
    content = stored.split(good)
    broken = {
        "nothing": b"",
        "outline alone": content.outline,
        "cut": good[:-9],
        "cut in the outline": good[: len(content.outline) // 2],
        "more": good + content.outline,
        "text": b"{}",
        "turned": content.whole + content.outline,
    }[kind]

    with pytest.raises((ValueError, zlib.error)):
        stored.from_bytes(broken)
