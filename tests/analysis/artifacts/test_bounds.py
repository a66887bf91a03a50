"""What ops need, on drawn recordings whose bounds are worked out by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from demo.xspace_writer import Ref
from tests.builders import ADD, HALF_GEMM, SGEMM, Host, Stats, decoded, inputs_of_run
from tests.strategies import Event, Recording, recordings
from tfperf_plugin.analysis.artifacts.by_host import merged_all
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import (
    ABOVE,
    INDIRECT,
    NO_RATES,
    UNEVEN,
    UNKNOWN,
    Bounds,
    OpBound,
)
from tfperf_plugin.analysis.artifacts.compute.roofline import finish, part
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord
from tfperf_plugin.report.panels.compute import Utilization, mfu_basis, utilization
from tfperf_plugin.trace.model import HostTrace, OpWork, Product

# An A100 of 100 multiprocessors at 1 GHz with 1 TB/s: per ns 204,800 operations in 16 bit, 102,400 in TF32,
# 12,800 in float32, and 1000 bytes. Good libraries reach 87 % of the first two, 91 % and 85 % of the others.
MODEL = "NVIDIA A100-SXM4-40GB"
FIGURES: Stats = {"core_count": 100, "clock_rate": 1_000_000, "memory_bandwidth": 10**12}
TF32_GEMM = "ampere_sgemm_tf32_128x64_tn"
MS = 1_000_000
Work = Mapping[tuple[str, str], OpWork]


class NoLedger(Exception):
    """The recording has no steps, or no GPU that ran kernels."""


def a100(gpus: int = 1, name: str = "worker") -> Host:
    return Host(name, gpus, model=MODEL, device=FIGURES)


def run(host: Host, *kernels: tuple[float, float, str, str]) -> Host:
    """Four steps of 100 ms; in each the host's GPU runs these kernels: begin, end, name, op."""

    def step(host: Host, at: float) -> None:
        for begin, end, name, op in kernels:
            host.kernel(at + begin, at + end, name=name, op=op)

    return host.trained(4, 100, step)


def work(
    matrix: float = 0, format: str = "bf16", other: float = 0, moved: float = 0, **more: object
) -> OpWork:
    """Work of so many ms: of products at the peak of their format, of other operations, of moving bytes."""
    rates = {"bf16": 204_800, "tf32": 102_400, "fp32": 12_800, "fp64": 12_800}
    flops = round(matrix * MS * rates.get(format, 1))
    return OpWork(
        flops=flops + round(other * MS * 12_800),
        matrix_flops=flops,
        matrix_format=format if flops else "",
        bytes=round(moved * MS * 1000),
        per_run=bool(more.pop("per_run", False)),
        **more,  # type: ignore[arg-type]
    )


def judged(known: Work, *hosts: Host) -> tuple[Bounds, Ledger, Devices]:
    """The bounds of a run in which this work is known."""
    return _judged(known, tuple(host.trace() for host in hosts))


def _judged(known: Work, traces: Sequence[HostTrace]) -> tuple[Bounds, Ledger, Devices]:
    made = inputs_of_run([replace(host, op_work=known) for host in traces])
    ledger = made.ledger
    if ledger is None:
        raise NoLedger
    parts = merged_all(map(part, made.views))
    assert parts is not None
    return finish(parts, ledger), ledger, made.of(Devices)


def only(known: Work, draw: Callable[[Host, float], None]) -> tuple[OpBound, Bounds]:
    """The bound of the op ("", "op") in steps of 100 ms."""
    bounds, _, _ = judged(known, a100().trained(4, 100, draw))
    return bounds.ops["", "op"], bounds


def lasting(length: float, kernel: str) -> Callable[[Host, float], None]:
    """A kernel of the op "op" of so many ms."""
    return lambda host, at: host.kernel(at + 10, at + 10 + length, name=kernel, op="op")


def instruction(host: Host, at: float, end: float, name: str, program: int = 7, kernel: str = ADD) -> None:
    """A kernel of a program of XLA."""
    stats: Stats = {"hlo_module": "jit_step", "program_id": program, "hlo_op": name}
    host.kernel(at, end, name=kernel, stats=stats)


@pytest.mark.parametrize(
    ("known", "kernel"), [(work(matrix=8.7), HALF_GEMM), (work(moved=8.7), ADD), (work(other=34.8), ADD)]
)
def test_faster_than_its_bound_is_not_judged(known: OpWork, kernel: str) -> None:
    within, _ = only({("", "op"): known}, lasting(8.71, kernel))
    above, bounds = only({("", "op"): known}, lasting(8.69, kernel))

    assert within.not_judged == ""
    assert (above.not_judged, above.bound_by) == (ABOVE, "not judged")
    assert (above.floor_ns, above.peak_ns, above.recoverable_ns, above.needed_ns) == (0, 0, 0, 0)
    assert bounds.above == (above,)
    assert bounds.judged_ratio == 0


