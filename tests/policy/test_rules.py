"""What every rule owes: a name, a guide, a fix, a test, and a demo run in which it comes first."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from demo.reports import demo_report
from tfperf_plugin.judging.engine.page import AUDIENCES
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES, by_hand

# At most 60 characters that begin with a verb, as far as a pattern can tell, and no full stop.
ACTION = re.compile(r"(?=.{3,60}$)(?!(?:The|An?|Each|Every|All|Some|It|No) )[A-Z][a-z]+ .*[^.]")
BY_ID = {rule.id: rule for rule in RULES}

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def module(rule: Rule) -> str:
    return rule.id.replace("-", "_")


def test_titles_are_unique() -> None:
    assert [text for text, count in Counter(r.title for r in RULES).items() if count > 1] == []


@each_rule
def test_its_title_is_short_and_its_actions_are_imperatives(rule: Rule) -> None:
    titles = [rule.title, *(a.title for a in rule.page.advice.values() if a.title)]
    actions = [rule.page.action, *(a.action for a in rule.page.advice.values() if a.action)]

    assert [title for title in titles if not re.fullmatch(r"\w.{1,48}[^.]", title)] == []
    assert [action for action in actions if not ACTION.fullmatch(action)] == []


@each_rule
def test_it_says_how_it_measures_and_what_it_cannot_see(rule: Rule) -> None:
    page = rule.page
    assert page.guide.url.startswith("https://")
    assert page.why and page.measured
    assert 1 <= len(page.limits) <= 3


@each_rule
def test_thresholds_have_a_source(rule: Rule) -> None:
    assert [t.name for t in rule.thresholds if len(t.source.split()) < 3] == []


@each_rule
def test_what_explains_it_can_do_so(rule: Rule) -> None:
    """Notes on the capture explain only each other, and no rule explains itself, however far round."""
    seen: set[str] = set()
    todo = list(rule.explained_by)
    while todo:
        cause = todo.pop()
        assert cause != rule.id
        assert BY_ID[cause].trust == rule.trust
        if cause not in seen:
            seen.add(cause)
            todo += BY_ID[cause].explained_by


@each_rule
def test_it_comes_first_in_its_demo_run(rule: Rule) -> None:
    report = demo_report(module(rule))
    found = report.trust if rule.trust else report.findings

    assert [f.id for f in found][:1] == [rule.id]
    assert rule.trust or re.search(r"\d", found[0].cause), found[0].cause
    assert report.errors == ()


@pytest.mark.parametrize("scenario", ["healthy_single_gpu", "healthy_four_gpus", "healthy_four_hosts"])
def test_a_healthy_training_gets_no_warning(scenario: str) -> None:
    report = demo_report(scenario)

    assert [f.id for f in report.findings if f.severity != "info"] == []
    assert report.trust == ()


def test_by_hand_items_are_no_rules() -> None:
    assert {item.row.id for item in by_hand.ITEMS}.isdisjoint(BY_ID)


@pytest.mark.parametrize("item", by_hand.ITEMS, ids=lambda item: item.row.id)
def test_by_hand_items_say_why_how_and_where_from(item: by_hand.ByHand) -> None:
    for sentence in (item.row.reason, item.row.how):
        assert re.fullmatch(r"[A-Z].*[.]", sentence)
    assert item.guide.url.startswith("https://")
    assert item.audience in AUDIENCES
    assert not item.row.title.endswith(".")
