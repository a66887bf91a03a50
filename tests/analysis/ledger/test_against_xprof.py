"""Where XProf's step breakdown is wrong on GPUs and ours is right.

Each recording is one file. Ours must say what is true; where XProf is installed, its overview of the same
file is shown to say otherwise, so that each test documents why the ledger exists.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.strategies import ADD, ALL_REDUCE, GEMM, INPUT_WAIT, MS, SGEMM, Recording
from tfperf_plugin.trace.roles import KernelClass, Precision, Role

Overview = Callable[[Recording], dict[str, Any]]
_CALL = 5_000  # a driver call takes 5 us


@pytest.fixture
def xprof(tmp_path: Path) -> Overview:
    """``xprof(recording)``: XProf's average step in ms, what it says of it, and the steps it found."""

    def overview(recording: Recording) -> dict[str, Any]:
        try:
            from xprof.convert import raw_to_tool_data
        except ImportError:
            pytest.skip("XProf is not installed")
        run = tmp_path / f"run{len(list(tmp_path.iterdir()))}"  # it caches beside its input, by folder
        run.mkdir()
        file = run / "worker.xplane.pb"
        file.write_bytes(recording.to_bytes())
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(file)], "overview_page", {})
        tables = json.loads(data)
        figures = tables[1]["p"]
        return {
            "steps": len(tables[1]["rows"]),
            "step": float(figures["steptime_ms_average"]),
            "compute": float(figures["device_compute_time_ms_avg"]),
            "collectives": float(figures["device_collectives_time_ms_avg"]),
            "input": float(figures["infeed_time_ms_avg"]),
            "others": float(figures["other_time_ms_avg"]),
            "says": figures["input_conclusion"],
            "bits16": tables[0]["p"]["device_compute_16bit_percent"],
        }

    return overview


def _run(
    recording: Recording, gpu: int, name: str, begin: float, end: float, stream: str = "7", **stats: str
) -> None:
    """Work from ``begin`` to ``end`` (ms), launched right before."""
    at = round(begin * MS)
    recording.launch(gpu, name, (at - _CALL, at), at, round(end * MS), stream=stream, **stats)


def _steps(count: int, length_ms: int, gpus: int = 1) -> Recording:
    """Keras 2's markers, the first one at 1 ms."""
    recording = Recording(gpus)
    recording.steps(count, length_ms * MS, begin=MS)
    return recording


def _average(recording: Recording) -> dict[str, float]:
    """Account → ms of the average step, without what takes less than 0.02 ms."""
    ledger = recording.analyse().ledger
    assert ledger is not None
    found = {account: round(ns / MS, 1) for account, ns in ledger.average().items()}
    return {"step": round(ledger.step_ns / MS, 1), **{a: ms for a, ms in found.items() if ms}}


def test_a_copy_is_not_compute(xprof: Overview) -> None:
    recording = _steps(4, 50)
    for begin in (1, 51, 101, 151):
        _run(recording, 0, GEMM, begin + 1, begin + 11)
        _run(recording, 0, "MemcpyH2D", begin + 11, begin + 31, "14")
    ours, theirs = _average(recording), xprof(recording)

    assert (ours["compute"], ours["copy.h2d"]) == (10.0, 20.0)
    assert (theirs["compute"], theirs["input"]) == (30.0, 0.0)


def test_keras_3_markers_are_steps(xprof: Overview) -> None:
    recording = Recording()
    for number in range(4):
        begin = MS + number * 20 * MS
        recording.step(number + 10, begin, begin + 19 * MS, "Profiled batch", root=False)
        recording.launch(0, GEMM, (begin + 10, begin + 20), begin + 2 * MS, begin + 12 * MS)
    steps = recording.analyse().steps

    assert steps.number.tolist() == [10, 11, 12, 13]
    assert _average(recording)["step"] == 20.0
    assert xprof(recording)["steps"] == 0


