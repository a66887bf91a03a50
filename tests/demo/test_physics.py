"""The simulator obeys the laws that its profiles are meant to show."""

from dataclasses import replace
from itertools import pairwise
from statistics import mean

import pytest

from demo.simulator import Training, simulate, what_happens
from demo.simulator.devices import A100, V100
from demo.simulator.models import ConvNet, Speed, Transformer, UnrolledRnn
from demo.simulator.training import InputPipeline, Launching
from demo.simulator.truth import TrueStep, Truth
from tests.demo.reading import Event, by_line, events

SMALL = ConvNet(batch=64, blocks_per_stage=1)


def test_same_training_gives_the_same_bytes_and_another_seed_others() -> None:
    training = Training(model=SMALL, gpus=2, steps=3)

    assert simulate(training).files == simulate(training).files
    assert simulate(training).files != simulate(replace(training, seed=2)).files


@pytest.mark.parametrize("generation", ["old", "keras3", "trace"])
def test_a_stream_runs_one_thing_at_a_time_in_launch_order(generation: str) -> None:
    simulation = simulate(Training(model=SMALL, gpus=2, generation=generation, steps=4))  # type: ignore[arg-type]
    launches = {
        row.stats["correlation_id"]: row
        for row in events(simulation, "worker0", "/host:CPU")
        if "correlation_id" in row.stats
    }

    for gpu in range(2):
        streams = by_line(events(simulation, "worker0", f"/device:GPU:{gpu}"))
        for rows in (rows for line, rows in streams.items() if line.startswith("Stream #")):
            for before, after in pairwise(rows):
                assert after.start_ps >= before.end_ps
            called = [launches[row.stats["correlation_id"]] for row in rows]
            assert called == sorted(called, key=lambda row: row.start_ps)


def test_nothing_runs_before_its_launch_call_has_returned_and_the_latency_has_passed() -> None:
    launching = Launching(latency_ns=4_000)
    simulation = simulate(Training(model=SMALL, launching=launching, steps=3))
    device = {row.stats["correlation_id"]: row for row in events(simulation, "worker0", "/device:GPU:0")}
    launches = [row for row in events(simulation, "worker0", "/host:CPU") if "correlation_id" in row.stats]

    started = [
        (row, device[row.stats["correlation_id"]])
        for row in launches
        if row.stats["correlation_id"] in device
    ]
    assert len(started) > 90
    assert all(kernel.start_ps >= call.end_ps + 4_000_000 for call, kernel in started)


def test_events_of_a_thread_nest() -> None:
    """Two spans of one thread are apart or one holds the other."""
    simulation = simulate(Training(model=SMALL, gpus=2, steps=4))

    for rows in by_line(events(simulation, "worker0", "/host:CPU")).values():
        open_until: list[int] = []
        for row in sorted(rows, key=lambda row: (row.start_ps, -row.end_ps)):
            while open_until and open_until[-1] <= row.start_ps:
                open_until.pop()
            assert not open_until or row.end_ps <= open_until[-1]
            open_until.append(row.end_ps)


def test_a_gpu_is_busy_no_longer_than_its_step_lasts() -> None:
    truth = what_happens(Training(model=SMALL, gpus=3, steps=5))

    rows = [gpu for step in truth.steps["worker0"] for gpu in step.gpus.values()]
    assert len(rows) == 3 * 8
    assert all(row.compute_ns <= row.busy_ns <= row.end_ns - row.start_ns for row in rows)
    assert all(row.launch_ns < row.start_ns for row in rows)


def test_a_pipeline_is_as_slow_as_its_slowest_stage() -> None:
    """With one mapping thread a step lasts as long as one map, with eight as long as the GPU's work."""
    slow = InputPipeline(map_ns=30_000_000, map_parallelism=0)
    alone = what_happens(Training(model=SMALL, input=slow)).steps["worker0"]
    shared = what_happens(Training(model=SMALL, input=replace(slow, map_parallelism=16))).steps["worker0"]

    def period_ns(steps: tuple[TrueStep, ...]) -> float:
        begins = [step.begin_ns for step in steps[6:]]
        return mean(after - before for before, after in pairwise(begins))

    assert period_ns(alone) == pytest.approx(30_200_000, rel=0.08)
    assert period_ns(shared) < 6_000_000
    assert mean(step.input_waits_ns[0] for step in alone[6:]) > 20_000_000
    assert max(step.input_waits_ns[0] for step in shared[6:]) < 1_000_000


