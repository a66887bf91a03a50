"""Which NVTX range marks the steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.strategies  # noqa: F401 - the profile of hypothesis
from tests.readers.nsight.writer import MS, RUNTIME, US, Export
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.trace.model import HostTrace

STEP = 10 * MS


def training(
    name: str = "step {}", steps: int = 5, *, process: int = 100, thread: int = 0, late: int = 0
) -> Export:
    """Steps of 10 ms, of which the range covers 9; each launches two kernels."""
    export = Export()
    add_steps(export, name, steps, process=process, thread=thread, late=late)
    return export


def add_steps(
    export: Export, name: str, steps: int, *, process: int = 100, thread: int = 0, late: int = 0
) -> None:
    for number in range(steps):
        begin = number * STEP + late
        where: dict[str, Any] = {"process": process, "thread": thread or process}
        export.range(name.format(number), begin, begin + 9 * MS, **where)
        for part in (1, 4):
            export.launch(begin + part * MS, begin + part * MS + 20 * US, begin + part * MS + 3 * MS, **where)


def marked(trace: HostTrace) -> list[tuple[str, int, int]]:
    """Name, number and begin of each step."""
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
    ],
)
def test_a_range_that_comes_once_a_step_marks_it(tmp_path: Path, name: str, called: str) -> None:
    trace = training(name).trace(tmp_path)

    assert marked(trace) == [(called, number, number * STEP) for number in range(5)]
    steps = host_steps(trace)
    assert steps.source == "markers"
    assert steps.marker_name == called
    assert len(steps) == 5


def test_numbers_are_those_of_the_names(tmp_path: Path) -> None:
    export = Export()
    for at, number in enumerate((90, 95, 120)):
        export.range(f"step {number}", at * STEP, at * STEP + 9 * MS)
        export.launch(at * STEP + MS, at * STEP + 2 * MS, at * STEP + 8 * MS)

    assert [number for _, number, _ in marked(export.trace(tmp_path))] == [90, 95, 120]


def test_numbers_that_begin_anew_are_counted_through(tmp_path: Path) -> None:
    export = Export()
    for at in range(6):
        export.range(f"step {at % 3}", at * STEP, at * STEP + 9 * MS)
        export.launch(at * STEP + MS, at * STEP + 2 * MS, at * STEP + 8 * MS)

    assert [number for _, number, _ in marked(export.trace(tmp_path))] == [0, 1, 2, 3, 4, 5]


def test_a_step_holds_its_parts_and_an_epoch_is_none(tmp_path: Path) -> None:
    export = training("step {}", steps=6)
    for number in range(6):
        export.range("iter body", number * STEP + 100, number * STEP + 8 * MS)
        export.range("forward", number * STEP + 200, number * STEP + 4 * MS)
    for epoch in range(3):
        export.range(f"epoch {epoch}", 2 * epoch * STEP, 2 * (epoch + 1) * STEP - 10)

    assert {name for name, _, _ in marked(export.trace(tmp_path))} == {"step"}


@pytest.mark.parametrize("name", ["layer {}", "block", "forward", "aten::linear, op_id = {}", "epoch {}"])
def test_parts_of_steps_mark_none(tmp_path: Path, name: str) -> None:
    trace = training(name).trace(tmp_path)

    assert marked(trace) == []
    assert host_steps(trace).source == "period"


def test_two_steps_do_not_show_that_they_repeat(tmp_path: Path) -> None:
    assert marked(training(steps=2).trace(tmp_path)) == []


def test_a_range_around_little_marks_no_steps(tmp_path: Path) -> None:
    export = Export()
    for number in range(5):
        export.range(f"update {number}", number * STEP, number * STEP + 2 * MS)
        export.launch(number * STEP + MS, number * STEP + 2 * MS, number * STEP + 8 * MS)

    assert marked(export.trace(tmp_path)) == []


def test_a_range_that_launches_nothing_marks_no_steps(tmp_path: Path) -> None:
    export = training("load batch {}", thread=5)
    del export.tables[RUNTIME]

    assert marked(export.trace(tmp_path)) == []


def test_launches_of_other_threads_belong_to_the_step(tmp_path: Path) -> None:
    """PyTorch's backward pass runs on a thread of its own."""
    export = Export()
    for number in range(5):
        export.range(f"step {number}", number * STEP, number * STEP + 9 * MS, thread=1)
        export.launch(number * STEP + MS, number * STEP + 2 * MS, number * STEP + 8 * MS, thread=2)

    assert len(marked(export.trace(tmp_path))) == 5


def test_a_thread_that_loads_batches_marks_no_steps(tmp_path: Path) -> None:
    export = training()
    for number in range(5):
        export.range("next batch", number * STEP, number * STEP + 9 * MS + 5, thread=7)

    assert {name for name, _, _ in marked(export.trace(tmp_path))} == {"step"}


def test_of_several_processes_one_marks_the_steps(tmp_path: Path) -> None:
    export = training(process=100)
    add_steps(export, "step {}", 5, process=200, late=300 * US)

    trace = export.trace(tmp_path)

    assert [begin for _, _, begin in marked(trace)] == [number * STEP for number in range(5)]
    assert len(host_steps(trace)) == 5


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