def test_waiting_for_input_is_seen(xprof: Overview) -> None:
    recording = _steps(5, 50)
    for begin in range(1, 251, 50):
        recording.host(INPUT_WAIT, begin * MS, (begin + 28) * MS, "tf_Compute/1")
        _run(recording, 0, "MemcpyH2D", begin + 28.01, begin + 30.01, "14")
        _run(recording, 0, SGEMM, begin + 30.02, begin + 40.02)
    ours, theirs = _average(recording), xprof(recording)

    assert (ours["step"], ours["idle.input"], ours["copy.h2d"], ours["compute"]) == (50.0, 28.0, 2.0, 10.0)
    assert (theirs["step"], theirs["compute"], theirs["input"]) == (12.0, 12.0, 0.0)
    assert "NOT input-bound" in theirs["says"]


def test_idle_time_between_steps_belongs_to_a_step(xprof: Overview) -> None:
    recording = _steps(5, 100)
    for begin in range(1, 501, 100):
        _run(recording, 0, GEMM, begin + 10, begin + 30)
        _run(recording, 0, GEMM, begin + 40, begin + 50)
    ours, theirs = _average(recording), xprof(recording)

    assert (ours["step"], ours["compute"]) == (100.0, 30.0)
    assert ours["step"] - ours["compute"] == pytest.approx(sum(ns for a, ns in ours.items() if "idle" in a))
    assert (theirs["step"], theirs["compute"]) == (40.0, 30.0)


def test_a_late_prefetch_does_not_stretch_a_step(xprof: Overview) -> None:
    recording = Recording()
    recording.step(0, MS, 31 * MS)
    recording.step(1, 131 * MS, 161 * MS)
    recording.step(2, 261 * MS, 291 * MS)
    for begin in (1, 131, 261):
        _run(recording, 0, GEMM, begin + 1, begin + 21)
    recording.run(0, "MemcpyH2D", 102 * MS, 109 * MS, "14")  # 80 ms after the kernels, without a launch
    analysis = recording.analyse()

    assert analysis.steps.begin_ns.tolist() == [MS, 131 * MS, 261 * MS]
    assert (analysis.accounts(0)["compute"], analysis.accounts(1)["compute"]) == (20 * MS, 20 * MS)
    assert analysis.accounts(0)["idle.between_steps"] == 100 * MS  # nothing waits for the copy
    assert xprof(recording)["step"] == pytest.approx((107 + 20 + 20) / 3, abs=0.1)


def test_waiting_for_a_straggler_is_no_communication(xprof: Overview) -> None:
    recording = _steps(4, 60, gpus=2)
    for begin in (1, 61, 121, 181):
        _run(recording, 0, GEMM, begin + 10, begin + 20)
        _run(recording, 1, GEMM, begin + 10, begin + 50)
        _run(recording, 0, ALL_REDUCE, begin + 20, begin + 52, "20")
        _run(recording, 1, ALL_REDUCE, begin + 50, begin + 52, "20")
    analysis, theirs = recording.analyse(), xprof(recording)

    early, late = analysis.accounts(1, gpu=0), analysis.accounts(1, gpu=1)
    assert (early["communication.wait"], early["communication.transfer"]) == (30 * MS, 2 * MS)
    assert "communication.wait" not in late
    assert (theirs["compute"], theirs["collectives"]) == (40.0, 2.0)


def test_gpus_that_take_turns_are_seen(xprof: Overview) -> None:
    recording = _steps(4, 40, gpus=2)
    for begin in (1, 41, 81, 121):
        _run(recording, 0, GEMM, begin + 0.01, begin + 20)
        _run(recording, 1, GEMM, begin + 20, begin + 40)
    ours, theirs = _average(recording), xprof(recording)

    assert (ours["compute"], ours["idle.stagger"]) == (20.0, 20.0)
    assert theirs["compute"] == theirs["step"]
    assert theirs["others"] == 0.0


def test_collectives_of_a_second_stream_count() -> None:
    recording = _steps(4, 60)
    for begin in (1, 61, 121, 181):
        _run(recording, 0, GEMM, begin + 1, begin + 10)
        _run(recording, 0, ALL_REDUCE, begin + 10, begin + 20, "20")
        _run(recording, 0, "ncclDevKernel_AllGather_RING_LL", begin + 15, begin + 30, "21")
    analysis = recording.analyse()

    assert analysis.accounts(1)["communication.transfer"] == 20 * MS
    assert len(analysis.calls.row) == 8


