"""What is known of the real profiles: device names, steps and where time goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.strategies import Analysis, analyse
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.trace.model import HostTrace
from tfperf_plugin.trace.roles import HostRole, Role, device_role, host_role

RealProfile = Callable[[str], Path]


def _read(folder: Path) -> Analysis:
    (file,) = folder.glob("*.xplane.pb")
    return analyse(file.read_bytes())


def _names(host: HostTrace, role: HostRole) -> set[str]:
    return {host.events.names[n] for n in np.unique(host.events.name[host.events.role == role]).tolist()}


@pytest.fixture
def v100(real_profile: RealProfile) -> Analysis:
    return _read(real_profile("GPU-multi-worker"))


def test_the_runtimes_own_events_are_no_ops(v100: Analysis) -> None:
    assert not [n for n in _names(v100.host, HostRole.OP) if "::" in n or "RetVal" in n]
    assert _names(v100.host, HostRole.CALLBACK) == set()
    assert _names(v100.host, HostRole.INPUT_WAIT) == {
        "IteratorGetNextAsOptionalOp::DoCompute",
        "IteratorGetNextAsOptional_4:IteratorGetNextAsOptional",
        "IteratorGetNextAsOptional_6:IteratorGetNextAsOptional",
    }


def test_the_input_pipeline_of_the_cpu_profile(real_profile: RealProfile) -> None:
    analysis = _read(real_profile("tf-cpu-input"))
    pipelines = analysis.inputs().get(Pipelines)

    assert pipelines.bottleneck is not None
    worst = pipelines.bottleneck
    # MapAndBatch works 64 elements in two calls at a time, the map that feeds it one after the other.
    assert (worst.kind, worst.stage, worst.dataset) == ("Map", "preprocessing", "MapDataset:1")
    assert pipelines.described(worst) == ".map(...) after tf.data.Dataset.from_tensor_slices(...)"
    assert [pipelines.rows[i].kind for i in pipelines.path] == [
        "Root", "Prefetch", "ForeverRepeat", "MapAndBatch", "Map",
    ]  # fmt: skip
    prefetch = next(r for r in pipelines.rows if r.kind == "Prefetch")
    assert (prefetch.buffer_limit, prefetch.autotune, prefetch.buffered_elements) == (2, True, 1)
    batch = next(r for r in pipelines.rows if r.kind == "MapAndBatch")
    assert (batch.written, batch.parallelism, batch.at_once) == (".map(...).batch(64)", 2, 2)
    assert 3 * batch.batch_ns < worst.batch_ns
    assert batch.element_bytes == 3_145_984  # 64 images of 64 × 64 × 3 floats and 64 labels
    assert worst.element_bytes == 64 * 64 * 3 * 4


def test_only_collectives_and_copies_are_told_by_their_own_names(real_profile: RealProfile) -> None:
    """The real profiles hold no collective; nothing in them may be taken for one."""
    for name in ("GPU-multi-worker", "jax-mi300x"):
        for device in _read(real_profile(name)).host.devices:
            assert Role.COLLECTIVE not in {device_role(n) for n in device.names}
    assert host_role("IteratorGetNextAsOptional_1/_23:_Recv") is HostRole.PASSIVE_OP
