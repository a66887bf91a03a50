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
from tfperf_plugin.analysis.artifacts.compute.roofline import finish, part, product_format
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord
from tfperf_plugin.report.panels.compute import Utilization, compute_parts, mfu_basis, utilization
from tfperf_plugin.trace.model import HostTrace, OpWork, Product
from tfperf_plugin.trace.roles import Precision

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


def test_a_product_bound_by_compute() -> None:
    """8.7 ms at the peak are 10 ms at 87 % of it; the last step, which has no successor, counts, too."""
    op, bounds = only({("", "op"): work(matrix=8.7, moved=1)}, lasting(20, HALF_GEMM))
    n = bounds.windows_count

    assert (op.executions_count, op.total_ns, op.compute_ns) == (n, 20 * MS * n, 20 * MS * n)
    assert (op.peak_ns, op.floor_ns) == pytest.approx((8.7 * MS * n, 10 * MS * n))
    assert (op.bound_by, op.kind, op.format, op.not_judged) == ("compute", "matrix", "bf16", "")
    assert (op.needed_ns, op.recoverable_ns) == (op.floor_ns, op.total_ns - op.floor_ns)
    assert op.flops == op.matrix_flops == round(8.7 * MS * 204_800) * n
    assert bounds.utilization(recomputed=False) == pytest.approx(0.087)
    assert bounds.matrix_flops == round(8.7 * MS * 204_800)
    assert (bounds.judged_ratio, bounds.known_ratio, bounds.main_format) == (1, 1, "bf16")
    assert bounds.peak_ns == pytest.approx(8.7 * MS)


@pytest.mark.parametrize(
    ("known", "length", "kernel", "floor", "by", "kind"),
    [
        (work(other=1, moved=8.5), 20, ADD, 10, "memory", "memory"),
        # Between the peak (8.7 ms) and what libraries reach (10 ms): no longer than the op took.
        (work(matrix=8.7), 9, HALF_GEMM, 9, "compute", "matrix"),
        # 1 MB in half a millisecond, such as a scatter that waits for itself, is not bound by latency.
        (work(moved=0.001), 0.5, ADD, 0.001 / 0.85, "memory", "memory"),
    ],
    ids=["memory", "near the peak", "little work"],
)
def test_what_binds_an_op(
    known: OpWork, length: float, kernel: str, floor: float, by: str, kind: str
) -> None:
    op, bounds = only({("", "op"): known}, lasting(length, kernel))

    assert (op.bound_by, op.kind, op.total_ns) == (by, kind, length * MS * bounds.windows_count)
    assert op.floor_ns == pytest.approx(floor * MS * bounds.windows_count, rel=1e-3)
    assert op.recoverable_ns == op.total_ns - op.floor_ns
    assert op.bytes == known.bytes * bounds.windows_count
    # Without products there is nothing to utilize.
    assert (bounds.known_ratio, bounds.utilization(recomputed=False) is None) == (
        (1, False) if known.matrix_flops else (None, True)
    )


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


def test_a_rated_clock_below_the_highest_is_no_bound() -> None:
    """An H100's data sheet counts 1830 MHz; at 1980, it is faster. Its peak time is at most what it took."""
    host = Host(capability=(9, 0), model="NVIDIA H100 80GB HBM3", device=FIGURES | {"clock_rate": 1_980_000})
    run(host, (10, 20, HALF_GEMM, "op"))
    # 10.5 ms at 1830 MHz, 9.7 at 1980.
    flops = round(10.5 * MS * 100 * 4096 * 1.83)
    bounds, _, _ = judged({("", "op"): OpWork(flops, flops, "bf16", 0)}, host)

    (op,) = bounds.ops.values()
    assert op.not_judged == ""
    assert op.peak_ns == op.floor_ns == op.total_ns
    assert bounds.peak_ns <= bounds.per_step(op.needed_ns)


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


def test_an_op_of_several_kernels_is_executed_once() -> None:
    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 15, name="splitKreduce_kernel<float>", op="op")
        h.kernel(t + 20, t + 35, name=HALF_GEMM, op="op")
        h.kernel(t + 40, t + 45, name="splitKreduce_kernel<float>", op="op")

    op, bounds = only({("", "op"): work(matrix=8.7)}, draw)
    n = bounds.windows_count
    assert (op.executions_count, op.launches_count, op.total_ns) == (n, 3 * n, 25 * MS * n)
    assert op.floor_ns == pytest.approx(10 * MS * n)
    assert (op.kernel, op.kernel_ns) == (HALF_GEMM, 15 * MS * n)
    assert op.longest_ns == 15 * MS


