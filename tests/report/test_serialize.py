"""A report comes back from what is stored, with one text for all programs; what is no report is refused."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import pytest
from msgspec import MsgspecError
from msgspec.structs import replace

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.report import serialize
from tfperf_plugin.report.serialize import to_json


@pytest.mark.parametrize("name", scenario_names())
def test_a_report_comes_back_from_what_is_stored_and_saved(name: str) -> None:
    report = demo_report(name)

    assert serialize.from_bytes(serialize.to_bytes(report)) == report
    assert serialize.from_json(serialize.to_text(report)) == report
    assert json.loads(gzip.decompress(serialize.to_bytes(report))) == to_json(report)
    assert serialize.to_text(report) == json.dumps(to_json(report), indent=2) + "\n"


@pytest.mark.parametrize("kind", ["nothing", "cut", "more", "twice", "text", "object", "turned"])
def test_what_is_no_stored_report_is_refused(kind: str) -> None:
    good = serialize.to_bytes(make_report())
    broken = {
        "nothing": b"",
        "cut": good[:-9],
        "more": good + b"more",
        "twice": good + good,
        "text": b"{}",
        "object": gzip.compress(b"{}"),
        "turned": good[::-1],
    }[kind]

    with pytest.raises((ValueError, MsgspecError, zlib.error)):
        serialize.from_bytes(broken)


@pytest.mark.parametrize(
    "change",
    [{"unknown": 1}, {"findings": None}, {"schema_version": "5"}, {"hosts": ["a", 1]}, {"ledger": []}],
    ids=str,
)
def test_a_report_with_other_keys_or_types_is_refused(change: dict[str, Any]) -> None:
    plain = to_json(make_report())
    assert serialize.from_json(json.dumps(plain)) == make_report()

    with pytest.raises(MsgspecError):
        serialize.from_json(json.dumps({**plain, **change}))


def test_each_key_is_needed_also_where_it_has_a_default() -> None:
    plain = to_json(make_report())
    for key in plain:
        with pytest.raises((MsgspecError, ValueError)):
            serialize.from_json(json.dumps({name: part for name, part in plain.items() if name != key}))


def test_numbers_that_json_has_not_are_none() -> None:
    report = make_report()
    for number in (float("nan"), float("inf"), -float("inf")):
        odd = replace(report, key_numbers=replace(report.key_numbers, gpu_busy_ratio=number))
        assert to_json(odd)["key_numbers"]["gpu_busy_ratio"] is None
        assert json.loads(serialize.to_text(odd))["key_numbers"]["gpu_busy_ratio"] is None
