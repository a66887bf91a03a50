"""Whatever is skipped, clipped or guessed is counted, and costs nothing else."""

from __future__ import annotations

import gzip

import pytest

from tests.readers.xspace import raw
from tests.readers.xspace.raw import content, event, line, named, number, plane, stat
from tfperf_plugin.readers.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.xspace import Plane, XSpace, read

GOOD = event(stat(number(4, 7)), start_ps=9_000_000, duration_ps=1000)
"""An event from 9,000 to 9,001 ns with the stat 7, which every anomaly must leave alone."""

STAT_OF_NAME = content(4, number(1, 2), content(2, content(2, b"x"), content(5, b"\x0a\x05")))

CASES = {
    "unknown-field in an event": (plane(line(event(number(99, 1)), GOOD)), "unknown-field", 1, "info"),
    "unknown-field in a line": (plane(line(GOOD), content(3, number(77, 1))), "unknown-field", 1, "info"),
    "unknown-field in a plane": (plane(content(50, b"later"), line(GOOD)), "unknown-field", 1, "info"),
    "unknown-field in a file": (plane(line(GOOD)) + content(9, b"later"), "unknown-field", 1, "info"),
    "a known field of another type": (plane(line(event(content(3, b"?")), GOOD)), "unknown-field", 1, "info"),
    "damaged-event": (plane(line(b"\x08\x01\x10", GOOD)), "damaged-event", 1, "data_loss"),
    "an event with a group": (plane(line(event(b"\x33"), GOOD)), "damaged-event", 1, "data_loss"),
    "an event with field number 0": (plane(line(event(b"\x00\x01"), GOOD)), "damaged-event", 1, "data_loss"),
    "an endless number": (plane(line(b"\x10" + b"\xff" * 20, GOOD)), "damaged-event", 1, "data_loss"),
    "an endless event": (plane(line(event(*[stat()] * 1000), GOOD)), "damaged-event", 1, "data_loss"),
    "damaged-stat": (plane(line(event(stat(b"\x2a\x09x")), GOOD)), "damaged-stat", 1, "data_loss"),
    "damaged-stat of a plane": (plane(line(GOOD), content(6, b"\x2a\x09x")), "damaged-stat", 1, "data_loss"),
    "damaged-name": (plane(content(4, b"\x08\x02\x12\x09"), line(GOOD)), "damaged-name", 1, "data_loss"),
    "aggregated-event": (
        plane(line(number(1, 1) + number(3, 5000) + number(5, 3), GOOD)),
        "aggregated-event",
        1,
        "info",
    ),
    "impossible offset": (
        plane(line(event(start_ps=1 << 62, duration_ps=1 << 62), GOOD)),
        "impossible-time",
        1,
        "data_loss",
    ),
    "impossible time of a line": (
        plane(line(GOOD), line(event(), event(), id=2, timestamp_ns=1 << 62)),
        "impossible-time",
        2,
        "data_loss",
    ),
    "unsorted-event": (
        plane(line(GOOD, event(start_ps=99_000_000), event(start_ps=98_000_000))),
        "unsorted-event",
        1,
        "info",
    ),
    "unknown-event-name": (plane(line(number(1, 5) + number(2, 1), GOOD)), "unknown-event-name", 1, "info"),
    "a stat of unknown name": (
        plane(line(event(content(4, number(1, 5), number(4, 1))), GOOD)),
        "unknown-stat",
        1,
        "info",
    ),
    "a stat without a value": (plane(line(event(stat()), GOOD)), "unknown-stat", 1, "info"),
    "a text that is not in the table": (
        plane(line(event(stat(number(7, 5))), GOOD)),
        "unknown-stat",
        1,
        "info",
    ),
    "duplicate-plane": (plane(line(GOOD)) + plane(line(GOOD)), "duplicate-plane", 1, "info"),
    "duplicate-line": (plane(line(GOOD), line(), line()), "duplicate-line", 2, "info"),
    "duplicate-name-id": (plane(named(4, 1, "op"), line(GOOD)), "duplicate-name-id", 1, "error"),
    "empty-event": (plane(line(b"", GOOD, b"")), "empty-event", 2, "info"),
    "a name that is not UTF-8": (plane(named(4, 2, b"\xffname"), line(GOOD)), "invalid-utf8", 1, "info"),
    "a text that is not UTF-8": (
        plane(line(event(stat(content(5, b"\xff"))), GOOD)),
        "invalid-utf8",
        1,
        "info",
    ),
    "a compressed text that is not": (
        plane(line(event(stat(content(8, b"no gzip"))), GOOD)),
        "unreadable-compressed-text",
        1,
        "data_loss",
    ),
    "a compressed text that was cut": (
        plane(line(event(stat(content(8, gzip.compress(b"text")[:-9]))), GOOD)),
        "unreadable-compressed-text",
        1,
        "data_loss",
    ),
    "damaged stat of a name": (plane(STAT_OF_NAME, line(GOOD)), "damaged-stat", 1, "data_loss"),
}


