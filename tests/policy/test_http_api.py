"""The description of the routes says what the routes give."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import jsonschema
from tensorboard.plugins import base_plugin

from tests.conftest import REPOSITORY
from tfperf_plugin.compare.model import COMPARISON_VERSION, Comparison
from tfperf_plugin.judging import rules
from tfperf_plugin.judging.verdicts import Group
from tfperf_plugin.report import model
from tfperf_plugin.report.serialize import from_json, json_schema
from tfperf_plugin.tensorboard.plugin import DiagnosticsPlugin

TEXT = (REPOSITORY / "tfperf_plugin" / "docs" / "http_api.md").read_text(encoding="utf-8")
EXAMPLES: list[Any] = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)]


def test_every_route_is_described() -> None:
    described = re.findall(r"^## `([a-z]+(?:/\*)?)", TEXT, re.MULTILINE)

    plugin = DiagnosticsPlugin(base_plugin.TBContext(logdir=""))

    assert [f"/{name}" for name in described] == list(plugin.get_plugin_apps())


def test_the_example_is_a_report() -> None:
    (example,) = [value for value in EXAMPLES if "schema_version" in value]

    assert from_json(json.dumps(example)).schema_version == model.SCHEMA_VERSION


def test_the_example_of_a_comparison_keeps_its_schema_and_adds_up() -> None:
    (example,) = [value for value in EXAMPLES if "comparison_version" in value]

    jsonschema.validate(example, json_schema(Comparison))
    assert example["comparison_version"] == COMPARISON_VERSION
    for column in ("base_ns", "new_ns", "delta_ns"):
        assert sum(account[column] for account in example["accounts"]) == example["times"][column]


def test_the_example_of_a_rule_is_real() -> None:
    (example,) = [value["rules"][0] for value in EXAMPLES if "rules" in value]
    (rule,) = [rule for rule in rules.RULES if rule.id == example["id"]]

    assert (rule.title, rule.group) == (example["title"], example["group"])
    assert " ".join(rule.page.why) == example["why"]
    assert (rule.page.guide.section, rule.page.guide.url) == (
        example["guide"]["section"],
        example["guide"]["url"],
    )
    assert all(f"`{group}`" in TEXT for group in get_args(Group))
