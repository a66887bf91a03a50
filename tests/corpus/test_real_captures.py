"""What must hold on any real capture: the profiles beside this repository, and captures extracted there.

``TFPERF_CAPTURES`` names a folder of log directories to hold to it as well.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import REAL_PROFILES, REPOSITORY
from tests.strategies import Analysis, analyse
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.trace.roles import Role

EXTRACTED = Path(os.environ.get("TFPERF_CAPTURES", REPOSITORY.parent / "shared" / "corpus" / "captures"))
FILES = sorted({*REAL_PROFILES.glob("*/*.xplane.pb"), *EXTRACTED.glob("*/plugins/profile/*/*.xplane.pb")})

each_capture = pytest.mark.parametrize(
    "path", FILES or [None], ids=lambda p: "/".join(p.parts[-5:-1]) if p else "none"
)


@pytest.fixture
def capture(path: Path | None) -> Analysis:
    """A capture with steps and GPUs that worked; the test is skipped where there is none."""
    if path is None:
        pytest.skip("no real captures are beside this repository")
    found = analyse(path.read_bytes())
    if found.ledger is None:
        pytest.skip("it has no steps or no GPU that ran kernels")
    return found


@each_capture
def test_every_nanosecond_of_a_step_has_one_account(capture: Analysis) -> None:
    assert capture.ledger is not None
    (host,) = capture.ledger.hosts
    for device in host.devices:
        assert (device.sums_ns.sum(axis=1) == host.steps.end_ns - host.steps.begin_ns).all()


@each_capture
def test_one_step_has_no_time_between_steps(capture: Analysis) -> None:
    assert capture.ledger is not None
    if len(capture.steps) > 1:
        pytest.skip("it has several steps")
    for device in capture.ledger.hosts[0].devices:
        assert device.sums_ns[:, ACCOUNTS.index("idle.between_steps")].sum() == 0


@each_capture
def test_the_step_ends_before_the_callbacks_kernel(capture: Analysis) -> None:
    """TensorBoard's callback computes LogicalAnd on the GPU, perhaps behind kernels that still wait."""
    starts = [np.empty(0, np.int64)]
    for device in capture.host.devices:
        flags = np.array([*(op == "LogicalAnd:LogicalAnd" for op in device.ops), False], np.bool_)
        starts.append(device.start_ns[flags[device.op]])
    after = np.concatenate(starts)
    if len(capture.steps) > 1 or not len(after):
        pytest.skip("no callback ran after one step")

    assert capture.steps.end_ns[-1] <= after.min()


@each_capture
def test_a_copy_of_the_batch_that_its_call_waits_for_is_no_launching(capture: Analysis) -> None:
    """The longest copy for ``IteratorGetNext``, as far as it runs alone."""
    asked, found = 0, 0
    for index, device in enumerate(capture.host.devices):
        batch = np.array([*(op.startswith("IteratorGetNext/_") for op in device.ops), False], np.bool_)
        rows = np.flatnonzero((device.role == Role.H2D) & batch[device.op] & (device.launch >= 0))
        rows = rows[device.end_ns[rows] - device.start_ns[rows] >= 1_000_000]
        launch = device.launch[rows]
        waits = capture.host.events.end_ns[launch] >= device.end_ns[rows]
        asked += int((device.end_ns - device.start_ns)[rows[waits]].sum())
        if len(rows) and device.participates:
            ledger = capture.device(index)
            found += int(ledger.sums_ns[:, [ACCOUNTS.index("copy.h2d"), ACCOUNTS.index("compute")]].sum())
    if not asked:
        pytest.skip("no copy of a batch held up the host for a millisecond")

    assert found >= 0.95 * asked