def test_short_kernels_are_bound_by_latency() -> None:
    """3 µs for 1 µs of work: less than a kernel takes anyway. 100 launches of 3 ms for 2 ms are not."""

    def draw(h: Host, t: float) -> None:
        for number in range(100):
            h.kernel(t + 10 + number / 100, t + 10.003 + number / 100, name=ADD, op="op")

    op, bounds = only({("", "op"): work(moved=0.00085)}, draw)
    assert (op.bound_by, op.kind, op.executions_count) == ("latency", "small", 100 * bounds.windows_count)
    assert op.floor_ns == pytest.approx(0.1 * MS * bounds.windows_count, rel=1e-4)
    assert op.recoverable_ns == op.compute_ns - op.floor_ns

    close, _ = only({("", "op"): work(moved=0.0017)}, draw)
    assert close.bound_by == "memory"


def test_programs_with_one_name_for_two_instructions() -> None:
    def step(host: Host, at: float) -> None:
        instruction(host, at + 10, at + 30, "fusion.1", program=7)
        instruction(host, at + 40, at + 45, "fusion.1", program=8)

    host = a100().trained(4, 100, step)
    bounds, _, _ = judged(
        {("jit_step(7)", "fusion.1"): work(moved=8.5), ("jit_step(8)", "fusion.1"): work(moved=1.7)}, host
    )
    n = bounds.windows_count

    times = {program: (op.total_ns, op.floor_ns) for (program, _), op in bounds.ops.items()}
    assert times == {"jit_step(7)": (20 * MS * n, 10 * MS * n), "jit_step(8)": (5 * MS * n, 2 * MS * n)}
    together = bounds.by_op()["fusion.1"]
    assert (together.total_ns, together.floor_ns) == (25 * MS * n, 12 * MS * n)
    assert together.bytes == 10_200 * MS * n
    # If one of them is not known, neither is their sum; the account still knows the other.
    bounds, ledger, _ = judged({("jit_step(7)", "fusion.1"): work(moved=8.5)}, host)
    together = bounds.by_op()["fusion.1"]
    assert (together.not_judged, together.floor_ns, together.bound_by) == (UNKNOWN, 0, "not judged")
    assert bounds.parts(ledger.average()["compute"])["memory"] == (10 * MS, 10 * MS, 0)
    assert bounds.judged_ratio == pytest.approx(0.8)


def test_unknown_rates_judge_nothing() -> None:
    bounds, _, devices = judged({("", "op"): work(matrix=8.7)}, run(Host(), (10, 30, HALF_GEMM, "op")))

    (op,) = bounds.ops.values()
    assert (op.not_judged, op.format, op.products_ns) == (NO_RATES, "", 0)
    assert op.flops > 0
    assert bounds.utilization(recomputed=False) is None
    assert mfu_basis(devices, bounds) == "The rates of this GPU are not known."


@pytest.mark.parametrize(
    ("kernel", "format", "mfu"),
    # 12.8 T operations: 1 ms in float32, 0.125 ms in TF32.
    [(SGEMM, "fp32", 0.01), (TF32_GEMM, "tf32", 0.00125), ("gemm_fusion_dot_5", "tf32", 0.00125)],
)
def test_float32_runs_in_tf32_where_the_kernel_does_not_say_otherwise(
    kernel: str, format: str, mfu: float
) -> None:
    op, bounds = only({("", "op"): work(matrix=1, format="fp32")}, lasting(20, kernel))
    assert (op.format, bounds.main_format) == (format, format)
    assert bounds.utilization(recomputed=False) == pytest.approx(mfu)


def test_without_tf32_it_is_float32() -> None:
    host = Host(capability=(7, 0), model="Tesla V100-SXM2-16GB", device=FIGURES)
    run(host, (10, 30, "gemm_fusion_dot", "op"), (40, 60, "gemm_fusion_dot", "brain"))
    fp32 = work(matrix=9.1, format="fp32")
    bounds, _, devices = judged({("", "op"): fp32, ("", "brain"): work(matrix=1)}, host)

    op = bounds.ops["", "op"]
    assert op.format == "fp32"
    assert op.floor_ns == pytest.approx(10 * MS * op.executions_count)
    # No unit of a V100 multiplies bfloat16.
    assert bounds.ops["", "brain"].not_judged == NO_RATES
    bounds, _, devices = judged({("", "op"): fp32, ("", "brain"): fp32}, host)
    assert bounds.utilization(recomputed=False) == pytest.approx(2 * 0.091)
    assert mfu_basis(devices, bounds).startswith("of 12.8 TFLOP/s in fp32 (data sheet")


