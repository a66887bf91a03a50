"""Collectives of the simulator: who waits for whom, how long a transfer takes, and how it is spelt."""

from collections import Counter

import pytest

from demo.simulator import Simulation, Training, simulate, what_happens
from demo.simulator.collectives import Kind, Link, ring_ns
from demo.simulator.devices import A100
from demo.simulator.gpu import KERNEL_GAP_NS
from demo.simulator.models import ConvNet
from demo.simulator.training import Communication, LayerExchange, Reduction, SlowHost
from demo.simulator.truth import TrueCollective
from tests.demo.reading import Event, events

SMALL = ConvNet(batch=64, blocks_per_stage=1)
GRADIENT_BYTES = SMALL.parameters * 4


def collective_kernels(simulation: Simulation, host: str, gpu: int) -> list[Event]:
    rows = events(simulation, host, f"/device:GPU:{gpu}")
    return sorted((row for row in rows if "ccl" in row.name), key=lambda row: row.start_ps)


def complete(simulation: Simulation, kind: str) -> list[TrueCollective]:
    """Calls of one kind in steps that lie whole inside the capture."""
    truth = simulation.truth
    return [item for item in truth.collectives if item.step in truth.complete and item.kind == kind]


def test_collectives_start_on_arrival_and_end_together_one_ring_time_after_the_last() -> None:
    training = Training(model=SMALL, gpus=4, steps=4, extra_on_first_gpu=0.3)
    simulation = simulate(training)
    kernels = [collective_kernels(simulation, "worker0", gpu) for gpu in range(4)]
    collectives = complete(simulation, "all_reduce")

    assert len(collectives) == len(simulation.truth.complete) * training.communication.buckets
    payload = GRADIENT_BYTES // training.communication.buckets
    for item in collectives:
        assert item.transfer_ns == ring_ns("all_reduce", 4, payload, Link(A100.bus_gbps))
        assert item.end_ns - max(item.arrivals_ns.values()) == item.transfer_ns
        for gpu, rows in enumerate(kernels):
            (row,) = (row for row in rows if row.start_ps == item.arrivals_ns["worker0", gpu] * 1000)
            assert row.end_ps == item.end_ns * 1000
            assert row.stats["buffer_size"] == payload


@pytest.mark.parametrize(
    ("kind", "wire_ms"),
    [
        ("all_reduce", 15),
        ("reduce_scatter", 7.5),
        ("all_gather", 7.5),
        ("all_to_all", 7.5),
        ("reduce", 10),
        ("broadcast", 10),
    ],
)
def test_each_kind_sends_its_share_of_the_array(kind: Kind, wire_ms: float) -> None:
    """1 GB on four GPUs at 100 GB/s: the factors with which nccl-tests turns time into bus bandwidth."""
    assert ring_ns(kind, 4, 1_000_000_000, Link(100)) == wire_ms * 1_000_000


