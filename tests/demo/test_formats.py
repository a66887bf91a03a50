"""A training has the same ledger whichever format carries it, and what differs has a reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from demo.build import scenario_names, training
from demo.formats import KINETO, NSIGHT, XSPACE
from demo.simulator.simulation import in_formats
from tests.builders import find_communication, find_steps, make_ledger
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Content
from tfperf_plugin.readers.formats import reader_of

TOLERANCE = 5e-4
"""Of the step; sums of thousands of times differ by less than that."""
OF_TENSORFLOW = ("idle.dispatch", "idle.compile", "idle.host_op", "idle.launch")
"""What the host does that TensorFlow alone records: its executor, calls of functions, tracing and compiling,
and ops that run on the CPU. PyTorch's threads leave no event of such work, or that of an op among others; and
what lies between launches is the work of its ops."""
INSTEAD = ("idle.dispatch", "idle.unknown", "idle.launch", "copy.h2d")
"""Accounts that come after those; the last one takes what nothing else does while a batch is copied ahead."""
EAGER = "PyTorch's step ends with its optimizer; TensorFlow's marker holds what reads the loss, too"
ONE_BATCH = "Keras' callback records one batch; PyTorch's profiler marks it from its start to its end"
ACCOUNTS_DIFFER: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "eager_execution": (EAGER, ("idle.between_steps", "idle.launch", "copy.h2d", "idle.unknown")),
    "tracer_overhead": (EAGER, ("idle.launch", "idle.unknown")),
    "unexplained_idle": (EAGER, ("idle.between_steps", "idle.unknown")),
    "case_loader_between_calls": (
        "JAX's call is the step; in PyTorch nothing marks where loading a batch ends",
        ("idle.between_steps", "idle.unknown"),
    ),
    "case_tuning_in_the_step": (
        "PyTorch checks no algorithm that it tries out, so trials are compute",
        ("compute", "idle.startup", "idle.sync", "idle.launch", "idle.unknown"),
    ),
    "case_generator": (ONE_BATCH, ("idle.sync", "idle.unknown")),
    "results_read_each_step": (ONE_BATCH, ("idle.sync", "idle.unknown", "copy.h2d", "idle.launch")),
}
"""Scenario → why accounts differ, and which."""
FEW_RANGES = ("case_generator", "case_tuning_in_the_step", "results_read_each_step", "too_few_steps")
"""NVTX ranges that come less than three times mark no steps."""
QUICK = (
    "input_bound", "kernel_launch_bound", "step_gaps", "host_sync_in_step", "h2d_copy_bound", "slow_host",
    "allreduce_wait", "gpu_stagger", "pipeline_bubble", "unexplained_idle", "xla_recompilation",
    "no_device_events",
)  # fmt: skip
each_scenario = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in scenario_names()]
)


@each_scenario
def test_all_formats_have_the_ledger_of_xspace(name: str, tmp_path: Path) -> None:
    encoders = (XSPACE.encode, KINETO.encode, NSIGHT.encode)
    of_tensorflow, of_pytorch, of_nsight = (
        ledger(simulation.files, tmp_path) for simulation in in_formats(training(name), *encoders)
    )
    assert_agrees(name, of_pytorch, of_tensorflow)
    if name in FEW_RANGES:
        assert of_nsight is None or of_nsight.hosts[0].steps.source in ("period", "recording")
    else:
        assert_agrees(name, of_nsight, of_tensorflow)


def test_what_differs_is_said_of_scenarios_that_there_are() -> None:
    assert {*ACCOUNTS_DIFFER, *FEW_RANGES, *QUICK} <= set(scenario_names())


def assert_agrees(name: str, found: Ledger | None, told: Ledger | None) -> None:
    if told is None or found is None:
        assert told is found
        return
    _, different = ACCOUNTS_DIFFER.get(name, ("", ()))
    rounding = TOLERANCE * told.step_ns
    step_ns = 1 if not training(name).collector.one_batch else 10 * rounding
    assert abs(found.step_ns - told.step_ns) <= step_ns
    if "compute" not in different:
        assert kernels_per_step(found) == kernels_per_step(told)
    now, was = found.average(), told.average()
    freed = sum(max(0, was[account] - now[account]) for account in OF_TENSORFLOW)
    for account in set(was) - set(different):
        most = rounding + (freed if account in INSTEAD else 0)
        least = was[account] if account in OF_TENSORFLOW else rounding
        assert -least <= now[account] - was[account] <= most, (account, was[account], now[account])


def kernels_per_step(found: Ledger) -> float:
    return sum(len(device.kernels) for host in found.hosts for device in host.devices) / found.windows


def ledger(files: Mapping[str, bytes], folder: Path) -> Ledger | None:
    """The ledger of a training whose hosts wrote these files."""
    hosts = []
    for host, data in files.items():
        (folder / host).write_bytes(data)
        content, anomalies = content_of(folder / host), Anomalies()
        reader = reader_of(content)
        hosts.append(reader.trace(host, reader.decode(content, anomalies), anomalies))
        assert all(row.severity == "info" for row in anomalies.rows())
    # Of the last step, PyTorch's mark tells the end, and TensorFlow's does not.
    steps = [without_the_last(host) for host in find_steps(hosts).hosts]
    return make_ledger(hosts, steps, find_communication(hosts, steps))


def without_the_last(steps: HostSteps) -> HostSteps:
    return replace(steps, complete=steps.complete & (np.arange(len(steps)) < len(steps) - 1))


def content_of(path: Path) -> Content:
    """As the product reads a file: SQLite opens it itself."""
    data = path.read_bytes()
    return Content(len(data), lambda at, end: data[at:end], str(path))
