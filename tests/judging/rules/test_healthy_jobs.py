"""Healthy trainings on several GPUs and hosts get no warning, however they exchange their gradients."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demo.simulator import Training, simulate
from demo.simulator.models import ConvNet
from demo.simulator.training import MICROSECOND_NS, Communication, HostClocks
from tests.builders import decoded, inputs_of_run
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES

NCCL = Communication(
    call_ns=15 * MICROSECOND_NS, hop_ns=2 * MICROSECOND_NS, network_hop_ns=5 * MICROSECOND_NS, network_gbps=80
)
BASE = Training(
    model=ConvNet(batch=768, table_parameters=2_600_000_000),
    steps=6,
    communication=NCCL,
    clocks=HostClocks(tuple(1_000_000 * n for n in range(16)), tuple(300_000 * n for n in range(16))),
)
JOBS = {
    "2 GPUs": replace(BASE, gpus=2),
    "8 GPUs": replace(BASE, gpus=8),
    "8 GPUs, another seed": replace(BASE, gpus=8, seed=7, jitter=0.015),
    "2 hosts": replace(BASE, gpus=4, hosts=2),
    "4 hosts": replace(BASE, gpus=2, hosts=4),
    "16 hosts": replace(BASE, gpus=1, hosts=16),
    "16 hosts, another seed": replace(BASE, gpus=1, hosts=16, seed=3, jitter=0.015),
    "old TensorFlow": replace(BASE, gpus=4, generation="old"),
    "RCCL": replace(BASE, gpus=4, communication=replace(NCCL, library="rccl")),
    "XLA": replace(BASE, gpus=4, communication=replace(NCCL, launcher="xla")),
    "16-bit gradients": replace(BASE, gpus=4, communication=replace(NCCL, gradient_dtype="bf16")),
    "hierarchical": replace(BASE, gpus=4, hosts=2, communication=replace(NCCL, reduction="hierarchical")),
    "sharded": replace(BASE, gpus=4, communication=replace(NCCL, reduction="reduce_scatter_all_gather")),
}


@pytest.mark.parametrize("name", JOBS)
def test_nothing_above_info(name: str) -> None:
    outcome = run_rules(RULES, inputs_of_run(decoded(simulate(JOBS[name]).files)))

    assert [(f.id, f.summary) for f in outcome.findings if f.severity != "info"] == []
    assert outcome.errors == ()