@pytest.mark.parametrize(("dtype", "size"), [("f32", 4), ("f16", 2), ("bf16", 2)])
def test_sixteen_bit_gradients_are_half_as_large_and_say_so(dtype: str, size: int) -> None:
    communication = Communication(gradient_dtype=dtype, buckets=1)  # type: ignore[arg-type]
    simulation = simulate(Training(model=SMALL, gpus=2, steps=3, communication=communication))

    rows = collective_kernels(simulation, "worker0", 0)
    assert {row.name for row in rows} == {
        f"ncclDevKernel_AllReduce_Sum_{dtype}_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    }
    assert {row.stats["buffer_size"] for row in rows} == {SMALL.parameters * size}


@pytest.mark.parametrize("buckets", [1, 3, 4, 5, 250])
def test_however_many_calls_there_are_they_carry_all_gradients(buckets: int) -> None:
    """The model has five gradients: one bucket may hold several, one gradient may fill many."""
    training = Training(model=SMALL, gpus=2, steps=2, communication=Communication(buckets=buckets))
    simulation = simulate(training)

    per_step = Counter(item.step for item in simulation.truth.collectives)
    assert set(per_step.values()) == {buckets}
    sent = sum(item.payload_bytes for item in simulation.truth.collectives if item.step == 2)
    assert GRADIENT_BYTES - buckets < sent <= GRADIENT_BYTES


def test_hosts_share_their_collectives() -> None:
    simulation = simulate(Training(model=SMALL, hosts=2, gpus=2, steps=3))

    assert set(simulation.files) == {"worker0", "worker1"}
    assert all(len(item.arrivals_ns) == 4 for item in simulation.truth.collectives)


def test_a_hierarchical_reduction_waits_for_its_own_group_only() -> None:
    training = Training(
        model=SMALL,
        gpus=4,
        hosts=2,
        steps=3,
        communication=Communication(reduction="hierarchical", network_gbps=12.5, buckets=1),
        slow_host=SlowHost(1, gpu_factor=2.0),
    )
    simulation = simulate(training)
    assert simulation.truth.complete

    for item in complete(simulation, "reduce") + complete(simulation, "broadcast"):
        (host,) = {host for host, _ in item.arrivals_ns}
        assert sorted(item.arrivals_ns) == [(host, gpu) for gpu in range(4)]
        assert item.transfer_ns == round(GRADIENT_BYTES / A100.bus_gbps)
    for step in simulation.truth.complete:
        reduced = {
            next(iter(item.arrivals_ns))[0]: item
            for item in complete(simulation, "reduce")
            if item.step == step
        }
        (between,) = (item for item in complete(simulation, "all_reduce") if item.step == step)
        back = [item for item in complete(simulation, "broadcast") if item.step == step]
        # The fast host is done within itself long before the slow one, then its first GPU waits.
        assert reduced["worker0"].end_ns < min(reduced["worker1"].arrivals_ns.values())
        assert sorted(between.arrivals_ns) == [("worker0", 0), ("worker1", 0)]
        assert between.arrivals_ns["worker0", 0] < between.arrivals_ns["worker1", 0]
        assert between.transfer_ns == round(GRADIENT_BYTES / 12.5)
        assert all(item.end_ns == between.end_ns + KERNEL_GAP_NS + item.transfer_ns for item in back)


def test_one_host_reduces_hierarchically_without_a_network() -> None:
    training = Training(
        model=SMALL, gpus=4, steps=3, communication=Communication(reduction="hierarchical", buckets=1)
    )

    assert {item.kind for item in what_happens(training).collectives} == {"reduce", "broadcast"}


def test_a_sharded_optimizer_scatters_gradients_and_gathers_weights_before_the_next_step() -> None:
    communication = Communication(
        reduction="reduce_scatter_all_gather", gradient_dtype="bf16", link_gbps=20.0, buckets=1
    )
    simulation = simulate(Training(model=SMALL, gpus=4, steps=4, communication=communication))
    whole = simulate(Training(model=SMALL, gpus=4, steps=4))

    (scatter, *_) = complete(simulation, "reduce_scatter")
    assert scatter.transfer_ns == round(0.75 * SMALL.parameters * 2 / 20)
    gathers = complete(simulation, "all_gather")
    assert {item.transfer_ns for item in gathers} == {round(0.75 * SMALL.parameters * 4 / 20)}
    for item in gathers:
        later = next(step for step in simulation.truth.steps["worker0"] if step.number == item.step + 1)
        assert all(gpu.start_ns >= item.end_ns for gpu in later.gpus.values())

    def update_ns(of: Simulation) -> int:
        rows = events(of, "worker0", "/device:GPU:0")
        return max(
            (row.end_ps - row.start_ps) // 1000 for row in rows if "adam" in str(row.stats.get("tf_op"))
        )

    assert update_ns(simulation) == pytest.approx(update_ns(whole) / 4, rel=0.1)
    sizes = {
        row.stats["collective_type"]: row.stats["buffer_size"]
        for row in collective_kernels(simulation, "worker0", 3)
    }
    # TensorFlow tells the size of the output: of a scattered sum only this GPU's share.
    assert sizes == {"reduce_scatter": SMALL.parameters * 2 // 4, "all_gather": SMALL.parameters * 4}


@pytest.mark.parametrize(
    ("library", "names"),
    [
        (
            "nccl",
            {
                "ncclDevKernel_Reduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            },
        ),
        (
            "nccl_2_8",
            {
                "ncclKernel_Reduce_RING_LL_Sum___nv_bfloat16(ncclDevComm*, unsigned long, ncclWork*)",
                "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
            },
        ),
        (
            "nccl_old",
            {"ncclReduceRingLLKernel_sum_bf16(ncclColl)", "ncclBroadcastRingLLKernel_copy_i8(ncclColl)"},
        ),
        ("rccl", {"void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)"}),
    ],
)
def test_each_library_names_its_kernels_in_its_own_way(library: str, names: set[str]) -> None:
    communication = Communication(
        reduction="hierarchical",
        gradient_dtype="bf16",
        library=library,  # type: ignore[arg-type]
    )
    simulation = simulate(Training(model=SMALL, gpus=2, steps=2, communication=communication))

    assert {row.name for row in collective_kernels(simulation, "worker0", 1)} == names


@pytest.mark.parametrize("launcher", ["tensorflow", "tensorflow_without_size", "xla"])
def test_each_launcher_leaves_its_own_traces(launcher: str) -> None:
    communication = Communication(launcher=launcher)  # type: ignore[arg-type]
    simulation = simulate(Training(model=SMALL, gpus=2, steps=3, communication=communication))
    stats = [row.stats for row in collective_kernels(simulation, "worker0", 0)]
    named = {row.name for row in events(simulation, "worker0", "/host:CPU")} & {"ncclAllReduce"}

    assert all(("buffer_size" in row) == (launcher == "tensorflow") for row in stats)
    assert {row.get("tf_op") for row in stats} == {
        {"tensorflow": "ncclAllReduce", "tensorflow_without_size": None, "xla": "XlaModule:"}[launcher]
    }
    assert bool(named) == (launcher == "tensorflow")
    instructions = {row.get("hlo_op") for row in stats}
    expected = {f"all-reduce-start.{number}" for number in range(1, 5)} if launcher == "xla" else {None}
    assert instructions == expected


def test_xla_names_its_instructions_instead_of_ops() -> None:
    communication = Communication(launcher="xla", overlap=False)
    simulation = simulate(Training(model=SMALL, gpus=2, steps=2, communication=communication))
    rows = [row for row in events(simulation, "worker0", "/device:GPU:1") if "kernel_details" in row.stats]

    assert all({"hlo_op", "hlo_module", "tf_op"} <= set(row.stats) for row in rows)
    instructions = {str(row.stats["hlo_op"]).split(".")[0] for row in rows}
    assert {"custom-call", "loop_addv2_fusion", "all-reduce"} <= instructions


def test_a_host_with_a_slow_cpu_launches_slowly_and_computes_as_fast() -> None:
    slow = SlowHost(1, cpu_factor=8.0)
    truth = what_happens(Training(model=SMALL, gpus=2, hosts=4, steps=5, slow_host=slow))
    late = Counter(
        max(item.arrivals_ns, key=lambda key: item.arrivals_ns[key])[0]
        for item in truth.collectives
        if item.step in truth.complete
    )

    assert set(late) == {"worker1"}
    computed = {
        host: sum(step.gpus[0].compute_ns for step in steps if step.number in truth.complete)
        for host, steps in truth.steps.items()
    }
    assert max(computed.values()) < 1.02 * min(computed.values())


def test_uneven_batches_make_another_gpu_the_last_one() -> None:
    training = Training(model=SMALL, gpus=4, steps=24, uneven_batches=0.5)
    truth = what_happens(training)
    steps = [step for step in truth.steps["worker0"] if step.number in truth.complete]
    slowest = Counter(max(step.gpus, key=lambda gpu: step.gpus[gpu].compute_ns) for step in steps)

    assert set(slowest) == {0, 1, 2, 3}
    assert max(slowest.values()) < 0.6 * len(steps)
    computed = [gpu.compute_ns for step in steps for gpu in step.gpus.values()]
    usual = sum(computed) / len(computed)
    assert 0.45 * usual < min(computed) < 0.7 * usual
    assert 1.3 * usual < max(computed) < 1.55 * usual


@pytest.mark.parametrize("reduction", ["all_reduce", "none"])
def test_the_next_kernel_waits_for_what_layers_exchange(reduction: Reduction) -> None:
    training = Training(
        model=SMALL, gpus=2, steps=3, communication=Communication(reduction=reduction),
        layer_exchange=LayerExchange("all_to_all", 10_000_000, 4),
    )  # fmt: skip
    simulation = simulate(training)
    calls = complete(simulation, "all_to_all")
    rows = events(simulation, "worker0", "/device:GPU:0")
    kernels = [row for row in rows if "ccl" not in row.name and "Memcpy" not in row.name]

    assert len(calls) == 4 * len(simulation.truth.complete)
    assert bool(complete(simulation, "all_reduce")) == (reduction != "none")
    for call in calls:
        begin, end = call.arrivals_ns["worker0", 0] * 1000, call.end_ns * 1000
        assert not [row.name for row in kernels if row.start_ps < end and row.end_ps > begin]