@pytest.mark.parametrize(
    "name",
    [
        "void ncclKernel<1, 4, true>(ncclWork)",
        "rcclDevKernel_AllReduce",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
    ],
)
def test_every_collective_is_one(name: str, xprof: Overview) -> None:
    recording = _steps(4, 60)
    for begin in (1, 61, 121, 181):
        _run(recording, 0, GEMM, begin + 1, begin + 10)
        _run(recording, 0, name, begin + 10, begin + 30, "20")
    theirs = xprof(recording)

    assert _average(recording)["communication.transfer"] == 20.0
    assert theirs["collectives"] == (20.0 if name.startswith("nccl") else 0.0)


@pytest.mark.parametrize(
    ("name", "stats", "precision", "tensor_core"),
    [
        ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn", {}, Precision.BITS16, True),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4", {}, Precision.BITS16, True),
        ("cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_nn", {}, Precision.BITS16, True),
        ("cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", {}, Precision.TF32, True),
        (GEMM, {"shape": "(float[64,64];float[64,64])"}, Precision.BITS16, True),
        (ADD, {"shape": "(bfloat16[64,64])"}, Precision.BITS16, False),
    ],
)  # fmt: skip
def test_numbers_of_fewer_bits_are_recognised(
    name: str, stats: dict[str, str], precision: Precision, tensor_core: bool, xprof: Overview
) -> None:
    recording = _steps(4, 20)
    for begin in (1, 21, 41, 61):
        _run(recording, 0, name, begin + 1, begin + 11, **stats)
    device = recording.analyse().host.devices[0]

    assert set(device.precision.tolist()) == {precision}
    assert (KernelClass.MATRIX_TENSOR_CORE in device.kernel_class.tolist()) == tensor_core
    assert xprof(recording)["bits16"] == "0.0%"


def test_xprof_knows_16_bits_only_where_the_name_says_half_or_fp16(xprof: Overview) -> None:
    """The control of the test above: without a shape XProf does recognise this kernel."""
    recording = _steps(4, 20)
    for begin in (1, 21, 41, 61):
        _run(recording, 0, GEMM, begin + 1, begin + 11)

    assert xprof(recording)["bits16"] == "100.0%"


def test_loops_in_the_graph_do_not_lose_the_steps(xprof: Overview) -> None:
    recording = _steps(4, 20)
    for begin in (1, 21, 41, 61):
        recording.host("while/cond:WhileOp-EvalCond", begin * MS + 5, begin * MS + 9, "tf_Compute/1")
        recording.host("WhileOp-EvalCond", begin * MS + 10, begin * MS + 20, "tf_Compute/1")
        recording.host("WhileOp-StartBody", begin * MS + 20, begin * MS + 30, "tf_Compute/1", iter_num=4)
        _run(recording, 0, GEMM, begin + 1, begin + 11)

    assert _average(recording)["step"] == 20.0
    assert xprof(recording)["steps"] == 0


def test_every_complete_step_is_judged_and_the_last_one_is_not(xprof: Overview) -> None:
    recording = _steps(8, 20)
    for begin in range(1, 161, 20):
        _run(recording, 0, GEMM, begin + 1, begin + 11)
    steps = recording.analyse().steps

    assert steps.judged.tolist() == [True] * 7 + [False]
    assert xprof(recording)["steps"] == 6


def test_bookkeeping_is_no_work(xprof: Overview) -> None:
    recording = _steps(4, 50)
    for begin in (1, 51, 101, 151):
        _run(recording, 0, GEMM, begin + 1, begin + 11)
        _run(recording, 0, "CUPTI overhead: Buffer flush", begin + 15, begin + 35, "9")
    device = recording.analyse().host.devices[0]

    assert _average(recording)["compute"] == 10.0
    assert Role.NO_WORK in device.role.tolist()
    assert xprof(recording)["compute"] == 30.0
