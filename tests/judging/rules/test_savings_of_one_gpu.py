"""What findings on one GPU promise against what they bring: the cause removed in the simulator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demo.build import training
from demo.simulator import Training
from demo.simulator.devices import A100, H100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.training import MILLISECOND_NS, Detour, Launching, LossScaling
from tests.judging.rules.test_savings_of_several_gpus import assert_keeps_its_promise

CPU_OP, SYNC = training("host_op_in_step"), training("host_sync_in_step")
SCALING, CONTENTION = training("dynamic_loss_scaling"), training("host_thread_contention")
SMALL_OPS = tuple(
    Detour(f"model/cell_{n}/Where", 20_000, 400_000, n / 12) for n in range(12)
)  # fmt: skip
MANY_OPS = replace(CPU_OP, model=ConvNet(batch=96, table_parameters=2_900_000_000), detours=SMALL_OPS)
LOSS_LATE = replace(CPU_OP, readback_lag=0, generation="old")
FEW = replace(
    SYNC, device=A100, generation="trace", readings=(replace(SYNC.readings[0], count=12, host_ns=90_000),)
)
NEW_SCALING = replace(
    SCALING,
    device=H100,
    generation="keras3",
    model=Transformer(batch=96, length=128, hidden=512, layers=16),
    loss_scaling=LossScaling(switch_ns=10_000),
)
OWN_THREADS = Launching(private_threads=True)
BUSIER = replace(CONTENTION, input=replace(CONTENTION.input, map_ns=49 * MILLISECOND_NS))

# Rule, training with the cause, training without it.
CASES: dict[str, tuple[str, Training, Training]] = {
    "one long op": ("host-op-in-step", CPU_OP, replace(CPU_OP, detours=())),
    "one long op, loss read in every step": ("host-op-in-step", LOSS_LATE, replace(LOSS_LATE, detours=())),
    "many short ops": ("host-op-in-step", MANY_OPS, replace(MANY_OPS, detours=())),
    "forty waits": ("host-sync-in-step", SYNC, replace(SYNC, readings=())),
    "twelve waits": ("host-sync-in-step", FEW, replace(FEW, readings=())),
    "loss scaling": ("dynamic-loss-scaling", SCALING, replace(SCALING, loss_scaling=None)),
    "loss scaling of Keras 3": ("dynamic-loss-scaling", NEW_SCALING, replace(NEW_SCALING, loss_scaling=None)),
    "contention": ("host-thread-contention", CONTENTION, replace(CONTENTION, launching=OWN_THREADS)),
    "more contention": ("host-thread-contention", BUSIER, replace(BUSIER, launching=OWN_THREADS)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_promise_is_what_it_brings(case: str, tmp_path: Path) -> None:
    assert_keeps_its_promise(CASES[case], tmp_path)
