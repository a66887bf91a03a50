"""A slice as a viewer reads it: lines, times, arrows, names, and what it leaves out."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.builders import ALL_REDUCE, Host
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.report.slice import choose, chrome
from tfperf_plugin.report.slice.choose import Cut, parse_cut
from tfperf_plugin.report.slice.chrome import LONGEST_TEXT, MOST_LINES, file_name, lines_of, write_slice
from tfperf_plugin.trace.model import HostTrace

MS = 1_000_000
Event = dict[str, Any]


class File:
    """A slice as a viewer has it."""

    def __init__(self, trace: HostTrace, begin_ms: float, end_ms: float) -> None:
        cut = Cut(trace.host, round(begin_ms * MS), round(end_ms * MS))
        self.slice = write_slice(trace, host_steps(trace), cut, {"run": "run"})
        found = json.loads(gzip.decompress(self.slice.content))
        self.about: Event
        self.events: list[Event]
        self.about, self.events = found["otherData"], found["traceEvents"]
        self._names = {
            (e["pid"], e.get("tid")): e["args"]["name"] for e in self.events if e["name"].endswith("s_name")
        } | {(e["pid"], e["tid"]): e["args"]["name"] for e in self.events if e["name"] == "thread_name"}

    def where(self, event: Event) -> tuple[str, str]:
        """The names of its process and its line."""
        return self._names[event["pid"], None], self._names[event["pid"], event["tid"]]

    @property
    def spans(self) -> list[Event]:
        """All that has a length, but for steps."""
        return [e for e in self.events if e["ph"] == "X" and e["cat"] != "step"]

    def named(self, name: str) -> Event:
        (found,) = (event for event in self.spans if event["name"] == name)
        return found

    def arrows(self) -> list[tuple[str, str]]:
        """What each arrow joins, as Perfetto does: on its line, what has begun last before it in the file."""
        ends: dict[tuple[str, int], str] = {}
        order = sorted(enumerate(self.events), key=lambda pair: (pair[1].get("ts", -1), pair[0]))
        open_: dict[tuple[int, int], list[Event]] = {}
        for _, event in order:
            if event["ph"] == "M":
                continue
            line = open_.setdefault((event["pid"], event["tid"]), [])
            while line and event["ph"] == "X" and line[-1]["ts"] + line[-1]["dur"] <= event["ts"]:
                line.pop()
            if event["ph"] == "X":
                line.append(event)
            else:
                assert line[-1]["ts"] <= event["ts"] <= line[-1]["ts"] + line[-1]["dur"]
                ends[event["ph"], event["id"]] = line[-1]["name"]
        assert {number for phase, number in ends if phase == "s"} == {n for phase, n in ends if phase == "f"}
        return sorted((ends["s", n], ends["f", n]) for phase, n in ends if phase == "s")


def two_threads() -> Host:
    """Two threads launch on two GPUs; a copy and a collective beside them."""
    host = Host(gpus=2, model=("Tesla V100", "Tesla V100")).steps(3, 100)
    host.event("forward", 1, 20)
    host.event("loss", 2, 5)
    for gpu, thread in enumerate(("python3", "autograd")):
        host.kernel(
            10 + gpu,
            20,
            gpu,
            f"kernel {gpu}",
            launch=(3 + gpu, 3.5 + gpu),
            thread=thread,
            op=f"op{gpu}:MatMul",
        )
        host.kernel(30, 40, gpu, ALL_REDUCE, stream=9, launch=(8 + gpu, 9 + gpu), thread=thread)
    host.copy("H2D", 12, 14, size=4096)
    return host


def test_each_thread_and_stream_has_a_line() -> None:
    file = File(two_threads().trace(), 0, 100)

    assert {file.where(event) for event in file.spans} == {
        ("worker, threads", "python3"), ("worker, threads", "autograd"),
        ("worker GPU 0 Tesla V100", "Stream #7(Compute)"), ("worker GPU 0 Tesla V100", "Stream #9(Compute)"),
        ("worker GPU 0 Tesla V100", "Stream #20(Compute)"),
        ("worker GPU 1 Tesla V100", "Stream #7(Compute)"), ("worker GPU 1 Tesla V100", "Stream #9(Compute)"),
    }  # fmt: skip
    tids = [e["tid"] for e in file.events if e["name"] == "thread_name"]
    assert len(set(tids)) == len(tids)
    assert {e["pid"] for e in file.events}.isdisjoint(tids)


def test_times_are_those_of_the_report_in_us() -> None:
    host = Host().steps(3, 100)
    host.kernel(10.000001, 20.123456, name="odd")
    file = File(host.trace(), 0, 300)

    odd = file.named("odd")
    assert (odd["ts"], odd["dur"]) == (pytest.approx(10_000.001), pytest.approx(10_123.455))
    steps = [event for event in file.events if event.get("cat") == "step"]
    assert [(s["name"], s["ts"], s["dur"]) for s in steps][:2] == [
        ("Step 0", 0, 100_000), ("Step 1", 100_000, 100_000),
    ]  # fmt: skip
    assert file.where(steps[0]) == ("worker, threads", "Steps")
    assert (file.about["begin_ms"], file.about["end_ms"], file.about["note"]) == (0, 300, "")
    assert file.about["events_count"] == len(file.spans)


@given(st.integers(0, 1 << 50))
def test_a_reader_that_cuts_fractions_off_gets_the_same_ns(ns: int) -> None:
    us = float(chrome._us(np.array([ns]))[0])

    assert int(us * 1000.0) == ns
    assert us == pytest.approx(ns / 1000, rel=1e-15)


def test_arrows_join_each_launch_with_its_kernel() -> None:
    host = two_threads()
    trace = host.trace()
    names = list(trace.events.names)
    # Launches get names of their own, so that none can stand for another.
    code = trace.events.name.copy()
    for row in np.flatnonzero(trace.events.launches).tolist():
        names.append(f"launch at {trace.events.start_ns[row] / MS:g}")
        code[row] = len(names) - 1
    trace = replace(trace, events=replace(trace.events, name=code, names=tuple(names)))

    assert File(trace, 0, 100).arrows() == [
        ("launch at 3", "kernel 0"), ("launch at 4", "kernel 1"),
        ("launch at 8", ALL_REDUCE), ("launch at 9", ALL_REDUCE),
    ]  # fmt: skip


def test_a_kernel_says_its_op_and_who_launched_it() -> None:
    file = File(two_threads().trace(), 0, 100)

    assert file.named("kernel 1")["args"] == {"op": "op1:MatMul", "launched by": "autograd"}
    assert file.named("MemcpyH2D")["args"] == {"bytes": 4096}
    assert {e["cat"] for e in file.spans} == {"host", "compute", "collective", "copy host to GPU"}


def test_a_range_holds_what_lies_in_it_in_part_and_the_other_ends_of_arrows() -> None:
    host = Host().steps(3, 1000)
    host.event("long", 1, 90)
    host.event("outside", 95, 97)
    host.event("encloses the launch", 2, 12)
    host.event("beside the launch", 13, 14)
    host.kernel(60, 70, name="launched before", launch=(10, 11))
    host.kernel(300, 310, name="runs later", launch=(62, 63))
    host.kernel(320, 330, name="later", launch=(200, 201))
    host.kernel(40, 50, name="earlier")

    file = File(host.trace(), 50, 65)

    assert {e["name"] for e in file.spans} == {
        "train 0", "long", "encloses the launch", "cuLaunchKernel", "launched before", "runs later",
    }  # fmt: skip
    assert file.arrows() == [("cuLaunchKernel", "launched before"), ("cuLaunchKernel", "runs later")]


def test_the_arrow_to_a_kernel_that_seems_to_begin_before_its_launch_ends_on_it() -> None:
    host = Host().steps(3, 100)
    host.kernel(10, 20, name="early", launch=(10.5, 11))
    host.kernel(30, 30.5, name="impossible", launch=(30.6, 31))
    file = File(host.trace(), 0, 100)

    assert file.arrows() == [("cuLaunchKernel", "early")]
    (end,) = (event for event in file.events if event["ph"] == "f")
    assert (end["ts"], end["bp"]) == (10_500, "e")


def test_what_overlaps_on_a_stream_or_thread_gets_a_line_of_its_own() -> None:
    host = Host().steps(3, 100)
    host.kernel(10, 20, name="a")
    host.kernel(12, 18, name="within a")
    host.kernel(20, 22, name="after a")
    host.event("open", 40, 50, thread="worker")
    host.event("inside", 41, 42, thread="worker")
    host.event("crosses", 45, 55, thread="worker")
    file = File(host.trace(), 0, 100)

    assert {name: file.where(file.named(name))[1] for name in ("a", "within a", "after a")} == {
        "a": "Stream #7(Compute)", "within a": "Stream #7(Compute), line 2", "after a": "Stream #7(Compute)",
    }  # fmt: skip
    assert {name: file.where(file.named(name))[1] for name in ("open", "inside", "crosses")} == {
        "open": "worker", "inside": "worker", "crosses": "worker, line 2",
    }  # fmt: skip


spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=40)


@given(spans, st.booleans())
def test_no_two_of_a_line_cross(drawn: list[tuple[int, int]], nested: bool) -> None:
    events = sorted(((begin, begin + length) for begin, length in drawn), key=lambda e: (e[0], -e[1]))
    lines = lines_of([e[0] for e in events], [e[1] for e in events], nested)

    for i, (begin, end) in enumerate(events):
        for j in range(i):
            if lines[i] == lines[j] >= 0:
                assert events[j][1] <= begin or (nested and end <= events[j][1])
    assert len(events) > MOST_LINES or min(lines, default=0) >= 0


def test_of_endless_overlaps_some_are_left_out_and_counted() -> None:
    host = Host().steps(3, 100)
    for i in range(MOST_LINES + 3):
        host.kernel(10 + i * 0.1, 20, name=f"kernel {i}", launch=(1 + i * 0.1, 1.05 + i * 0.1))
    file = File(host.trace(), 0, 100)

    assert file.slice.note == "3 events overlap too many others and are left out."
    assert len(file.arrows()) == MOST_LINES


HOSTILE = '"</script><img src=x onerror=alert(1)>\\ \u202e\x00\x1b\ud800 \n'


def test_names_are_data() -> None:
    host = Host().steps(3, 100)
    host.event("host", 1, 2, thread="thread")
    host.kernel(10, 20, launch=(5, 6), thread="thread", name="kernel")
    trace = host.trace()
    events = replace(
        trace.events, names=tuple(HOSTILE for _ in trace.events.names), threads=(HOSTILE, HOSTILE)
    )
    long = HOSTILE + "x" * LONGEST_TEXT
    device = replace(trace.devices[0], names=(long,) * len(trace.devices[0].names), streams=(HOSTILE,))
    file = File(replace(trace, host=HOSTILE, events=events, devices=(device,)), 0, 100)

    plain = '"</script><img src=x onerror=alert(1)>\\ ���� �'
    assert {e["name"] for e in file.spans if e["cat"] == "host"} == {plain, f"{plain} 0"}
    (kernel,) = (e for e in file.spans if e["cat"] == "compute")
    assert kernel["name"].startswith(plain)
    assert len(kernel["name"]) == LONGEST_TEXT
    assert file.where(kernel)[1] == plain
    assert (
        file_name(HOSTILE, Cut(HOSTILE, 0, MS))
        == "script-img-src-x-onerror-alert-1-script-img-src-x-onerror-alert-1-0.000-1.000ms.json.gz"
    )


def test_a_range_of_too_many_events_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host().steps(3, 1000)
    for i in range(100):
        host.kernel(10 * i, 10 * i + 5, name=f"kernel {i}")
    for module in (choose, chrome):
        monkeypatch.setattr(module, "MOST_EVENTS", 40)
    file = File(host.trace(), 0, 800)

    assert file.slice.note == "It ends at 390.000 ms: up to 800.000 ms, there are more than 40 events."
    assert (file.about["end_ms"], file.about["note"]) == (390, file.slice.note)
    assert file.about["events_count"] == len(file.spans) == 40
    monkeypatch.setattr(choose, "MOST_EVENTS", 0)
    with pytest.raises(BadOptionError, match="At 0 ms, more than 0 events go on: begin elsewhere"):
        File(host.trace(), 0, 800)


def test_of_a_range_in_which_nothing_goes_on_it_is_said_where_something_does() -> None:
    host = Host().steps(3, 100)
    host.kernel(10, 20)

    with pytest.raises(
        BadOptionError, match="nothing from 400 to 500 ms; choose a range between 0 and 300 ms"
    ):
        File(host.trace(), 400, 500)
    with pytest.raises(BadOptionError, match="nor at any other time; choose another host"):
        File(Host().trace(), 0, 1)


@pytest.mark.parametrize(
    ("begin", "end"),
    [("", "2"), ("1", None), ("x", "2"), ("2", "1"), ("1", "1"), ("nan", "2"), ("0", "1e300")],
)
def test_ranges_that_make_no_sense(begin: str, end: str | None) -> None:
    with pytest.raises(BadOptionError, match="A slice needs its start and its end in milliseconds"):
        parse_cut({"begin_ms": begin, "end_ms": end})


def test_a_range() -> None:
    assert parse_cut({"host": "a", "begin_ms": "-1.5", "end_ms": "2e0"}) == Cut("a", -1_500_000, 2_000_000)
    assert parse_cut({"begin_ms": "0", "end_ms": "1"}).host == ""
