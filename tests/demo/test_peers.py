"""GPUs of one host: copies between them, models cut into stages, and who is launched when."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest

from demo.simulator import Training, simulate, what_happens
from demo.simulator.devices import A100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.peers import stage
from demo.simulator.training import Communication, InputPipeline, Launching, PeerCopy
from tests.demo.reading import events

SMALL = ConvNet(batch=64, blocks_per_stage=1)
COPY_NS = 2_000


def test_the_others_fetch_a_tensor_of_one_gpu_and_go_on_once_they_have_it() -> None:
    copy = PeerCopy("functional_1/shared/Identity:Identity", 24_000_000, 0.5, source=0)
    training = Training(
        model=SMALL, gpus=3, steps=4, communication=Communication(link_gbps=12.0), peer_copies=(copy,)
    )
    simulation = simulate(training)
    rows = events(simulation, "worker0", "/device:GPU:0")
    sent = [row for row in rows if row.name == "MemcpyP2P"]

    assert {row.line for row in sent} == {"Stream #18(MemcpyP2P)"}
    assert {(row.end_ps - row.start_ps) // 1000 for row in sent} == {COPY_NS + 24_000_000 // 12}
    assert {str(row.stats["memcpy_details"]) for row in sent} == {
        f"kind_src:device kind_dst:device size:24000000 dest:{gpu} async:1" for gpu in (1, 2)
    }
    assert {row.stats["tf_op"] for row in sent} == {copy.op}
    # Nothing of the second half of the forward pass runs before the tensor is there.
    arrivals = [row.end_ps for row in sent if "dest:1 " in str(row.stats["memcpy_details"])]
    heads = [
        row.start_ps
        for row in events(simulation, "worker0", "/device:GPU:1")
        if str(row.stats.get("tf_op")).endswith("dense/MatMul:MatMul")
        and "gradient_tape" not in str(row.stats["tf_op"])
    ]
    assert len(heads) >= 4
    assert all(any(0 < head - arrival < 5_000_000_000 for arrival in arrivals) for head in heads)
    assert not any(
        row.name == "MemcpyP2P"
        for gpu in (1, 2)
        for row in events(simulation, "worker0", f"/device:GPU:{gpu}")
    )


def test_all_gpus_fetch_from_all_and_none_receives_two_tensors_at_once() -> None:
    copy = PeerCopy("functional_1/concat:ConcatV2", 20_000_000, 0.5, source=None)
    simulation = simulate(Training(model=SMALL, gpus=4, steps=4, peer_copies=(copy,)))
    copies = [
        (row.start_ps, row.end_ps, source, int(str(row.stats["memcpy_details"]).split("dest:")[1].split()[0]))
        for source in range(4)
        for row in events(simulation, "worker0", f"/device:GPU:{source}")
        if row.name == "MemcpyP2P"
    ]

    pairs = Counter((source, target) for _, _, source, target in copies)
    assert set(pairs) == {(a, b) for a in range(4) for b in range(4) if a != b}
    tolerance_ps = 0.2 * 20_000_000 / A100.bus_gbps * 1000
    for target in range(4):
        spans = sorted((begin, end) for begin, end, _, to in copies if to == target)
        assert all(a[1] <= b[0] + tolerance_ps for a, b in pairwise(spans))


def test_a_training_that_waits_for_itself_is_an_error() -> None:
    """One thread launches for both GPUs, and waits for the second before it has launched for it."""
    copy = PeerCopy("functional_1/concat:ConcatV2", 1_000, 0.5, source=None)
    training = Training(
        model=SMALL, gpus=2, steps=2, peer_copies=(copy,), launching=Launching(shared_thread=True)
    )

    with pytest.raises(RuntimeError, match="hangs"):
        simulate(training)


@pytest.mark.parametrize("model", [SMALL, ConvNet(batch=8), Transformer(batch=8, layers=4)])
def test_stages_share_a_model_out_whole(model: ConvNet | Transformer) -> None:
    kernels = model.kernels(A100, "fp16")
    stages = [stage(kernels, number, 3) for number in range(3)]

    assert sorted(kernel.op for rows in stages for kernel in rows) == sorted(kernel.op for kernel in kernels)
    for rows in stages:
        assert {kernel.phase for kernel in rows} == {"forward", "backward", "optimizer"}
        assert sum(kernel.keeps_bytes - kernel.frees_bytes for kernel in rows) == 0


def test_stages_compute_one_after_the_other() -> None:
    training = Training(model=ConvNet(batch=128), gpus=4, steps=4, pipeline_stages=True)
    simulation = simulate(training)
    assert simulation.truth.collectives == ()

    kernels = []
    for gpu in range(4):
        rows = events(simulation, "worker0", f"/device:GPU:{gpu}")
        kernels += [
            (row.start_ps, row.end_ps, gpu)
            for row in rows
            if "kernel_details" in row.stats and "adam" not in str(row.stats["tf_op"])
        ]
        assert any(row.name == "MemcpyP2P" for row in rows)
    kernels.sort()
    assert all(before[1] <= after[0] or before[2] == after[2] for before, after in pairwise(kernels))
    # There and back: 0 1 2 3 2 1 0 in each step.
    order = [gpu for _, _, gpu in kernels]
    turns = [gpu for at, gpu in enumerate(order) if at == 0 or order[at - 1] != gpu]
    assert "".join(map(str, turns)).startswith("0123210123210")


@pytest.mark.parametrize("handed_over", ["copy", "nccl"])
def test_micro_batches_let_stages_overlap(handed_over: Literal["copy", "nccl"]) -> None:
    """Of p stages and m micro-batches a step takes (m + p - 1) / m times what one stage computes."""
    whole = Training(
        model=Transformer(batch=64, layers=11),
        gpus=4,
        steps=4,
        pipeline_stages=True,
        handed_over=handed_over,
        jitter=0.0,
    )
    lengths = {}
    for batches in (1, 2, 4, 8):
        steps = what_happens(replace(whole, micro_batches=batches)).steps["worker0"]
        lengths[batches] = steps[4].gpus[0].end_ns - steps[3].gpus[0].end_ns
        assert all(
            row.compute_ns == pytest.approx(steps[3].gpus[gpu].compute_ns, rel=0.01)
            for gpu, row in steps[4].gpus.items()
        )
    # What each GPU does once a step whatever the micro-batches is left out of the comparison.
    gained = [lengths[1] - lengths[2], lengths[2] - lengths[4], lengths[4] - lengths[8]]
    assert gained[1] == pytest.approx(gained[0] / 2, rel=0.1)
    assert gained[2] == pytest.approx(gained[1] / 2, rel=0.2)


def test_a_stage_computes_no_micro_batch_before_it_has_arrived() -> None:
    training = Training(
        model=Transformer(batch=64, layers=7), gpus=2, steps=4, pipeline_stages=True, micro_batches=3
    )
    simulation = simulate(training)
    copies = [r for r in events(simulation, "worker0", "/device:GPU:0") if r.name == "MemcpyP2P"]
    second = [r for r in events(simulation, "worker0", "/device:GPU:1") if "kernel_details" in r.stats]
    forward = [r.start_ps for r in second if "gradient_tape" not in str(r.stats["tf_op"])]

    assert len(copies) >= 3 * 3
    # A stage goes on within 100 µs of an arrival, or works on the micro-batch before until later.
    for row in copies:
        busy = any(r.start_ps <= row.end_ps <= r.end_ps for r in second)
        assert busy or any(0 <= start - row.end_ps < 100_000_000 for start in forward)


def test_who_receives_by_the_library_waits_for_the_sender() -> None:
    training = Training(
        model=Transformer(batch=64, layers=7),
        gpus=2,
        steps=4,
        pipeline_stages=True,
        micro_batches=2,
        handed_over="nccl",
    )
    simulation = simulate(training)
    truth = simulation.truth
    calls = [c for c in truth.collectives if c.kind == "send_recv" and c.step in truth.complete]

    assert {len(c.arrivals_ns) for c in calls} == {2}
    assert len(calls) == 2 * 2 * len(truth.complete)
    for call in calls:
        assert call.end_ns == max(call.arrivals_ns.values()) + call.transfer_ns
    assert not any(r.name == "MemcpyP2P" for r in events(simulation, "worker0", "/device:GPU:0"))


def launches(training: Training) -> list[dict[int, int]]:
    """Per step the first launch of each GPU, relative to the earliest of them."""
    steps = what_happens(training).steps["worker0"][2:]
    return [
        {
            gpu: row.launch_ns - min(other.launch_ns for other in step.gpus.values())
            for gpu, row in step.gpus.items()
        }
        for step in steps
    ]


def test_one_thread_may_begin_with_another_gpu_in_each_step() -> None:
    launching = Launching(private_threads=False, shared_thread=True, rotating=True)
    rows = launches(Training(model=SMALL, gpus=4, steps=6, readback_lag=0, launching=launching))

    assert [sorted(row, key=lambda gpu: row[gpu]) for row in rows[:3]] == [
        [2, 3, 0, 1],
        [3, 0, 1, 2],
        [0, 1, 2, 3],
    ]


def test_the_thread_of_one_gpu_may_be_late() -> None:
    launching = Launching(late_gpu=2, late_ns=1_500_000)
    for row in launches(Training(model=SMALL, gpus=4, steps=4, readback_lag=0, launching=launching)):
        assert row[2] == pytest.approx(1_500_000, rel=0.02)
        assert max(row[gpu] for gpu in (0, 1, 3)) < 50_000


def test_a_gpu_with_an_iterator_of_its_own_may_wait_alone() -> None:
    pipeline = InputPipeline(
        own_iterators=True, map_parallelism=0, map_ns=500_000, late_gpu=1, late_factor=20
    )
    simulation = simulate(Training(model=SMALL, gpus=3, steps=6, lead_steps=8, input=pipeline))
    truth = simulation.truth

    for step in truth.steps["worker0"]:
        if step.number in truth.complete:
            assert step.input_waits_ns[1] > 5_000_000
            assert max(step.input_waits_ns[0], step.input_waits_ns[2]) < 100_000
    waits = [
        (row.line.split("/")[0], (row.end_ps - row.start_ps) // 1000)
        for row in events(simulation, "worker0", "/host:CPU")
        if row.name == "IteratorGetNextOp::DoCompute"
    ]
    assert {line for line, _ in waits} == {f"tf_gpu_private_{gpu}" for gpu in range(3)}
    assert {line for line, wait_ns in waits if wait_ns > 5_000_000} == {"tf_gpu_private_1"}
