"""What experts say of real captures, and how reports are held against it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.accuracy.real import (
    SAYS,
    Label,
    judged,
    labels,
)
from tests.reports import make_report
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.report.panels.verdict import with_words

ONE = Label("a", "owner/name", ("input", "generator"), frozenset({"launch"}), "")


@pytest.mark.parametrize("table", ["labels.tsv", "second.tsv"])
def test_a_label_says_what_comes_first_and_what_would_be_false(table: str) -> None:
    found = labels(table)

    assert len({label.name for label in found}) == len(found) >= 10
    for label in found:
        assert label.first, label.name
        assert label.never.isdisjoint(label.first), label.name
        assert label.evidence, label.name


def test_the_second_reader_labeled_captures_of_the_first() -> None:
    names = {label.name: label.repository for label in labels()}

    assert all(names[label.name] == label.repository for label in labels("second.tsv"))


def test_what_rules_say_is_said_by_rules_there_are() -> None:
    assert SAYS.keys() <= {rule.id for rule in RULES}


def test_a_first_screen_and_warnings_are_held_against_the_label() -> None:
    report = make_report()
    (first, *_) = report.findings
    input_bound, launches = replace(first, id="input-bound"), replace(first, id="kernel-launch-bound")

    right = judged(ONE, with_words(replace(report, findings=(input_bound, launches))))
    wrong = judged(ONE, with_words(replace(report, findings=(launches,))))

    assert (right.said, right.right, right.false) == ("input-bound", True, ("kernel-launch-bound",))
    assert (wrong.said, wrong.right, wrong.warnings_count) == ("kernel-launch-bound", False, 1)
