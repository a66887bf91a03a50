"""Profiles of JAX and PyTorch/XLA: the same planes and lines, marked by calls of their own.

``jax.profiler.StepTraceAnnotation`` and ``torch_xla.debug.profiler.StepTrace`` write events with ``step_num``
and ``_r``, as TensorFlow's Trace does. Kernels are launched by threads of PjRt and named by XLA; ``hlo_op``
and ``hlo_module`` say what they belong to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demo.xspace_writer import Ref, SpaceBuilder
from tfperf_plugin.errors import NotJudgeable
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.text import to_text

MS = 1_000_000
STEPS, STEP_MS, BUSY_MS = 10, 20, 12


def report_of(space: SpaceBuilder, folder: Path) -> Report:
    run = folder / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    (run / "host.xplane.pb").write_bytes(space.to_bytes())
    return build_report(resolve(str(folder)))


def training(marker: str, module: str) -> SpaceBuilder:
    """Ten steps of 20 ms; in each a launching thread starts one kernel of 12 ms, 2 ms after its start."""
    space = SpaceBuilder("host")
    host = space.plane("/host:CPU")
    python, launcher = host.line(1, "python"), host.line(2, "py_xla_execute")
    gpu = space.plane("/device:GPU:0", id=0, stats={"device_vendor": "Nvidia", "compute_cap_major": 8})
    stream = gpu.line(13, "Stream #13(Compute)")
    for step in range(STEPS):
        begin = step * STEP_MS * MS
        marked = {} if marker.startswith("PjitFunction") else {"_r": 1, "step_num": step}
        python.event(marker, begin, STEP_MS * MS - MS // 10, marked)
        python.event("PjRtStreamExecutorLoadedExecutable::Execute", begin + MS, MS, {"_pt": 5, "_p": step})
        launcher.event("EnqueueExecution", begin + MS, MS, {"_ct": 5, "_c": step})
        launcher.event("cuLaunchKernel", begin + MS, MS // 2, {"correlation_id": step + 1})
        stats: dict[str, Any] = {
            "correlation_id": step + 1,
            "hlo_op": Ref("fusion.1"),
            "hlo_module": Ref(module),
        }
        stream.event("loop_multiply_fusion", begin + 2 * MS, BUSY_MS * MS, stats)
    return space


@pytest.mark.parametrize(
    ("called", "unit"),
    [("train_step", "Step time"), ("forward_3d_conv", "Time of a call of forward_3d_conv")],
)
def test_a_call_that_runs_a_step_is_called_a_step(called: str, unit: str, tmp_path: Path) -> None:
    report = report_of(training(f"PjitFunction({called})", f"jit_{called}"), tmp_path)

    assert report.steps.source == "jit_calls"
    assert report.verdict.unit == unit


def test_without_marks_it_says_how_to_set_them(tmp_path: Path) -> None:
    space = SpaceBuilder("host")
    space.plane("/host:CPU").line(1, "python").event("PJRT_LoadedExecutable_Execute", 0, MS)
    gpu = space.plane("/device:GPU:0", id=0, stats={"device_vendor": "Nvidia", "compute_cap_major": 8})
    gpu.line(13, "Stream #13(Compute)").event("loop_multiply_fusion", 0, MS)
    report = report_of(space, tmp_path)

    assert report.ledger is None
    (note,) = [finding for finding in report.trust if finding.id == "no-step-markers"]
    snippets = {snippet.framework: snippet.code for snippet in note.fix.snippets}
    assert 'jax.profiler.StepTraceAnnotation("train", step_num=step)' in snippets["JAX"]


def test_a_tpu_is_not_called_a_host_without_devices(tmp_path: Path) -> None:
    space = SpaceBuilder("host")
    for number in range(2):
        tpu = space.plane(f"/device:TPU:{number}", id=number)
        tpu.line(1, "XLA Ops").event("fusion.1", 0, MS)
    python = space.plane("/host:CPU").line(1, "python")
    for step in range(STEPS):
        python.event("train", step * STEP_MS * MS, STEP_MS * MS, {"_r": 1, "step_num": step})
    report = report_of(space, tmp_path)

    assert report.headline == (
        "This profile is of TPUs, which are not judged here: what follows is about the host only."
    )
    assert [(a.name, a.count) for a in report.anomalies] == [("tpu-planes", 2)]
    assert "TPUs" in to_text(report, color=False)


def test_a_profile_of_nothing_but_tpus_cannot_be_judged(tmp_path: Path) -> None:
    space = SpaceBuilder("host")
    space.plane("/device:TPU:0").line(1, "XLA Ops").event("fusion.1", 0, MS)

    with pytest.raises(NotJudgeable, match="holds no work of a GPU"):
        report_of(space, tmp_path)
