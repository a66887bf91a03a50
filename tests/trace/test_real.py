"""What is known of the real profiles: device names, steps and where time goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.strategies import MS, Analysis, analyse
from tfperf_plugin.analysis.artifacts.communication.step_starts import Starts
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


def test_eight_v100_of_which_two_run_part_of_one_step(v100: Analysis) -> None:
    devices = v100.host.devices

    assert [d.device for d in devices if d.participates] == ["GPU:4", "GPU:6"]
    assert {d.compute_capability for d in devices} == {(7, 0)}
    assert {len(d.start_ns) for d in devices if d.ordinal in (0, 2, 3, 5, 7)} == {0}
    idle = devices[1]  # it only receives a few small tensors
    assert set(idle.role.tolist()) == {Role.H2D}
    assert idle.copy_bytes.sum() < 100_000
    assert all((d.launch >= 0).all() for d in devices)


def test_three_functions_of_one_step_id_are_one_partial_step(v100: Analysis) -> None:
    steps = v100.steps

    assert (steps.source, len(steps), steps.partial) == ("function_runs", 1, True)
    assert steps.judged.tolist() == [True]
    for index, device in enumerate(v100.host.devices):
        kernels = v100.steps.device_step[index][device.is_kernel()]
        assert (kernels <= 0).all()


def test_the_two_gpus_start_647_ms_apart(v100: Analysis) -> None:
    assert v100.ledger is not None
    (starts,) = v100.inputs().get(Starts).hosts

    assert starts.names == ("GPU:4", "GPU:6")
    assert starts.spread_ns.tolist()[0] // MS == 647
    assert starts.start_order == ("GPU:4", "GPU:6")
    for gpu in (4, 6):
        accounts = v100.accounts(0, gpu)
        assert accounts["idle.stagger"] // MS == 647
        assert sum(accounts.values()) == int(v100.steps.end_ns[0] - v100.steps.begin_ns[0])
        assert accounts["compute"] < 16 * MS


def test_threads_private_to_a_gpu_are_seen(v100: Analysis) -> None:
    assert {"tf_gpu_private_4", "tf_gpu_private_6"} <= {t.split("/")[0] for t in v100.host.events.threads}


def test_the_runtimes_own_events_are_no_ops(v100: Analysis) -> None:
    assert not [n for n in _names(v100.host, HostRole.OP) if "::" in n or "RetVal" in n]
    assert _names(v100.host, HostRole.CALLBACK) == set()
    assert _names(v100.host, HostRole.INPUT_WAIT) == {
        "IteratorGetNextAsOptionalOp::DoCompute",
        "IteratorGetNextAsOptional_4:IteratorGetNextAsOptional",
        "IteratorGetNextAsOptional_6:IteratorGetNextAsOptional",
    }


def test_keras_3_on_a_cpu(real_profile: RealProfile) -> None:
    analysis = _read(real_profile("tf-cpu-input"))
    steps = analysis.steps

    assert (steps.source, steps.marker_name) == ("markers", "Profiled batch")
    assert steps.number.tolist() == list(range(9, 20))
    assert steps.complete.tolist() == [True] * 10 + [False]
    assert (analysis.host.devices, analysis.ledger) == ((), None)


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


def test_pipelines_of_two_gpus_are_told_apart(v100: Analysis) -> None:
    pipelines = v100.inputs().get(Pipelines)

    assert [(r.pipeline, r.kind, r.depth) for r in pipelines.rows] == [
        (0, "Prefetch", 0), (0, "Generator", 1), (1, "Prefetch", 0), (1, "Generator", 1),
    ]  # fmt: skip
    # What these GPUs' prefetching waited for on the host was not recorded.
    assert [p.bottleneck for p in pipelines.pipelines] == [None, None]


def test_jax_on_eight_mi300x_has_the_calls_of_one_function_as_steps(real_profile: RealProfile) -> None:
    analysis = _read(real_profile("jax-mi300x"))
    devices = analysis.host.devices

    assert [(d.vendor, d.compute_capability) for d in devices] == [("AMD", None)] * 8
    assert all(d.participates for d in devices)
    assert (analysis.steps.source, analysis.steps.marker_name) == ("jit_calls", "forward_3d_conv")
    assert all(np.unique(s[s >= 0]).tolist() == [0, 1, 2, 3, 4] for s in analysis.steps.device_step)
    copying = [d.device for d in devices if (d.role == Role.D2D).any()]
    assert copying == ["GPU:0"]


def test_only_collectives_and_copies_are_told_by_their_own_names(real_profile: RealProfile) -> None:
    """The real profiles hold no collective; nothing in them may be taken for one."""
    for name in ("GPU-multi-worker", "jax-mi300x"):
        for device in _read(real_profile(name)).host.devices:
            assert Role.COLLECTIVE not in {device_role(n) for n in device.names}
    assert host_role("IteratorGetNextAsOptional_1/_23:_Recv") is HostRole.PASSIVE_OP
