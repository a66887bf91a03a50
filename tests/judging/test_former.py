"""Ids that are gone stay valid wherever users wrote them."""

from __future__ import annotations

import pytest

from tests.judging.engine.rules import found, rule
from tests.judging.engine.test_rank import ranking
from tfperf_plugin import docs
from tfperf_plugin.cli.rules import rule_id
from tfperf_plugin.judging import former
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.whatif import parse_without

IDS = {rule.id for rule in RULES}


def test_they_lead_to_rules_and_are_none() -> None:
    assert set(former.RULES.values()) <= IDS
    assert former.RULES.keys().isdisjoint(IDS)


@pytest.mark.parametrize(("gone", "now"), former.RULES.items())
def test_each_leads_to_the_rule_that_finds_the_same(gone: str, now: str) -> None:
    assert rule_id(gone, {}) == now  # tfperf explain, show, try
    assert docs.read(gone) == docs.read(now)  # the page in the tab
    assert parse_without(f"{now}, {gone}") == (now,)  # --without and addresses
    assert former.rule_of(now) == now
    assert gone in finding(now).formerly  # links to a finding, and programs


def finding(id_: str) -> Finding:
    claims = ranking((rule(id_), found({"compute": 100})))
    return claims.findings[0]
