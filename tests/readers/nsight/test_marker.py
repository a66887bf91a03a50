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
