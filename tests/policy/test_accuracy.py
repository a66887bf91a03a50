"""Every rule has a simulated cause, and the page on accuracy is of today's rules and holds the floor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demo.accuracy.causes import BY_NAME, CAUSES, NOT_SIMULATED
from demo.accuracy.corpus import corpus
from tests.accuracy.test_floor import FLOOR
from tests.conftest import REPOSITORY
from tfperf_plugin.judging.rules import RULES

PAGE: Path = REPOSITORY / "tfperf_plugin" / "docs" / "accuracy.md"
IDS = [rule.id for rule in RULES]
ANEW = "run `make accuracy` and read what changed"


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    """The page's table of rules: id to the other cells."""
    rows = re.findall(
        r"^\| \[([a-z0-9-]+)\]\([a-z0-9_./]+\.md\) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {rule: [cell.strip() for cell in cells.split("|")] for rule, cells in rows}


def overall(label: str) -> str:
    found = re.search(rf"^\| {re.escape(label)} \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"the page does not say {label}: {ANEW}"
    return found[1]


def test_every_rule_has_a_cause_or_a_reason_why_not() -> None:
    caused = {cause.rule for cause in CAUSES}

    assert caused | NOT_SIMULATED.keys() == set(IDS)
    assert caused & NOT_SIMULATED.keys() == set()
    assert all(NOT_SIMULATED.values())


def test_true_symptoms_are_rules() -> None:
    named = {rule for cause in CAUSES for rule in {*cause.symptoms, *cause.never_with}}

    assert named <= set(IDS)


def test_the_page_is_of_todays_rules_and_corpus(table: dict[str, list[str]]) -> None:
    assert list(table) == IDS, ANEW
    for rule, cells in table.items():
        runs = sum(any(BY_NAME[name].rule == rule for name, _ in case.causes) for case in corpus())
        assert cells[0] == str(runs), f"{rule}: {ANEW}"
    assert overall("runs").startswith(f"{len(corpus())}:"), ANEW


@pytest.mark.parametrize("label", ["precision over all rules", "strongest cause ranks first"])
def test_the_page_holds_the_floor(label: str) -> None:
    hits, count = map(int, re.search(r"\((\d+)/(\d+)\)", overall(label)).groups())  # type: ignore[union-attr]

    assert hits >= FLOOR * count


def test_no_healthy_training_of_the_page_got_a_warning() -> None:
    assert overall("healthy runs with a warning").startswith("0 of ")