@pytest.mark.parametrize(("unknown", "says"), [(0.9, True), (1.2, False)])
def test_mfu_needs_nearly_all_products(unknown: float, says: bool) -> None:
    """Of 20 ms of matrix kernels, 0.9 ms are 4.5 %."""
    host = run(a100(), (10, 30 - unknown, HALF_GEMM, "op"), (40, 40 + unknown, HALF_GEMM, "hidden"))
    bounds, _, devices = judged({("", "op"): work(matrix=8.7)}, host)

    assert bounds.known_ratio == pytest.approx(1 - unknown / 20)
    assert bounds.utilization(recomputed=False) == (pytest.approx(0.087) if says else None)
    assert mfu_basis(devices, bounds).startswith(
        "of 205 TFLOP/s in bf16 (data sheet" if says else "The profile tells the operations of 94"
    )


FACTS = TrainingFacts((TrainingRecord(flops_per_step=10_240 * 10**9),))


@pytest.mark.parametrize(
    ("kernel", "mfu", "basis"),
    [
        # 10.24 T operations of 100 ms × 204.8, 102.4 and 12.8 TFLOP/s.
        (HALF_GEMM, 0.5, "of 205 TFLOP/s in 16 bit (data sheet"),
        (TF32_GEMM, None, "The profile tells the operations of 0 %"),
        (SGEMM, None, "The profile tells the operations of 0 %"),
        ("gemm_fusion_dot_5", None, "The profile tells the operations of 0 %"),
    ],
)
def test_recorded_operations_give_mfu_where_the_profile_does_not(
    kernel: str, mfu: float | None, basis: str
) -> None:
    """Not by a format of unknown rate, nor if they would exceed the peak: TF32 allows 10.24 in 100 ms."""
    found = as_recorded(kernel, replace(FACTS.records[0], flops_per_step=10_241 * 10**9))
    assert (found.mfu_ratio, found.hfu_ratio) == (mfu and pytest.approx(mfu, rel=1e-3), None)
    assert found.mfu_basis.startswith(basis)


@pytest.mark.parametrize(
    ("record", "gpus", "mfu"),
    [
        ({}, 1, 1),
        ({"replicas": 4}, 1, 0.25),
        ({}, 2, 0.5),
        ({"replicas": 1}, 2, 0.5),  # a replica on two GPUs
        ({"replicas": 8, "steps_per_execution": 4}, 1, 0.5),  # several training steps under one marker
    ],
)
def test_recorded_operations_are_those_of_all_gpus_and_one_step(
    record: dict[str, int], gpus: int, mfu: float
) -> None:
    found = as_recorded(TF32_GEMM, replace(FACTS.records[0], **record), gpus)

    assert found.mfu_ratio == pytest.approx(mfu)
    assert found.flops_per_s == pytest.approx(mfu * 102.4e12)


def as_recorded(kernel: str, record: TrainingRecord, gpus: int = 1, known: Work | None = None) -> Utilization:
    def step(host: Host, at: float) -> None:
        for index in range(gpus):
            host.kernel(at + 10, at + 30, index, kernel, op="op")

    trace = replace(a100(gpus).trained(4, 100, step).trace(), op_work=known or {})
    made = inputs_of_run([trace], facts=TrainingFacts((record,)))
    found = made.call(utilization)
    assert isinstance(found, Utilization)
    return found


