"""Which NVTX range marks the steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.strategies  # noqa: F401 - the profile of hypothesis
from tests.readers.nsight.writer import MS, US, Export
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.trace.model import HostTrace

STEP = 10 * MS


def training(name: str = "step {}", process: int = 100) -> Export:
    """Steps of 10 ms, of which the range covers 9; each launches two kernels."""
    export = Export()
    add_steps(export, name, 5, process=process)
    return export


def add_steps(export: Export, name: str, steps: int, *, process: int = 100, late: int = 0) -> None:
    for number in range(steps):
        begin = number * STEP + late
        where: dict[str, Any] = {"process": process, "thread": process}
        export.range(name.format(number), begin, begin + 9 * MS, **where)
        for part in (1, 4):
            export.launch(begin + part * MS, begin + part * MS + 20 * US, begin + part * MS + 3 * MS, **where)


def marked(trace: HostTrace) -> list[tuple[str, int, int]]:
    """Name, number and start of each step."""
    events = trace.events
    return [
        (events.names[name], number, begin)
        for name, number, begin in zip(
            events.name.tolist(), events.step_num.tolist(), events.start_ns.tolist(), strict=True
        )
        if number >= 0
    ]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("step {}", "step"),
        ("step={}", "step"),
        ("ProfilerStep#{}", "ProfilerStep"),
        ("iteration {}/100", "iteration"),
        ("train {}", "train"),
        ("train_step", "train_step"),
        ("epoch 3 batch {}", "epoch batch"),
        ("epoch 1, step {}", "epoch, step"),
        ("Step[{}]", "Step"),
        ("batch_{}", "batch"),
        ("Iteration", "Iteration"),
        ("generate {}", "generate"),
    ],
)
def test_a_range_that_comes_once_a_step_marks_it(tmp_path: Path, name: str, called: str) -> None:
    trace = training(name).trace(tmp_path)

    assert marked(trace) == [(called, number, number * STEP) for number in range(5)]
    steps = host_steps(trace)
    assert steps.source == "markers"
    assert steps.marker_name == called
    assert len(steps) == 5


def export_of(*ranges: tuple[str, int, int], launches: int = 5, on: int = 0) -> Export:
    """Ranges by name, begin and end on one thread, and a launch in each of several steps on thread ``on``."""
    export = Export()
    for name, begin, end in ranges:
        export.range(name, begin, end, thread=1)
    for at in range(launches):
        export.launch(at * STEP + MS, at * STEP + 2 * MS, at * STEP + 8 * MS, thread=on or 1)
    return export


def steps_called(names: list[str], length: int = 9 * MS) -> list[tuple[str, int, int]]:
    return [(name, at * STEP, at * STEP + length) for at, name in enumerate(names)]


@pytest.mark.parametrize(
    "name",
    [
        "layer {}", "block", "transformer block {}", "microbatch {}", "forward", "generate", "epoch {}",
        "train_epoch {}", "aten::linear, op_id = {}",
    ],
)  # fmt: skip
def test_parts_of_steps_mark_none(tmp_path: Path, name: str) -> None:
    trace = training(name).trace(tmp_path)

    assert marked(trace) == []
    assert host_steps(trace).source == "period"


@pytest.mark.parametrize(("name", "others", "count"), [("Identity_{}", 6, 0), ("generate {}", 4, 5)])
def test_ranges_that_only_count_hold_most_launches_of_the_recording(
    tmp_path: Path, name: str, others: int, count: int
) -> None:
    """TensorRT numbers equal layers of its one pass."""
    export = export_of(*steps_called([name.format(number) for number in range(5)]))
    for at in range(others):
        export.launch((6 + at) * STEP, (6 + at) * STEP + MS, (7 + at) * STEP, thread=1)

    assert len(marked(export.trace(tmp_path))) == count


def test_a_thread_that_loads_batches_marks_no_steps(tmp_path: Path) -> None:
    export = training()
    for number in range(5):
        export.range("next batch", number * STEP, number * STEP + 9 * MS + 5, thread=7)

    assert {name for name, _, _ in marked(export.trace(tmp_path))} == {"step"}


@given(st.lists(st.tuples(st.sampled_from(["step", "step {}", "x {}", "train"]), st.integers(0, 50),
                          st.integers(1, 30), st.integers(1, 2)), max_size=12))  # fmt: skip
def test_marked_steps_have_one_name_one_thread_and_rising_numbers(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[str, int, int, int]]
) -> None:
    export = Export()
    for number, (name, begin, length, thread) in enumerate(drawn):
        export.range(name.format(number), begin, begin + length, thread=thread)
        export.launch(begin, begin + length, begin + 2 * length, thread=thread)

    events = export.trace(tmp_path_factory.mktemp("steps")).events

    rows = events.step_num >= 0
    assert len({*events.name[rows].tolist()}) == len({*events.thread[rows].tolist()}) == bool(rows.any())
    assert sorted(events.step_num[rows].tolist()) == events.step_num[rows].tolist()
    assert rows.sum() == 0 or rows.sum() >= 3
