"""The report finds what simulated kernels compute: FLOPs, MFU, floors and efficiency, within 5 %."""

from collections.abc import Mapping
from functools import cache
from statistics import mean

import pytest

from demo.build import training
from demo.reports import demo_report
from demo.simulator import what_happens
from demo.simulator.truth import TrueCompute, TrueOp
from tests.reports import rows

# Models, GPUs, number formats and generations of profilers; one and many GPUs; XLA; steps with gaps.
SCENARIOS = (
    "attention_unfused",
    "healthy_four_hosts",
    "healthy_single_gpu",
    "input_bound",
    "mixed_precision_off",
    "misaligned_dimensions",
    "fp32_beside_16bit",
    "narrow_products",
    "recompute_needless",
    "slow_gathers",
    "slow_products",
    "small_grids",
    "tensor_cores_unused",
)
PRODUCTS = ("MatMul", "BatchMatMul", "Conv2D")
# Where images need no gradient, no allocation tells their size: the bytes are a lower bound.
FIRST_CONVOLUTION = "functional_1/block_0/"


@cache
def truths(name: str) -> list[TrueCompute]:
    """Of each GPU."""
    return list(what_happens(training(name)).compute.values())


@pytest.mark.parametrize("name", SCENARIOS)
def test_mfu_is_the_true_one(name: str) -> None:
    numbers = demo_report(name).key_numbers
    true = truths(name)

    assert numbers.mfu_ratio == pytest.approx(mean(gpu.mfu for gpu in true), rel=0.05)
    if name == "recompute_needless":
        assert numbers.hfu_ratio == pytest.approx(mean(gpu.hfu for gpu in true), rel=0.05)
    else:
        assert numbers.hfu_ratio is None


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_products_need_is_what_they_needed(name: str) -> None:
    """FLOPs, bytes and the time at the peak of each product, and with it the product's true efficiency."""
    report = demo_report(name)
    true = per_step(truths(name)[0])
    products = [
        r
        for r in rows(report, "ops")
        if (r.type or "").startswith(PRODUCTS) or r.name.startswith("custom-call")
    ]
    assert len(products) >= 10
    for row in products:
        count, op = true[row.name, row.type or ""]
        assert row.peak_ns is not None, (row.name, row.not_judged)
        assert row.flops == pytest.approx(op.flops / count, rel=0.05), row.name
        assert row.bytes is not None
        assert row.bytes <= 1.05 * op.bytes / count, row.name
        if FIRST_CONVOLUTION in row.name:
            continue
        assert row.bytes >= 0.95 * op.bytes / count, row.name
        assert row.peak_ns / row.ns == pytest.approx(op.efficiency, rel=0.05), row.name


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_floor_is_no_higher_than_the_true_one_and_misses_what_is_not_judged(name: str) -> None:
    report = demo_report(name)
    assert report.ledger is not None
    assert report.ledger.compute_peak_ns is not None
    assert report.ledger.compute_floor_ns is not None
    assert report.key_numbers.compute_judged_ratio is not None
    floor_ns = mean(gpu.floor_ns for gpu in truths(name))

    assert report.ledger.compute_peak_ns <= 1.05 * floor_ns
    assert report.ledger.compute_floor_ns >= report.ledger.compute_peak_ns
    if report.key_numbers.compute_judged_ratio > 0.99:
        assert report.ledger.compute_peak_ns >= 0.95 * floor_ns


def per_step(compute: TrueCompute) -> Mapping[tuple[str, str], tuple[int, TrueOp]]:
    """The ops by name and type as rows have them."""
    found = {}
    for title, op in compute.ops.items():
        name, _, type_ = title.partition(":")
        found[name.removeprefix("StatefulPartitionedCall/"), type_] = compute.steps_count, op
    return found