@given(recordings(collectives=False), st.data())
def test_the_parts_are_the_account_compute(recording: Recording, data: st.DataObject) -> None:
    """Whatever overlaps, whatever steps cut, whatever is known."""
    names = ["", *(f"op_{number}" for number in range(4))]
    recording.events = [
        event if event.gpu < 0 else with_op(event, data.draw(st.sampled_from(names)))
        for event in recording.events
    ]
    milliseconds = st.floats(0, 1e-4)
    formats = st.sampled_from(["bf16", "fp32", "mixed"])
    works = st.builds(work, milliseconds, formats, milliseconds, milliseconds, recomputed=st.booleans())
    known = {
        ("", name): found for name, found in data.draw(st.dictionaries(st.sampled_from(names), works)).items()
    }
    (host,) = decoded({"worker": recording.to_bytes()})
    devices = tuple(replace(d, stats={**d.stats, **FIGURES}) for d in host.devices)
    try:
        bounds, ledger, _ = _judged(known, [replace(host, devices=devices)])
    except NoLedger:
        return
    compute = ledger.average()["compute"]
    parts = bounds.parts(compute)
    assert sum(map(sum, parts.values())) == compute
    assert all(ns >= 0 for part in parts.values() for ns in part)
    needed_ns = bounds.per_step(sum(op.needed_ns for op in bounds.ops.values()))
    assert bounds.peak_ns <= needed_ns <= compute
    assert sum(op.compute_ns for op in bounds.ops.values()) <= bounds.total_ns
    for op in bounds.ops.values():
        assert 0 <= op.peak_ns <= op.floor_ns <= op.total_ns
        assert 0 <= op.needed_ns <= op.compute_ns
        assert op.needed_ns + op.recoverable_ns == (0 if op.not_judged else op.compute_ns)


def with_op(event: Event, name: str) -> Event:
    return dataclasses.replace(event, stats={**event.stats, **({"tf_op": Ref(name)} if name else {})})


# 17.0 of 141.6 GFLOP in float32 (tests of tiles): 1.33 ms at this GPU's peak, 1.46 at 91 % of it.
WINOGRAD = OpWork(
    141_557_760_000, 141_557_760_000, "fp32", 10**6, False, "convolution",
    (Product(1, 128 * 30 * 30, 256, 96, "fp32", 25, "", (30, 30)),),
)  # fmt: skip
TRANSFORM = "void cudnn::winograd_nonfused::winogradForwardData9x9_5x5<float, float>(Params)"


def convolves(grid: str) -> Callable[[Host, float], None]:
    """1 ms of transforms and 2 ms of products."""

    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 11, name=TRANSFORM, op="op", stats={"kernel_details": "grid:64,96,1"})
        h.kernel(
            t + 11, t + 13, name="volta_sgemm_128x64_nn", op="op", stats={"kernel_details": f"grid:{grid}"}
        )

    return draw


def test_winograd_is_judged_by_the_products_that_it_runs() -> None:
    """MFU counts the model's operations; the transforms are not judged."""
    op, bounds = only({("", "op"): WINOGRAD}, convolves("16,4,169"))
    n = bounds.windows_count

    assert (op.total_ns, op.judged_ns) == (3 * MS * n, 2 * MS * n)
    assert op.peak_ns == pytest.approx(17_012_097_024 / 12_800 * n)
    assert op.floor_ns == pytest.approx(17_012_097_024 / 12_800 / 0.91 * n)
    assert (op.flops, op.matrix_flops) == (17_012_097_024 * n, 141_557_760_000 * n)
    needed, won, unknown = bounds.parts(3 * MS)["matrix"]
    assert (needed + won, unknown) == (2 * MS, 1 * MS)
    assert bounds.indirect
    assert bounds.utilization(recomputed=False) == pytest.approx(141_557_760_000 / 12_800 / (100 * MS))


def test_winograd_of_an_unknown_grid_is_not_judged_but_counts_for_mfu() -> None:
    op, bounds = only({("", "op"): WINOGRAD}, convolves("16,9,169"))

    assert (op.not_judged, op.judged_ns, op.recoverable_ns) == (INDIRECT, 0, 0)
    assert bounds.utilization(recomputed=False) is not None


def test_a_share_of_the_peak_above_all_of_it_is_not_said() -> None:
    """Winograd counted by the direct formula, in steps so full of it that the peak would be exceeded."""
    more = replace(WINOGRAD, flops=100 * WINOGRAD.flops, matrix_flops=100 * WINOGRAD.matrix_flops)
    _, bounds = only({("", "op"): more}, convolves("16,4,169"))

    assert bounds.indirect
    assert bounds.above_step
    assert bounds.utilization(recomputed=False) is None
    assert bounds.utilization(recomputed=True) is None


def test_an_op_whose_kernels_change_is_not_judged() -> None:
    """Every step multiplies, one of four also reduces: nobody knows which kernels make an execution."""

    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 30, name=HALF_GEMM, op="op")
        if t == 100:
            h.kernel(t + 30, t + 31, name="splitKreduce_kernel<float>", op="op")

    op, bounds = only({("", "op"): work(matrix=8.7)}, draw)

    assert (op.not_judged, op.floor_ns) == (UNEVEN, 0)
    assert bounds.utilization(recomputed=False) is None
