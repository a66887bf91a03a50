"""Whatever is skipped, clipped or guessed is counted, and costs nothing else."""

from __future__ import annotations

import gzip

import pytest

from tests.readers.xspace.raw import content, event, line, named, number, plane, stat
from tfperf_plugin.readers.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.xspace import Plane, XSpace, read

GOOD = event(stat(number(4, 7)), start_ps=9_000_000, duration_ps=1000)
"""An event from 9,000 to 9,001 ns with the stat 7, which every anomaly must leave alone."""

STAT_OF_NAME = content(4, number(1, 2), content(2, content(2, b"x"), content(5, b"\x0a\x05")))

SEVERITY = {
    "info": {
        "unknown-field", "aggregated-event", "unsorted-event", "unknown-event-name", "unknown-stat",
        "duplicate-plane", "duplicate-line", "empty-event", "invalid-utf8", "negative-time",
    },
    "error": {"duplicate-name-id", "negative-duration"},
    "data_loss": {
        "damaged-event", "damaged-stat", "damaged-name", "impossible-time", "unreadable-compressed-text",
    },
}  # fmt: skip

ONCE = [
    ("unknown-field", "in an event", line(event(number(99, 1)), GOOD)),
    ("unknown-field", "in a line", line(GOOD) + content(3, number(77, 1))),
    ("unknown-field", "in a plane", content(50, b"later") + line(GOOD)),
    ("unknown-field", "that is known of another type", line(event(content(3, b"?")), GOOD)),
    ("damaged-event", "cut off", line(b"\x08\x01\x10", GOOD)),
    ("damaged-event", "with a group", line(event(b"\x33"), GOOD)),
    ("damaged-event", "with field number 0", line(event(b"\x00\x01"), GOOD)),
    ("damaged-event", "with an endless number", line(b"\x10" + b"\xff" * 20, GOOD)),
    ("damaged-event", "endless", line(event(*[stat()] * 1000), GOOD)),
    ("damaged-stat", "of an event", line(event(stat(b"\x2a\x09x")), GOOD)),
    ("damaged-stat", "of a plane", line(GOOD) + content(6, b"\x2a\x09x")),
    ("damaged-stat", "of a name", STAT_OF_NAME + line(GOOD)),
    ("damaged-name", "", content(4, b"\x08\x02\x12\x09") + line(GOOD)),
    ("aggregated-event", "", line(number(1, 1) + number(3, 5000) + number(5, 3), GOOD)),
    ("impossible-time", "of an event", line(event(start_ps=1 << 62, duration_ps=1 << 62), GOOD)),
    ("negative-duration", "", line(event(start_ps=5000, duration_ps=-3000), GOOD)),
    ("negative-time", "", line(event(start_ps=-5500, duration_ps=1000), GOOD)),
    ("unsorted-event", "", line(GOOD, event(start_ps=99_000_000), event(start_ps=98_000_000))),
    ("unknown-event-name", "", line(number(1, 5) + number(2, 1), GOOD)),
    ("unknown-stat", "of unknown name", line(event(content(4, number(1, 5), number(4, 1))), GOOD)),
    ("unknown-stat", "without a value", line(event(stat()), GOOD)),
    ("unknown-stat", "with a text that is not in the table", line(event(stat(number(7, 5))), GOOD)),
    ("duplicate-name-id", "", named(4, 1, "op") + line(GOOD)),
    ("invalid-utf8", "in a name", named(4, 2, b"\xffname") + line(GOOD)),
    ("invalid-utf8", "in a text", line(event(stat(content(5, b"\xff"))), GOOD)),
    ("unreadable-compressed-text", "", line(event(stat(content(8, b"no gzip"))), GOOD)),
    ("unreadable-compressed-text", "cut", line(event(stat(content(8, gzip.compress(b"text")[:-9]))), GOOD)),
]
"""What is counted once in a plane with these lines."""
CASES = {f"{name} {where}": (plane(lines), name, 1) for name, where, lines in ONCE} | {
    "unknown-field in a file": (plane(line(GOOD)) + content(9, b"later"), "unknown-field", 1),
    "duplicate-plane": (plane(line(GOOD)) + plane(line(GOOD)), "duplicate-plane", 1),
    "duplicate-line": (plane(line(GOOD), line(), line()), "duplicate-line", 2),
    "empty-event": (plane(line(b"", GOOD, b"")), "empty-event", 2),
    "two at once": (
        plane(line(GOOD), line(event(), event(), id=2, timestamp_ns=1 << 62)),
        "impossible-time",
        2,
    ),
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


@pytest.mark.parametrize(("data", "name", "count"), CASES.values(), ids=CASES.keys())
def test_an_anomaly_is_counted_and_costs_nothing_else(data: bytes, name: str, count: int) -> None:
    space, found = rows(data)

    assert [(row.name, row.count) for row in found] == [(name, count)]
    assert name in SEVERITY[found[0].severity]
    assert found[0].sentence.endswith(".")
    assert last_good(space.planes[0]) == (9000, 9001, "op", 7)
