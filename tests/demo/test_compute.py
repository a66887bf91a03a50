"""What a simulated profile says of shapes is what its kernels computed: FLOPs worked out apart from it."""

import math
import re
from dataclasses import replace

import pytest

from demo.build import scenario_names, training
from demo.simulator import Simulation, Training, simulate, what_happens
from demo.simulator.devices import A100, T4, V100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import Communication
from demo.simulator.variants import Rematerialized
from demo.simulator.work import Product, Work
from demo.xspace_writer import XSpaceMessage
from tests.demo.reading import events
from tfperf_plugin.readers.xspace.work import work_of

CONVOLUTIONS = Training(model=ConvNet(batch=64, blocks_per_stage=1), steps=4)
ATTENTION = Training(model=Transformer(batch=8, layers=1), steps=4, precision="bf16")


def outputs(simulation: Simulation) -> dict[str, tuple[list[int], int]]:
    """Op → shape and data type of the result that the allocator handed out for it."""
    found = {}
    for row in events(simulation, "worker0", "/host:CPU"):
        if row.name == "MemoryAllocation" and "shape" in row.stats:
            dims = [int(part) for part in str(row.stats["shape"])[1:-1].split(",")]
            kind = row.stats["data_type"]
            assert isinstance(kind, int)
            assert row.stats["region_type"] == "output"
            assert row.stats["requested_bytes"] == math.prod(dims) * (4 if kind == 1 else 2)
            found[str(row.stats["tf_op"])] = dims, kind
    return found