def rows(data: bytes) -> tuple[XSpace[Plane], tuple[Anomaly, ...]]:
    anomalies = Anomalies()
    space = read(data, anomalies)
    for found in space.planes:
        assert isinstance(found.event_stats, dict)
        for name in found.stat_names:
            found.ints(name)
            found.texts(name)
            found.texts(name)  # a second time counts nothing twice
    return space, anomalies.rows()


def last_good(found: Plane) -> tuple[int, int, str, int]:
    """Start, end, name and stat of the event that is ``GOOD``."""
    (row,) = (found.start_ns == 9000).nonzero()[0]
    numbers = found.ints("stat")
    assert numbers is not None
    assert numbers.present[row]
    return (
        int(found.start_ns[row]),
        int(found.end_ns[row]),
        found.names[found.event_name[row]],
        int(numbers.values[row]),
    )


@pytest.mark.parametrize(("data", "name", "count", "severity"), CASES.values(), ids=CASES.keys())
def test_an_anomaly_is_counted_and_costs_nothing_else(
    data: bytes, name: str, count: int, severity: str
) -> None:
    space, found = rows(data)

    assert [(row.name, row.count, row.severity) for row in found] == [(name, count, severity)]
    assert found[0].sentence.endswith(".")
    assert last_good(space.planes[0]) == (9000, 9001, "op", 7)


def test_an_intact_file_has_no_anomalies() -> None:
    space, found = rows(plane(line(GOOD)))

    assert found == ()
    assert last_good(space.planes[0]) == (9000, 9001, "op", 7)


def test_a_negative_duration_becomes_none() -> None:
    space, found = rows(plane(line(event(start_ps=5000, duration_ps=-3000))))

    assert [(row.name, row.count, row.severity) for row in found] == [("negative-duration", 1, "error")]
    assert (space.planes[0].start_ns.tolist(), space.planes[0].end_ns.tolist()) == ([5], [5])


def test_a_time_before_the_profile_is_kept() -> None:
    space, found = rows(plane(line(event(start_ps=-5500, duration_ps=1000))))

    assert [(row.name, row.count, row.severity) for row in found] == [("negative-time", 1, "info")]
    assert (space.planes[0].start_ns.tolist(), space.planes[0].end_ns.tolist()) == ([-6], [-5])


def test_of_offset_and_occurrences_the_last_one_counts() -> None:
    span = number(1, 1) + number(5, 3) + number(2, 4000)

    space, found = rows(plane(line(span)))

    assert found == ()
    assert space.planes[0].start_ns.tolist() == [4]


def test_events_of_unknown_name_have_no_name() -> None:
    space, _ = rows(plane(line(number(1, 5) + number(2, 1), event(start_ps=5000))))

    found = space.planes[0]

    assert [found.names[code] for code in found.event_name] == ["", "op"]


def test_fields_in_any_order_and_lines_before_names() -> None:
    backwards = raw.stat(number(4, 7)) + number(3, 1000) + number(2, 9_000_000) + number(1, 1)
    data = content(
        1, line(backwards), named(5, 1, "stat"), named(4, 1, "op"), content(2, b"/host:CPU"), number(1, 4)
    )

    space, found = rows(data)

    assert found == ()
    assert space.planes[0].name == "/host:CPU"
    assert last_good(space.planes[0]) == (9000, 9001, "op", 7)


def test_rows_are_summed_by_name_and_ordered_by_severity() -> None:
    anomalies = Anomalies()
    anomalies.add("b", "First.", 2)
    anomalies.add("c", "Lost.", severity="data_loss")
    anomalies.add("b", "Second.", severity="error")
    anomalies.add("a", "None.", 0)
    anomalies.add("d", "Info.")

    assert anomalies.rows() == (
        Anomaly("c", 1, "data_loss", "Lost."),
        Anomaly("b", 3, "error", "First."),
        Anomaly("d", 1, "info", "Info."),
    )
