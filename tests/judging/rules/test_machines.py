"""Rules about the machine are silent on healthy ones, and answer whatever a machine may have done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from demo.build import training as demo_training
from demo.simulator import Training, simulate
from demo.simulator.captured import PROFILE_START_NS
from demo.simulator.machine import Machine, resources
from tests.builders import Host, decoded, inputs, inputs_of_run
from tests.judging.rules.test_healthy_jobs import JOBS
from tests.pace import pace
from tests.watched import simulated, training, waiting, watched
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.recording.resources import KINDS, Recorded, from_json, to_json

JUDGED = [rule for rule in RULES if rule.group == "machine"]


def said(recorded: Recorded, host: Host | None = None) -> Outcome:
    """What these rules say beside a good profile, or this one."""
    outcome = run_rules(JUDGED, inputs(host or training(), recorded=recorded))
    assert outcome.errors == ()
    return outcome


HEALTHY = {
    "one GPU": simulated(Machine()),
    "evaluations": simulated(Machine(pause_s=60, pause_every_s=240)),
    "a late start": simulated(Machine(starts_s=600, downloads_gb=90)),
    "four hours": simulated(Machine(minutes=240)),
    "ten minutes": simulated(Machine(minutes=10)),
    "a minute": simulated(Machine(minutes=1)),
    "four GPUs": simulated(Machine(gpus=4)),
    "busy processors": simulated(Machine(training_cores=15.5)),
    "processors that compute steps": simulated(Machine(gpus=0, processors=4, training_cores=3.95)),
    "a quota that costs nothing": simulated(Machine(processors=4, training_cores=3.0, throttled=0.3)),
    "a full link": simulated(Machine(network_gbps=3.1)),
    "a busy disk": simulated(Machine(disk_busy=1.0)),
    "a link of unknown speed": simulated(Machine(link_gbps=None, disk_gbps=0.0)),
}


TRUE = {"evaluations": ["idle-between"], "a late start": ["late-start"]}
"""What is true of some: time without steps."""

ONE = demo_training("healthy_single_gpu")
TRAININGS: dict[str, tuple[Training, Machine]] = {
    "8 GPUs": (JOBS["8 GPUs"], Machine(gpus=8, processors=96, training_cores=40.0)),
    "2 hosts": (JOBS["2 hosts"], Machine(gpus=4)),
    "CPU only": (demo_training("gpu_not_used"), Machine(gpus=0, processors=4, training_cores=3.9)),
    "full processors without waits": (ONE, Machine(processors=4, training_cores=3.95, other_cores=0.05)),
    "a short training": (ONE, Machine(minutes=3, starts_s=20)),
    "short pauses": (ONE, Machine(pause_s=2, pause_every_s=600)),
}


@pytest.mark.parametrize("name", TRAININGS)
def test_the_machine_of_a_healthy_training_gets_no_finding(name: str) -> None:
    job, machine = TRAININGS[name]
    hosts = decoded(simulate(replace(job, machine=machine)).files)
    its = tuple(resources(machine, host.host, PROFILE_START_NS) for host in hosts)
    recorded = Recorded(its, (PROFILE_START_NS, PROFILE_START_NS + 1_000_000_000), 10)

    outcome = run_rules(JUDGED, inputs_of_run(hosts, recorded=recorded))

    assert outcome.errors == ()
    assert [(one.id, one.summary) for one in outcome.findings] == []


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_machine_gets_no_finding(name: str) -> None:
    stored = Recorded(
        tuple(from_json(host.host, to_json(host)) for host in HEALTHY[name].hosts),
        HEALTHY[name].steps_ns,
        HEALTHY[name].steps,
    )

    assert [one.problems for one in stored.hosts] == [()]
    assert [one.id for one in said(stored).findings] == TRUE.get(name, [])


def test_a_healthy_machine_is_not_blamed_for_late_input() -> None:
    assert [one.id for one in said(simulated(Machine(gpu_busy=0.53)), waiting(40)).findings] == []


def hostile() -> Iterator[object]:
    """For each kind of series, numbers that no machine has."""
    numbers = {
        "zeros": [0.0] * 900,
        "one row": [0.5],
        "constant": [1.0] * 900,
        "the largest": [1e18] * 900,
        "the smallest": [5e-324] * 900,
        "at the end": [0.0] * 899 + [1e18],
        "in turns": [0.0, 1e18] * 450,
        "ascending": np.linspace(0, 1e18, 900).tolist(),
        "from small to large": np.geomspace(5e-324, 1e18, 900).tolist(),
    }
    for name, column in numbers.items():
        yield pytest.param(column, id=name)


@pytest.mark.parametrize("row_s", [1e-9, 1.0, 2e6])
@pytest.mark.parametrize("column", list(hostile()))
@pytest.mark.parametrize("busy", ["as all", "always"])
def test_no_series_breaks_a_rule(column: list[float], row_s: float, busy: str) -> None:
    series = {
        f"{name} 0" if name.startswith(("gpu", "network", "disk")) else name: np.minimum(
            column, 1.0 if kind.unit == "ratio" else np.inf
        ).tolist()
        for name, kind in KINDS.items()
    }
    if busy == "always":
        series["gpu.busy 0"] = [1.0] * len(column)

    with np.errstate(all="raise", under="ignore"):
        outcome = said(
            watched(series, row_s, limits={"memory.training": 1e18, "gpu.clock 0": 1e18}), waiting(40)
        )

    found = sum(1 + len(one.explains) for one in outcome.findings)
    assert found + len(outcome.passed) + len(outcome.not_applicable) == len(JUDGED)


def test_many_rows_of_many_gpus_take_no_time() -> None:
    rows = np.arange(8192)
    series = {
        f"{name} {gpu}": column.tolist()
        for gpu in range(64)
        for name, column in {
            "gpu.busy": np.full(8192, 0.9),
            "gpu.clock": 1e9 + 1e5 * (rows % 7),
            "gpu.slowed_by_heat": 0.1 * (rows % 3),
            "gpu.slowed_by_power": 0.1 * (rows % 2),
            "gpu.others": 1.0 * (rows % 5 == 0),
        }.items()
    }
    series["network.out eth0"] = (1e6 + 1e8 * (rows % 8 == 0)).tolist()
    series["memory.training"] = (1e9 + 1e6 * rows).tolist()
    series["memory.available"] = [1e11] * 8192
    given = inputs(training(), recorded=watched(series))

    slower, began = pace(), time.process_time()
    outcome = run_rules(JUDGED, given)

    assert {one.id for one in outcome.findings} >= {"gpu-shared", "memory-grows"}
    assert time.process_time() - began < 2 * 0.5 * slower