def test_an_instruction_runs_as_often_as_its_program() -> None:
    """It launches one kernel twice in each run, which the other instructions of its program show."""

    def step(host: Host, at: float) -> None:
        instruction(host, at + 10, at + 14, "dot", kernel=HALF_GEMM)
        for begin, name in ((20, "fusion"), (40, "fusion"), (60, "add"), (70, "loop"), (75, "loop")):
            instruction(host, at + begin, at + begin + 4, name)

    host = a100().trained(4, 100, step)
    each = {name: work(moved=1, per_run=name != "loop") for name in ("fusion", "add", "loop")}
    known = {("jit_step(7)", name): found for name, found in each.items()}
    bounds, _, _ = judged(known | {("jit_step(7)", "dot"): work(matrix=1, per_run=True)}, host)

    n = bounds.windows_count
    counts = {name: op.executions_count for (_, name), op in bounds.ops.items()}
    assert counts == {"dot": n, "fusion": n, "add": n, "loop": 2 * n}


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


def test_overlapping_kernels_own_time_once() -> None:
    """Of 10 to 40 the first owns all until 30; floors shrink with the part that an op owns."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 10, at + 30, name=HALF_GEMM, op="first", stream=7)
        host.kernel(at + 20, at + 40, name=ADD, op="second", stream=8)

    host = a100().trained(4, 100, step)
    bounds, ledger, _ = judged({("", "first"): work(matrix=8.7), ("", "second"): work(moved=6.8)}, host)
    n = bounds.windows_count

    assert [op.compute_ns for op in bounds.ops.values()] == [20 * MS * n, 10 * MS * n]
    assert [op.total_ns for op in bounds.ops.values()] == [20 * MS * n, 20 * MS * n]
    assert bounds.parts(ledger.average()["compute"]) == {
        "matrix": (10 * MS, 10 * MS, 0),
        "memory": (4 * MS, 6 * MS, 0),
        "small": (0, 0, 0),
        "other": (0, 0, 0),
    }
    assert bounds.total_ns == 30 * MS * n


def test_what_is_not_known_is_not_judged() -> None:
    """A product whose work nobody knows, a memset, and a kernel without an op."""
    host = run(a100(), (10, 30, HALF_GEMM, "op"), (30, 35, "Memset", ""), (40, 41, ADD, ""))
    bounds, ledger, devices = judged({}, host)

    parts = bounds.parts(ledger.average()["compute"])
    assert (parts["matrix"], parts["other"]) == ((0, 0, 20 * MS), (0, 0, 6 * MS))
    assert (bounds.judged_ratio, bounds.known_ratio) == (0, 0)
    assert compute_parts(bounds, ledger) == ()
    assert bounds.utilization(recomputed=False) is None
    assert mfu_basis(devices, bounds) == (
        "The profile tells the operations of 0 % of the time of matrix kernels only."
    )


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


def test_kernels_beside_a_product_do_not_tell_its_format() -> None:
    """A convolution in TF32 whose layout kernels compute in float32."""

    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 12, name="nchwToNhwcKernel<float, float>", op="op", stats={"shape": "float[4]"})
        h.kernel(t + 12, t + 30, name="gemm_fusion_dot_5", op="op")

    known = replace(work(matrix=1, format="tf32"), matrix_format="fp32")
    op, _ = only({("", "op"): known}, draw)
    assert (op.format, op.not_judged) == ("tf32", "")
    assert op.peak_ns == op.executions_count * MS
    assert product_format(work(1, "fp32"), [Precision.FP32]) == "fp32"
    assert product_format(work(1, "fp32"), [Precision.FP32, Precision.TF32]) == "tf32"
    assert product_format(work(1, "fp64"), [Precision.FP32]) == "fp64"


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


def test_recomputed_operations_count_in_hfu_only() -> None:
    host = run(a100(), (10, 30, HALF_GEMM, "op"), (40, 60, HALF_GEMM, "again"))
    known = work(matrix=8)
    bounds, _, _ = judged(
        {
            ("", "op"): known,
            ("", "again"): replace(known, recomputed=True, recomputed_flops=known.matrix_flops),
        },
        host,
    )

    assert bounds.recomputes
    assert bounds.utilization(recomputed=False) == pytest.approx(0.08)
    assert bounds.utilization(recomputed=True) == pytest.approx(0.16)


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


def test_what_the_profile_tells_comes_before_what_was_recorded() -> None:
    known = {("", "op"): work(matrix=8.7)}
    assert as_recorded(HALF_GEMM, FACTS.records[0], known=known).mfu_ratio == pytest.approx(0.087)


def as_recorded(kernel: str, record: TrainingRecord, gpus: int = 1, known: Work | None = None) -> Utilization:
    def step(host: Host, at: float) -> None:
        for index in range(gpus):
            host.kernel(at + 10, at + 30, index, kernel, op="op")

    trace = replace(a100(gpus).trained(4, 100, step).trace(), op_work=known or {})
    made = inputs_of_run([trace], facts=TrainingFacts((record,)))
    found = made.call(utilization)
    assert isinstance(found, Utilization)
    return found


def test_gpus_and_hosts_are_averaged() -> None:
    """One GPU runs the op for 20 ms, the other for 30, on both of two hosts."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 10, at + 30, gpu=0, name=HALF_GEMM, op="op")
        host.kernel(at + 10, at + 40, gpu=1, name=HALF_GEMM, op="replica_1/op")

    hosts = [a100(2, name).trained(4, 100, step) for name in "ab"]
    known = work(matrix=8.7)
    bounds, ledger, _ = judged({("", "op"): known, ("", "replica_1/op"): known}, *hosts)

    assert list(bounds.ops) == [("", "op")]
    assert bounds.windows_count == bounds.ops["", "op"].executions_count
    assert bounds.parts(ledger.average()["compute"])["matrix"] == (10 * MS, 15 * MS, 0)
    assert bounds.utilization(recomputed=False) == pytest.approx(0.087)


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


