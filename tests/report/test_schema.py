"""Every report keeps the generated schema, and the schema says what the report format promises."""

from __future__ import annotations

import json

import jsonschema
import pytest

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.judging import verdicts
from tfperf_plugin.judging.rules import RULES, by_hand
from tfperf_plugin.report.serialize import json_schema, to_json

LISTS = ("trust", "findings", "passed", "not_applicable", "missing_data", "manual", "errors")


@pytest.mark.parametrize("name", scenario_names())
def test_reports_of_demo_runs_keep_schema_and_promises(name: str) -> None:
    report = demo_report(name)
    plain = to_json(report)
    jsonschema.validate(plain, json_schema())
    json.dumps(plain, allow_nan=False)

    rows = [row["id"] for key in LISTS for row in plain[key] if key != "manual"]
    rows += [i["id"] for key in ("trust", "findings") for f in plain[key] for i in f["explains"]]
    assert sorted(rows) == sorted(rule.id for rule in RULES)
    manual = {row["id"] for row in plain["manual"]}
    assert "nsight" in manual <= {item.row.id for item in by_hand.ITEMS}
    assert ("device-placement-log" in manual) == plain["program"].startswith("TensorFlow")
    assert not report.errors
    if report.ledger:
        step_ns = report.ledger.step_ns
        assert sum(a.ns for a in report.ledger.accounts) == step_ns
        compute = next(a.ns for a in report.ledger.accounts if a.id == "compute")
        assert sum(a.ns for a in report.ledger.compute) == compute
        assert all(sum(a.ns for a in d.accounts) == d.step_ns for d in report.ledger.devices)
        # No two findings claim the same time: of each account they take together what it holds, or less.
        savings = [f.saving for f in report.findings if f.saving]
        rare = [s for s in savings if not s.accounts]
        assert all(sum(s.accounts.values()) == s.ns for s in savings if s not in rare)
        # What rare long steps cost lies in no account of the usual step.
        assert bool(rare) <= (report.steps.rare is not None)
        assert sum(s.ns for s in savings) <= step_ns
        for account in report.ledger.accounts:
            assert sum(s.accounts.get(account.id, 0) for s in savings) <= account.ns
        assert all(i.saving is None for f in report.findings for i in f.explains)


def test_schema_refuses_what_the_format_forbids() -> None:
    report = to_json(make_report())
    schema = json_schema()
    jsonschema.validate(report, schema)

    for change in ({"findings": None}, {"unknown": 1}, {"schema_version": "1"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**report, **change}, schema)
    report["key_numbers"]["gpu_busy_ratio"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema)


def test_schema_describes_every_part() -> None:
    definitions = json_schema()["$defs"]
    assert all(d["description"] for d in definitions.values())
    assert verdicts.Finding.__name__ in definitions
