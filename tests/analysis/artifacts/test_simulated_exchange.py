"""Collectives of simulated trainings against what really happened in them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest

from demo.simulator import Simulation, Training, simulate
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Communication, HostClocks, Launching, SlowHost
from tests.builders import decoded, inputs_of_run
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes, ring_factor
from tfperf_plugin.analysis.artifacts.communication.hosts import Hosts
from tfperf_plugin.analysis.collectives import KINDS
from tfperf_plugin.judging.engine.inputs import Inputs

MODEL = ConvNet(batch=192, blocks_per_stage=1)
CLOCKS = HostClocks(
    errors_ns=tuple(1_000_000 * (7 * n % 5) for n in range(16)),
    start_lags_ns=tuple(400_000 * (3 * n % 7) for n in range(16)),
)
NCCL = Communication(
    call_ns=10 * MICROSECOND_NS, hop_ns=2 * MICROSECOND_NS, network_hop_ns=6 * MICROSECOND_NS, network_gbps=40
)
BASE = Training(model=MODEL, steps=5, clocks=CLOCKS, communication=NCCL, uneven_batches=0.2)

# GPUs, hosts, what is special.
JOBS: dict[str, Training] = {
    "2 GPUs": replace(BASE, gpus=2),
    "4 GPUs": replace(BASE, gpus=4),
    "8 GPUs": replace(BASE, gpus=8),
    "2 hosts": replace(BASE, gpus=2, hosts=2),
    "4 hosts": replace(BASE, gpus=2, hosts=4),
    "16 hosts": replace(BASE, gpus=1, hosts=16),
    "old TensorFlow, 2 hosts": replace(BASE, gpus=2, hosts=2, generation="old"),
    "no markers, 2 hosts": replace(BASE, gpus=2, hosts=2, markers=False),
    "NCCL 2.8": replace(BASE, gpus=4, communication=replace(NCCL, library="nccl_2_8")),
    "old NCCL": replace(BASE, gpus=4, communication=replace(NCCL, library="nccl_old")),
    "RCCL": replace(BASE, gpus=4, communication=replace(NCCL, library="rccl")),
    "XLA": replace(BASE, gpus=4, communication=replace(NCCL, launcher="xla")),
    "XLA, 2 hosts": replace(BASE, gpus=2, hosts=2, communication=replace(NCCL, launcher="xla")),
    "fp16 gradients": replace(BASE, gpus=4, communication=replace(NCCL, gradient_dtype="f16")),
    "bf16 gradients": replace(BASE, gpus=4, communication=replace(NCCL, gradient_dtype="bf16")),
    "not overlapped": replace(BASE, gpus=4, communication=replace(NCCL, overlap=False)),
    "fragmented": replace(BASE, gpus=4, communication=replace(NCCL, buckets=60)),
    "hierarchical": replace(BASE, gpus=4, hosts=2, communication=replace(NCCL, reduction="hierarchical")),
    "hierarchical, 4 hosts": replace(
        BASE, gpus=2, hosts=4, communication=replace(NCCL, reduction="hierarchical")
    ),
    "sharded": replace(BASE, gpus=4, communication=replace(NCCL, reduction="reduce_scatter_all_gather")),
    "sharded, 2 hosts": replace(
        BASE, gpus=2, hosts=2, communication=replace(NCCL, reduction="reduce_scatter_all_gather")
    ),
    "sharded, XLA": replace(
        BASE,
        gpus=4,
        communication=replace(NCCL, reduction="reduce_scatter_all_gather", launcher="xla"),
    ),
    "late thread": replace(
        BASE,
        gpus=4,
        uneven_batches=0,
        readback_lag=0,
        launching=Launching(late_gpu=2, late_ns=3_000 * MICROSECOND_NS),
    ),
    "slow host": replace(BASE, gpus=2, hosts=4, uneven_batches=0, slow_host=SlowHost(2, gpu_factor=1.3)),
}
# Old TensorFlow states no sizes.
SIZES_MISSING = {"old TensorFlow, 2 hosts"}


@lru_cache(maxsize=1)
def analysed(name: str) -> tuple[Simulation, Inputs]:
    simulation = simulate(JOBS[name])
    return simulation, inputs_of_run(decoded(simulation.files))


@pytest.mark.parametrize("name", JOBS)
def test_each_participant_waits_as_long_as_it_did(name: str) -> None:
    """Every call of complete steps: the same participants, transfer and waiting, whatever clocks say."""
    simulation, inputs = analysed(name)
    truth = simulation.truth
    assert inputs.ledger is not None
    found: dict[tuple[str, int, int], tuple[str, int, int, int]] = {}
    for host in inputs.ledger.hosts:
        offset = truth.clock_offsets_ns[host.host]
        calls = host.calls
        for row in range(len(calls)):
            key = (host.host, int(calls.device[row]), int(calls.start_ns[row]) + offset)
            found[key] = (
                KINDS[calls.kind[row]],
                int(calls.participants[row]),
                int(calls.wait_ns[row]),
                int(calls.end_ns[row] - calls.start_ns[row] - calls.wait_ns[row]),
            )
    checked = 0
    for item in truth.collectives:
        if item.step not in truth.complete:
            continue
        last = max(item.arrivals_ns.values())
        for (worker, gpu), arrival in item.arrivals_ns.items():
            kind, participants, wait, transfer = found[worker, gpu, arrival]
            assert kind == item.kind
            # Broadcasts that begin on all hosts with the same end and last as long cannot be told apart.
            if kind != "broadcast":
                assert participants == len(item.arrivals_ns)
            if kind == "broadcast":  # while the first GPU still transfers between groups, nobody is late
                assert wait <= last - arrival + 2
                assert wait + transfer == pytest.approx(item.end_ns - arrival, abs=2)
            else:
                assert wait == pytest.approx(last - arrival, abs=2)
                assert transfer == pytest.approx(item.transfer_ns, abs=2)
            checked += 1
    assert checked >= 3 * JOBS[name].together


@pytest.mark.parametrize("name", [name for name, job in JOBS.items() if job.hosts > 1])
def test_clocks_are_told_by_the_common_ends(name: str) -> None:
    simulation, inputs = analysed(name)

    assert inputs.ledger is not None
    for host in inputs.ledger.hosts[1:]:
        assert host.clock.source == "collectives"
        assert host.clock.offset_ns == pytest.approx(simulation.truth.clock_offsets_ns[host.host], abs=2)
        assert host.clock.uncertainty_ns is not None
        assert host.clock.uncertainty_ns <= 2


@pytest.mark.parametrize("name", JOBS)
def test_times_per_step_and_parameters(name: str) -> None:
    simulation, inputs = analysed(name)
    job, truth = JOBS[name], simulation.truth
    times = inputs.get(AllReduceTimes)

    assert isinstance(times, AllReduceTimes)
    assert times.participants == job.together
    assert times.matched_ratio == 1
    if name in SIZES_MISSING:
        return
    assert times.size_bytes is not None
    element = 4 if job.communication.gradient_dtype == "f32" else 2
    # Buckets are of one size: the last bytes of an uneven division are not sent.
    assert times.size_bytes == pytest.approx(element * job.model.parameters, rel=1e-4)
    assert times.element_bytes == element
    if times.exchange == "all_reduce":
        mine = [c for c in truth.collectives if c.step in truth.complete]
        rate = (
            sum(c.payload_bytes for c in mine)
            * ring_factor(times.participants)
            / sum(c.transfer_ns for c in mine)
        )
        assert times.busbw_gbps == pytest.approx(rate, rel=0.02)


def test_the_slow_host_and_the_late_gpu_are_pinned() -> None:
    _, inputs = analysed("slow host")
    hosts: Hosts = inputs.get(Hosts)
    assert [h.host for h in hosts.rows if h.slow] == ["worker2"]
    _, inputs = analysed("late thread")
    times: AllReduceTimes = inputs.get(AllReduceTimes)
    assert times.by_lateness[0].device == "GPU:2"


@pytest.mark.parametrize("name", ["2 hosts", "4 hosts", "16 hosts", "hierarchical, 4 hosts"])
def test_healthy_jobs_have_no_slow_host(name: str) -> None:
    _, inputs = analysed(name)
    hosts: Hosts = inputs.get(Hosts)

    assert not any(h.slow for h in hosts.rows)
