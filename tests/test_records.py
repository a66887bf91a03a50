"""Records are frozen, and users may treat reports as the dataclasses that they are promised to be."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import msgspec
import pytest

from tests.conftest import REPOSITORY
from tests.reports import make_report
from tfperf_plugin.records import Record
from tfperf_plugin.report.serialize import to_bytes


class Inner(Record, frozen=True):
    """Part of another."""

    sizes: tuple[int, ...] = ()


class Outer(Record, frozen=True):
    """With a default, and another inside."""

    name: str
    inner: Inner = Inner((1, 2))


def test_they_cannot_be_changed_but_copied() -> None:
    record = Outer("a")
    with pytest.raises(AttributeError):
        record.name = "b"  # type: ignore[misc]
    assert copy.deepcopy(record) == pickle.loads(pickle.dumps(record)) == record
    assert hash(record) == hash(Outer("a")) and record != Outer("b")


def test_they_answer_as_dataclasses() -> None:
    assert [field.name for field in dataclasses.fields(Outer)] == ["name", "inner"]
    assert dataclasses.asdict(Outer("a")) == {"name": "a", "inner": {"sizes": (1, 2)}}
    assert dataclasses.astuple(Outer("a")) == ("a", ((1, 2),))
    assert dataclasses.replace(Outer("a"), name="b") == Outer("b")
    report = make_report()
    assert dataclasses.asdict(report)["findings"][0]["id"] == report.findings[0].id
    assert dataclasses.replace(report, headline="x").headline == "x"
    assert dataclasses.is_dataclass(report)


def test_they_are_still_read_by_their_own_types() -> None:
    assert msgspec.json.decode(msgspec.json.encode(Outer("a")), type=Outer) == Outer("a")
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"name": "a", "more": 1}', type=Outer)


_AT_ONCE = """
import sys, threading
from tfperf_plugin.report.serialize import from_bytes

data, together = sys.stdin.buffer.read(), threading.Barrier(4)
sys.setswitchinterval(1e-6)

def decode():
    together.wait()
    from_bytes(data)

threads = [threading.Thread(target=decode) for _ in range(4)]
for each in (threading.Thread.start, threading.Thread.join):
    for thread in threads:
        each(thread)
"""


@pytest.mark.parametrize("_", range(5))
def test_threads_may_decode_a_report_for_the_first_time_at_once(_: int) -> None:
    """Without a lock, one process in two crashes."""
    data = to_bytes(make_report())

    done = subprocess.run([sys.executable, "-c", _AT_ONCE], input=data, cwd=REPOSITORY, capture_output=True)

    assert (done.returncode, done.stderr) == (0, b"")
