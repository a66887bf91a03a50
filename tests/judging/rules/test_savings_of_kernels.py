"""What findings on kernels promise against what they bring: the cause removed in the simulator.

These savings are upper bounds. Each case says by how much of the step the bound may exceed what comes true.
It may promise less only by what the rule says that it does not count.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from demo.build import training
from demo.formats import KINETO
from demo.simulator import Training
from demo.simulator.devices import A100, H100, T4, V100
from demo.simulator.models import ConvNet, Transformer
from demo.simulator.variants import (
    ChannelsFirst,
    HandWrittenActivation,
    SlowProducts,
    Variant,
    WithBias,
    WithSmallOps,
)
from tests.judging.rules.test_savings import report_on
from tfperf_plugin.report.model import Report

# Of the step: gaps between kernels that go with them; elementwise kernels that move half the bytes in 16 bit;
# attention, which is judged as a whole, whatever its products take.
TOO_LITTLE = {"mixed-precision-off": 0.08, "slow-products": 0.1}
TOO_LITTLE_ELSE = 0.02
# Of a layer in float32 only products are promised, less casts of gradients, which the simulator leaves out:
# this share of the step.
OF_PRODUCTS, CASTS_RATIO = "fp32-beside-16bit", 0.005
GELU, TURNED, BIASED, SMALL = (
    training(name)
    for name in ("elementwise_fusion", "layout_transposes", "bias_before_batchnorm", "small_kernels")
)
UNUSED, SINGLE = training("tensor_cores_unused"), training("mixed_precision_off")
PARTLY, ODD, SLOW, NARROW = (
    training(name)
    for name in ("fp32_beside_16bit", "misaligned_dimensions", "slow_products", "narrow_products")
)
EVEN = replace(ODD, model=Transformer(batch=32, hidden=1_024, layers=3, table_parameters=2_700_000_000))


def without(job: Training) -> Training:
    """The same training of the model without its variant."""
    assert isinstance(job.model, Variant)
    return replace(job, model=job.model.model)


def by_hand(job: Training, fused: bool) -> Training:
    return replace(job, model=HandWrittenActivation(Transformer(batch=16, layers=2), fused))


# Rule, training with the cause, training without it, slack.
CASES: dict[str, tuple[str, Training, Training, float]] = {
    "activation by hand on a V100": (
        "elementwise-fusion",
        by_hand(replace(GELU, device=V100, generation="old"), False),
        by_hand(replace(GELU, device=V100, generation="old"), True),
        0.02,
    ),
    "activation by hand on an H100": (
        "elementwise-fusion",
        by_hand(replace(GELU, device=H100, generation="trace"), False),
        by_hand(replace(GELU, device=H100, generation="trace"), True),
        0.02,
    ),
    "channels first on two streams": (
        "layout-transposes",
        replace(TURNED, compute_streams=2),
        replace(without(TURNED), compute_streams=2),
        0.03,
    ),
    "channels first on four GPUs": (
        "layout-transposes",
        replace(TURNED, gpus=4, model=ChannelsFirst(ConvNet(batch=512)), generation="old"),
        replace(TURNED, gpus=4, model=ConvNet(batch=512), generation="old"),
        0.02,
    ),
    "bias on a T4": (
        "bias-before-batchnorm",
        replace(BIASED, device=T4, model=WithBias(ConvNet(batch=128)), generation="trace"),
        replace(BIASED, device=T4, model=ConvNet(batch=128), generation="trace"),
        0.02,
    ),
    "more small ops": (
        "small-kernels",
        replace(SMALL, model=WithSmallOps(ConvNet(batch=768), 400)),
        replace(SMALL, model=ConvNet(batch=768)),
        0.02,
    ),
    "odd dimensions on a T4": (
        "tensor-cores-unused",
        replace(UNUSED, device=T4, model=Transformer(batch=8, hidden=764, layers=2)),
        replace(UNUSED, device=T4, model=Transformer(batch=8, hidden=768, layers=2)),
        0.02,
    ),
    "TF32": (
        "mixed-precision-off",
        replace(SINGLE, device=A100, precision="tf32"),
        replace(SINGLE, device=A100, precision="fp16"),
        0.02,
    ),
    "float32 in narrow layers": (
        "mixed-precision-off",
        replace(NARROW, precision="fp32"),
        NARROW,
        0.02,
    ),
    "float32 in one layer on an A100": (
        "fp32-beside-16bit",
        replace(PARTLY, device=A100),
        replace(without(PARTLY), device=A100),
        0.02,
    ),
    "narrow loads on an H100": (
        "misaligned-dimensions",
        replace(ODD, device=H100),
        replace(EVEN, device=H100),
        0.02,
    ),
    "poor kernels on a V100": (
        "slow-products",
        replace(SLOW, device=V100, model=SlowProducts(Transformer(batch=12, layers=2))),
        replace(SLOW, device=V100, model=Transformer(batch=12, layers=2)),
        0.02,
    ),
    "poor kernels in float32": (
        "slow-products",
        replace(SLOW, device=V100, precision="fp32", model=SlowProducts(Transformer(batch=4, layers=2))),
        replace(SLOW, device=V100, precision="fp32", model=Transformer(batch=4, layers=2)),
        0.02,
    ),
    "float32 on two streams": (
        "mixed-precision-off",
        replace(SINGLE, compute_streams=2),
        replace(SINGLE, compute_streams=2, precision="fp16"),
        0.02,
    ),
    "float32 on an H100": (
        "mixed-precision-off",
        replace(SINGLE, device=H100, model=ConvNet(batch=256)),
        replace(SINGLE, device=H100, model=ConvNet(batch=256), precision="bf16"),
        0.02,
    ),
}


def products_ns(report: Report) -> int:
    assert report.ledger
    return sum(part.ns for part in report.ledger.compute if part.id.startswith("compute.matrix"))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_promise_is_a_bound_of_what_it_brings(case: str, tmp_path: Path) -> None:
    rule, with_cause, removed, slack = CASES[case]
    before, after = report_on(with_cause, tmp_path / "before"), report_on(removed, tmp_path / "after")

    found = next(f for f in before.findings if f.id == rule)
    assert found.saving is not None
    gain_ns = before.steps.mean_ns - after.steps.mean_ns
    error = (found.saving.ns - gain_ns) / before.steps.mean_ns
    said = f"promised {found.saving.ns} ns of {gain_ns} ns"
    assert error <= slack, said
    if rule == OF_PRODUCTS:
        least_ns = products_ns(before) - products_ns(after) - CASTS_RATIO * before.steps.mean_ns
        assert found.saving.ns >= least_ns, said
    else:
        assert error >= -TOO_LITTLE.get(rule, TOO_LITTLE_ELSE), said
    assert rule not in [f.id for f in after.findings]


@pytest.mark.slow
@pytest.mark.parametrize(("batch", "too_little"), [(8, 0), (16, 0.08), (32, 0.05), (256, 0.01)])
def test_a_short_step_of_pytorch_is_promised_only_what_the_host_leaves(
    batch: int, too_little: float, tmp_path: Path
) -> None:
    """Python between ops leaves no events. It may also wait there, so the promise may be too low."""
    job = replace(SINGLE, device=H100, model=ConvNet(batch=batch))
    before = report_on(job, tmp_path / "before", KINETO)
    after = report_on(replace(job, precision="bf16"), tmp_path / "after", KINETO)

    gain_ns = before.steps.mean_ns - after.steps.mean_ns
    promised_ns = sum(f.saving.ns for f in before.findings if f.id == "mixed-precision-off" and f.saving)
    assert -too_little <= (promised_ns - max(0, gain_ns)) / before.steps.mean_ns <= 0.02
