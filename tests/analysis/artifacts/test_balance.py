"""Kernel time by op and GPU."""

from __future__ import annotations

import pytest

from tests.builders import SGEMM, Host, inputs
from tfperf_plugin.analysis.artifacts.communication.balance import Balance, HostBalance, family_of

MS = 1_000_000


def balance(host: Host) -> HostBalance:
    (only,) = inputs(host).of(Balance).hosts
    return only


def ops(*gpus: dict[str, float]) -> Host:
    """Steps of 100 ms in which each GPU runs these ops one after another."""

    def step(host: Host, at: float) -> None:
        for gpu, times in enumerate(gpus):
            begin = at
            for op, length in times.items():
                host.kernel(begin, begin + length, gpu, SGEMM, op=op)
                begin += length

    return Host(gpus=len(gpus)).trained(5, 100, step)


@pytest.mark.parametrize(
    ("op", "family"),
    [
        ("replica_1/model/dense/MatMul:MatMul", "model/dense/MatMul:MatMul"),
        ("while/replica_12/model/add:AddV2", "while/model/add:AddV2"),
        ("Adam/update_3_1/ApplyAdam:ApplyAdam", "Adam/update/ApplyAdam:ApplyAdam"),
        ("model/dense_1/MatMul_1:MatMul", "model/dense/MatMul:MatMul"),
        ("model/my_replica_1/add:AddV2", "model/my_replica/add:AddV2"),
        ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
        ("", ""),
    ],
)  # fmt: skip
def test_names_of_replicas_that_mean_the_same_op(op: str, family: str) -> None:
    assert family_of(op) == family


def test_ops_whose_names_differ_by_numbers_only_are_not_taken_for_work_of_one_gpu() -> None:
    found = balance(
        ops(
            {"Adam/update_1/Apply:Apply": 30, "Adam/update_2/Apply:Apply": 5},
            {"Adam/update_1_1/Apply:Apply": 10, "Adam/update_2_1/Apply:Apply": 5},
        )
    )
    (row,) = found.rows

    assert (row.op, row.ops_count, row.only_there) == ("Adam/update_1/Apply:Apply", 2, False)
    assert (row.own_ns, row.others_ns) == (35 * MS, 15 * MS)