def test_waiting_for_each_loss_stops_the_host_from_running_ahead() -> None:
    ahead = what_happens(Training(model=SMALL, readback_lag=1))
    waiting = what_happens(Training(model=SMALL, readback_lag=0))

    def launched_early(truth: Truth) -> list[bool]:
        steps = truth.steps["worker0"][2:]
        return [after.gpus[0].launch_ns < before.gpus[0].end_ns for before, after in pairwise(steps)]

    assert all(launched_early(ahead))
    assert not any(launched_early(waiting))


def test_a_pageable_copy_holds_its_thread_and_is_slower() -> None:
    def copies(pinned: bool) -> tuple[Event, Event]:
        pipeline = InputPipeline(pinned=pinned, prefetch_to_device=False)
        simulation = simulate(Training(model=SMALL, input=pipeline, steps=2))
        host = events(simulation, "worker0", "/host:CPU")
        device = events(simulation, "worker0", "/device:GPU:0")
        batch = next(row for row in device if row.stats.get("tf_op") == "IteratorGetNext/_3:_Send")
        number = batch.stats["correlation_id"]
        return next(row for row in host if row.stats.get("correlation_id") == number), batch

    call, copy = copies(pinned=True)
    assert call.end_ps < copy.start_ps
    assert copy.end_ps - copy.start_ps == pytest.approx(SMALL.batch_bytes / 24 * 1000, rel=0.01)
    assert "kind_src:pinned" in str(copy.stats["memcpy_details"])

    call, copy = copies(pinned=False)
    assert call.end_ps == copy.end_ps
    assert copy.end_ps - copy.start_ps == pytest.approx(SMALL.batch_bytes / 6 * 1000, rel=0.01)
    assert "kind_src:pageable" in str(copy.stats["memcpy_details"])


def test_half_precision_is_faster_and_its_kernels_say_so() -> None:
    def product(precision: str) -> tuple[int, str]:
        kernels = SMALL.kernels(V100, precision)  # type: ignore[arg-type]
        kernel = next(kernel for kernel in kernels if kernel.type == "Conv2D")
        return kernel.duration_ns, kernel.name

    slow_ns, slow_name = product("fp32")
    fast_ns, fast_name = product("fp16")
    assert slow_ns > 4 * fast_ns
    assert "scudnn" in slow_name
    assert "s884cudnn_fp16" in fast_name


def test_a_product_takes_its_flops_over_the_share_of_the_peak() -> None:
    assert Speed(A100, "fp16").product_ns(312e12 * 0.55) == 1_000_000_000
    assert Speed(A100, "fp32").product_ns(19.5e12 * 0.80) == 1_000_000_000
    assert Speed(A100, "fp32").stream_ns(1_555_200_000_000 * 0.8) == 1_000_000_000


@pytest.mark.parametrize("model", [SMALL, Transformer(batch=8), UnrolledRnn()])
def test_a_model_frees_what_it_keeps(model: ConvNet | Transformer | UnrolledRnn) -> None:
    kernels = model.kernels(A100, "bf16")

    assert sum(kernel.keeps_bytes for kernel in kernels) == sum(kernel.frees_bytes for kernel in kernels)
    phases = [kernel.phase for kernel in kernels]
    assert phases == sorted(phases, key=["forward", "backward", "optimizer"].index)


def test_allocator_events_add_up_to_the_true_peak() -> None:
    simulation = simulate(Training(model=SMALL, steps=4))
    host = events(simulation, "worker0", "/host:CPU")
    in_use = [row.stats["bytes_allocated"] for row in host if row.name.startswith("Memory")]

    assert max(in_use) == simulation.truth.peak_bytes["worker0", 0]  # type: ignore[type-var]
    assert min(in_use) >= SMALL.persistent_bytes  # type: ignore[type-var, operator]


def test_the_capture_keeps_only_what_lies_inside_it() -> None:
    simulation = simulate(Training(model=SMALL, steps=5))
    truth = simulation.truth
    rows = events(simulation, "worker0", "/host:CPU") + events(simulation, "worker0", "/device:GPU:0")

    assert min(row.start_ps for row in rows) >= truth.capture_begin_ns * 1000
    assert max(row.end_ps for row in rows) <= truth.capture_end_ns * 1000
    # The host runs one step ahead: the last captured step is not finished on the GPU.
    assert truth.complete == (2, 3, 4, 5)


def test_what_happens_is_the_truth_of_the_profile() -> None:
    training = Training(model=SMALL, gpus=2, hosts=2, steps=3)

    assert what_happens(training) == simulate(training).truth