def test_products_that_outrun_the_recorded_clock_tell_no_mfu() -> None:
    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 18, name=HALF_GEMM, op="op")
        h.kernel(t + 20, t + 40, name=HALF_GEMM, op="slow")

    _, bounds = only({("", "op"): work(matrix=8.7), ("", "slow"): work(matrix=8.7)}, draw)

    assert bounds.outruns_clock
    assert bounds.utilization(recomputed=False) is None


def test_what_one_host_does_not_tell_is_not_known() -> None:
    """The same op on three hosts, of which one has no clock: a third of its time is unknown."""
    hosts = [a100(name=f"worker{number}") for number in range(2)]
    hosts.append(Host("worker2", model=MODEL, device={k: v for k, v in FIGURES.items() if k != "clock_rate"}))
    for host in hosts:
        run(host, (10, 30, HALF_GEMM, "op"))
    bounds, _, _ = judged({("", "op"): work(matrix=8.7)}, *hosts)

    assert bounds.known_ratio == pytest.approx(2 / 3)
    assert bounds.utilization(recomputed=False) is None


def test_an_op_whose_kernels_change_is_not_judged() -> None:
    """Every step multiplies, one of four also reduces: nobody knows which kernels make an execution."""

    def draw(h: Host, t: float) -> None:
        h.kernel(t + 10, t + 30, name=HALF_GEMM, op="op")
        if t == 100:
            h.kernel(t + 30, t + 31, name="splitKreduce_kernel<float>", op="op")

    op, bounds = only({("", "op"): work(matrix=8.7)}, draw)

    assert (op.not_judged, op.floor_ns) == (UNEVEN, 0)
    assert bounds.utilization(recomputed=False) is None


@pytest.mark.parametrize(
    ("matrix", "moved", "length", "mfu"),
    [
        (101, 0, 20, None),  # more work than the step allows
        (2, 8, 4, 0.02),  # from the cache: 8 ms at the memory's bandwidth in 4, which outruns no clock
    ],
)
def test_products_faster_than_their_bound_tell_mfu_if_they_outrun_no_clock(
    matrix: float, moved: float, length: float, mfu: float | None
) -> None:
    op, bounds = only({("", "op"): work(matrix=matrix, moved=moved)}, lasting(length, HALF_GEMM))

    assert (op.not_judged, bounds.known_ratio, bounds.outruns_clock) == (ABOVE, 1, mfu is None)
    assert bounds.utilization(recomputed=False) == (mfu and pytest.approx(mfu))


def test_a_program_that_runs_in_some_steps_only_is_judged() -> None:
    """It runs in two of four steps; one of its instructions launches its kernel twice each time."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 80, at + 81, name=ADD, op="other")
        for begin, name in ((10, "twice"), (20, "twice"), (30, "add"), (40, "mul")) if at < 200 else ():
            instruction(host, at + begin, at + begin + 4, name)

    host = a100().trained(4, 100, step)
    known = {("jit_step(7)", name): work(moved=1, per_run=True) for name in ("twice", "add", "mul")}
    bounds, _, _ = judged(known, host)

    twice = bounds.ops["jit_step(7)", "twice"]
    assert (twice.not_judged, twice.executions_count) == ("", 2)
