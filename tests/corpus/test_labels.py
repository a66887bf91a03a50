"""What experts say of real captures, and how reports are held against it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.accuracy.real import (
    SAYS,
    Judged,
    Label,
    Share,
    by_repository,
    disagreement,
    judged,
    labels,
    mean_ratio,
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


def test_readers_differ_where_they_prefer_another_first() -> None:
    same, other = replace(ONE, first=("input", "launch")), replace(ONE, first=("generator", "input"))

    assert disagreement([ONE], [same]) == []
    assert disagreement([ONE], [other]) == [(ONE, other)]


def test_the_mean_is_over_repositories() -> None:
    """Nine right captures of one owner and a wrong one of another are half right, not nine tenths."""
    results = [Judged(ONE, "", True, 0, ())] * 9
    results.append(Judged(replace(ONE, repository="b"), "", False, 0, ()))

    assert by_repository(results) == {"owner/name": Share(9, 9), "b": Share(0, 1)}
    assert mean_ratio(by_repository(results).values()) == 0.5


def test_a_first_screen_and_warnings_are_held_against_the_label() -> None:
    report = make_report()
    (first, *_) = report.findings
    input_bound, launches = replace(first, id="input-bound"), replace(first, id="kernel-launch-bound")

    right = judged(ONE, with_words(replace(report, findings=(input_bound, launches))))
    wrong = judged(ONE, with_words(replace(report, findings=(launches,))))

    assert (right.said, right.right, right.false) == ("input-bound", True, ("kernel-launch-bound",))
    assert (wrong.said, wrong.right, wrong.warnings_count) == ("kernel-launch-bound", False, 1)


def test_a_note_on_the_recording_is_what_a_report_without_findings_says() -> None:
    report = make_report()
    note = replace(report.findings[0], id="no-device-events")
    label = replace(ONE, first=("not-recorded",))

    assert judged(label, with_words(replace(report, findings=(), trust=(note,), settled=False))).right
    assert not judged(label, with_words(replace(report, findings=(), trust=(), settled=True))).right