@pytest.mark.parametrize("run", [CONVOLUTIONS, ATTENTION])
def test_the_outputs_of_a_layer_and_its_gradients_give_its_flops(run: Training) -> None:
    """Section by section as anyone would from such a file: 2·√(|Y|·|dX|·|dW|) of a product, batched or not,
    and 2·|Y|·|dW|/channels of a convolution."""
    simulation = simulate(run)
    shape = {op: dims for op, (dims, _) in outputs(simulation).items()}
    truth = simulation.truth.compute["worker0", 0]
    checked = 0
    for op, true in truth.ops.items():
        name, _, type_ = op.partition(":")
        if type_ not in ("Conv2D", "MatMul", "BatchMatMulV2") or "gradient_tape" in name:
            continue
        tape = name.replace("Call/", "Call/gradient_tape/")
        y = shape[name]
        if type_ == "Conv2D":
            weights = shape[f"{tape}/Conv2DBackpropFilter"]
            flops = 2 * math.prod(y) * math.prod(weights) // weights[-1]
        else:
            of_input, of_weights = shape[f"{tape}/{type_}"], shape[f"{tape}/{type_}_1"]
            batch = math.prod(y[:-2])
            flops = 2 * math.isqrt(math.prod((*y, *of_input, *of_weights)) // batch)
        assert true.flops == flops * true.executions_count == flops * truth.steps_count
        checked += 1
    assert checked == (5 if run is CONVOLUTIONS else 6)


def test_types_of_results_are_those_of_the_precision() -> None:
    def kinds(run: Training) -> set[int]:
        return {kind for _, kind in outputs(simulate(run)).values()}

    assert kinds(ATTENTION) == {14}
    assert kinds(CONVOLUTIONS) == {19}
    assert kinds(replace(CONVOLUTIONS, precision="tf32")) == {1}


def test_flops_of_a_step_are_those_of_the_model_by_hand() -> None:
    """8·512 tokens, 1024 wide: 12 hidden² weights a layer, and scores and context of 512 tokens each."""
    truth = what_happens(ATTENTION).compute["worker0", 0]
    tokens, hidden, length = 8 * 512, 1024, 512

    assert truth.flops == 3 * 2 * tokens * (12 * hidden * hidden + 2 * length * hidden)
    assert truth.mfu == pytest.approx(truth.flops / truth.step_ns / 312_000, rel=1e-9)


def test_a_convolution_without_its_padding_has_the_products_that_meet_the_image() -> None:
    product = Product("forward", (2, 5, 4), 3, 7, (3, 3))
    places = sum(
        0 <= y + dy < 5 and 0 <= x + dx < 4
        for y in range(5) for x in range(4) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    )  # fmt: skip

    assert product.flops == 2 * 2 * 5 * 4 * 7 * 9 * 3
    assert product.flops_without_padding == 2 * 2 * 3 * 7 * places
    assert Product("of weights", (64,), 8, 16).flops_without_padding == 2 * 64 * 8 * 16


@pytest.mark.parametrize("name", scenario_names())
def test_no_kernel_is_faster_than_the_hardware(name: str) -> None:
    run = training(name)
    kernels = run.model.kernels(run.device, run.precision)

    assert all(kernel.work.floor_ns(run.device) <= kernel.duration_ns for kernel in kernels)


def test_efficiencies_are_like_those_of_real_kernels() -> None:
    """Products that Tensor Cores compute reach 55 % of the peak, on CUDA cores 80 %, in memory 80 %."""

    def efficiencies(run: Training) -> dict[str, float]:
        ops = what_happens(run).compute["worker0", 0].ops
        return {op.rpartition(":")[0].partition("/")[2]: true.efficiency for op, true in ops.items()}

    fast = efficiencies(replace(ATTENTION, jitter=0.0))
    scope = "functional_1/encoder_0"
    assert fast[f"{scope}/intermediate/MatMul"] == pytest.approx(0.55, rel=0.01)
    assert fast[f"{scope}/scores/BatchMatMulV2"] == pytest.approx(0.80, rel=0.01)  # 64 FLOPs a byte
    assert fast[f"{scope}/softmax/Softmax"] == pytest.approx(0.80, rel=0.01)
    slow = efficiencies(replace(CONVOLUTIONS, precision="fp32", device=V100, jitter=0.0))
    assert slow["functional_1/block_0/conv/Conv2D"] == pytest.approx(0.80, rel=0.01)


def test_grids_cover_the_results_with_the_tiles_that_names_tell() -> None:
    name = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nn"
    ahead = Product("forward", (4096,), 1024, 3072)

    assert Work.of(ahead, "fp16").grid(name, A100) == (32, 24, 1)
    # 8 x 24 tiles fill 89 % of two for each of 108 multiprocessors, and no parts of the 4,096 rows fill more.
    assert Work.of(ahead.backward()[1], "fp16").grid(name, A100) == (8, 24, 1)
    # 8 x 8 tiles fill 30 %: the rows are divided in three.
    square = Product("of weights", (4096,), 1024, 1024)
    assert Work.of(square, "fp16").grid(name, A100) == (8, 8, 3)
    attention = Product("forward", (512,), 64, 512, batch=(8, 16))
    assert Work.of(attention, "fp16").grid(name, A100) == (4, 4, 128)
    small = Work.of(Product("forward", (100,), 256, 200), "fp16")
    assert small.grid(name, A100) == (1, 2, 1)
    assert Work(4 * 256 * 7).grid("Mul", A100) == (7, 1, 1)
    assert Work(1 << 30).grid("Mul", A100) == (216, 1, 1)
    assert Work(1 << 30, output=(5, 256)).grid("Mul", A100) == (5, 1, 1)
    assert small.grid("nvjet_hsh_256x128_64x4_2x1_v_bz_coopA_NNT", A100) == (108, 1, 1)


def test_kernels_state_their_grids() -> None:
    rows = events(simulate(CONVOLUTIONS), "worker0", "/device:GPU:0")
    (grid,) = {
        re.findall(r"grid:\d+,\d+,\d+", str(row.stats["kernel_details"]))[0]
        for row in rows
        if str(row.stats.get("tf_op")).endswith("functional_1/block_1/conv/Conv2D:Conv2D")
        and "gradient_tape" not in str(row.stats["tf_op"])
    }

    assert grid == "grid:392,1,1"  # 64 images of 28 x 28 and 128 channels, in tiles of 128 x 128


@pytest.mark.parametrize("model", [ConvNet(batch=16), Transformer(batch=8, layers=1)])
def test_the_program_of_a_compiled_step_states_what_its_kernels_compute(model: ConvNet | Transformer) -> None:
    """The reader counts what XLA would: no products with padding, each array once."""
    simulation = simulate(
        Training(model=model, generation="trace", communication=Communication(launcher="xla"), steps=3)
    )
    space = XSpaceMessage.FromString(simulation.files["worker0"])
    (plane,) = (plane for plane in space.planes if plane.name == "/host:metadata")
    (program,) = plane.event_metadata.values()
    found = work_of(program.stats[0].bytes_value)
    truth = simulation.truth.compute["worker0", 0]

    assert found.keys() == truth.ops.keys()
    assert sum(work.matrix_flops > 0 for work in found.values()) > 15
    for op, true in truth.ops.items():
        assert found[op].matrix_flops * true.executions_count == true.flops
        assert found[op].bytes * true.executions_count == pytest.approx(true.bytes, abs=32)


def test_what_jax_computes_again_is_the_forward_pass_and_counts_for_hfu_alone() -> None:
    run = training("recompute_needless")
    assert isinstance(run.model, Rematerialized)
    plain = replace(run, model=run.model.model)
    truth, without = (what_happens(each).compute["worker0", 0] for each in (run, plain))

    assert truth.flops == without.flops * 4 // 3  # forward, and twice as much backward
    assert truth.hfu == pytest.approx(truth.mfu * 4 / 3)
    assert truth.mfu * truth.step_ns == pytest.approx(without.mfu * without.step_ns)
    assert truth.step_ns > 1.25 * without.step_ns
    rows = events(simulate(run), "worker0", "/device:GPU:0")
    again = [str(row.stats["name"]) for row in rows if "rematted_computation" in str(row.stats.get("name"))]
    assert set(map(str, {row.stats.get("hlo_module") for row in rows})) == {"jit_train_step", "None"}
    scope = "jit(train_step)/jit(main)/transpose(jvp(Model))/encoder_3/checkpoint/rematted_computation"
    assert f"{scope}/scores/dot_general" in again


def test_kernels_state_the_occupancy_that_their_registers_allow() -> None:
    assert A100.occupancy(256, 32, 0) == 1.0
    assert A100.occupancy(256, 122, 49_152) == 0.25  # two blocks of 256 threads with 128 registers each
    assert V100.occupancy(256, 168, 49_152) == 0.125
    assert T4.occupancy(256, 40, 49_152) == 0.25  # 64 KiB of shared memory hold one such block
