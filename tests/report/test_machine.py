"""What the machines did during the whole training: lanes, marks, and the section about them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import inputs
from tests.reports import make_report
from tests.watched import Numbers, training, watched
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.machine import idle_between, late_start
from tfperf_plugin.recording.resources import Recorded
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.machine import (
    MARKS_CAP,
    POINTS_CAP,
    machine,
    machine_blocks,
    machine_section,
)
from tfperf_plugin.report.serialize import from_json, to_text
from tfperf_plugin.report.tables import table_of

BUSY, IDLE = [0.9], [0.0]
PAUSING = IDLE * 200 + (BUSY * 60 + IDLE * 20) * 3 + BUSY * 60


def made(recorded: Recorded) -> model.Machine:
    given = inputs(training(), recorded=recorded)
    outcome = run_rules((idle_between.RULE, late_start.RULE), given)
    found: model.Machine = given.call(machine, outcome.findings)
    return found


def lanes(series: Mapping[str, Numbers]) -> tuple[model.MachineLane, ...]:
    return made(watched(series)).hosts[0].lanes


def cells(found: model.Machine) -> list[tuple[object, ...]]:
    return [row for block in machine_blocks(found) if isinstance(block, model.Table) for row in block.rows]


def test_a_lane_keeps_means_and_extremes_of_the_whole_training() -> None:
    numbers = np.random.default_rng(1).gamma(2, 100.0, 1001)
    (host,) = made(watched({"gpu.busy 0": BUSY * 1001, "gpu.power 0": list(numbers)})).hosts
    power = host.lanes[1]

    took = np.diff(host.end_ns, prepend=0)
    assert (len(host.end_ns), host.end_ns[-1]) == (POINTS_CAP, host.watched_ns)
    assert max(took) <= 2 * min(took)
    assert np.average(power.mean, weights=took) == pytest.approx(numbers.mean(), rel=1e-3)
    assert (max(power.high), min(power.low)) == pytest.approx((numbers.max(), numbers.min()), rel=1e-3)
    assert all(low <= mean <= high for low, mean, high in zip(power.low, power.mean, power.high, strict=True))


def test_what_was_never_used_has_no_lane_but_gpu_and_processors() -> None:
    zero = [0.0, 0.0]

    found = lanes({"network.in eth0": zero, "disk.read sda": [0, 9], "gpu.busy 0": zero, "memory.swap": zero})

    assert [(lane.id, lane.of) for lane in found] == [("gpu.busy", "GPU 0"), ("disk.read", "sda")]


def test_the_gpu_comes_first_then_processors_memory_network_and_disks() -> None:
    order = ["gpu.busy 0", "gpu.memory 0", "gpu.clock 0", "gpu.power 0", "gpu.temperature 0"]
    order += ["processors.busy", "memory.training", "network.in eth0", "disk.read sda", "gpu.memory_clock 0"]

    found = lanes({name: [0.5] for name in sorted(order)})

    assert [lane.id for lane in found] == [name.split(" ")[0] for name in order]


def test_many_gpus_share_a_lane_and_of_many_interfaces_the_busiest_are_shown() -> None:
    series = {f"gpu.busy {gpu}": [gpu / 10] for gpu in range(8)}
    series |= {f"network.in eth{number}": [float(number)] for number in range(9)}

    gpus, *network = lanes(series)

    assert (gpus.of, gpus.low, gpus.mean, gpus.high) == ("8 GPUs", (0.0,), (0.35,), (0.7,))
    assert [lane.of for lane in network] == ["eth8", "eth7", "eth6", "eth5"]


def test_findings_mark_when_no_step_ran() -> None:
    (host,) = made(watched({"gpu.busy 0": PAUSING})).hosts
    late, *pauses = host.marks

    assert (late.finding, late.begin_ns, late.end_ns) == ("late-start", 0, 200_000_000_000)
    assert late.label == "Late first step: 3 min"
    assert [(mark.finding, mark.end_ns - mark.begin_ns) for mark in pauses] == [("idle-between", 20e9)] * 3
    assert pauses[0].label == "Pauses between steps: 20.0 s"


def test_without_a_finding_nothing_is_marked_and_of_many_pauses_the_longest_are() -> None:
    (healthy,) = made(watched({"gpu.busy 0": BUSY * 100})).hosts
    (pausing,) = made(watched({"gpu.busy 0": (BUSY * 9 + IDLE * 5) * MARKS_CAP * 2})).hosts

    assert healthy.marks == ()
    assert len(pausing.marks) == MARKS_CAP - 1


def test_the_table_says_what_the_limit_is_and_of_which_host_a_row_is() -> None:
    recorded = watched({"gpu.memory 0": [1e9, 3e9], "gpu.busy 0": BUSY * 2}, limits={"gpu.memory 0": 4e9})
    other = replace(recorded.hosts[0], host="other")

    rows = cells(made(replace(recorded, hosts=(*recorded.hosts, other))))

    assert rows[1] == ("GPU memory in use · GPU 0", "2.0 GB", "3.0 GB", "4.0 GB", "in all", "host")
    assert rows[3][-1] == "other"


def test_if_nothing_shows_when_steps_ran_the_time_is_said() -> None:
    found = made(watched({"network.in eth0": [5.0] * 300}))

    assert found.running_ratio is None
    assert machine_section(found).answer == "The machine was watched for 5 min; nothing shows when steps ran."


def test_what_is_missing_and_what_cannot_be_read_is_said() -> None:
    recorded = watched({"gpu.busy 0": BUSY * 9})
    (host,) = recorded.hosts
    none = replace(host, host="other", end_ns=host.end_ns[:0], series=(), problems=("It is damaged.",))
    partly = replace(host, missing=("No GPU driver answered.",))

    found = made(replace(recorded, hosts=(none, partly)))

    assert [one.host for one in found.hosts] == ["host", "other"]
    *_, last = machine_blocks(found)
    assert last == model.Sentence("host: No GPU driver answered. other: It is damaged.")
    alone = made(replace(recorded, hosts=(none,)))
    assert machine_section(alone).answer == "What was watched of the machine cannot be used."
    assert machine_section(alone).chip == ""


def test_a_report_with_a_machine_is_the_same_after_saving() -> None:
    found = made(watched({"gpu.busy 0": PAUSING, "gpu.clock 0": [1.41e9] * len(PAUSING)}))
    report = replace(make_report(), machine=found)

    assert from_json(to_text(report)) == report
    assert table_of(make_report(), "machine") is None
