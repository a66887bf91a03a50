"""Rules that say what ops need not do claim no time twice."""

from __future__ import annotations

from tests.builders import HALF_GEMM, Host, inputs
from tests.judging.rules.kernels import A100, K, moving, training
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.analysis.artifacts.compute.attention import Attentions
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.judging.engine.rule import Found, Rule
from tfperf_plugin.judging.rules.one_gpu import (
    layout_transposes,
    optimizer_per_variable,
    recompute_needless,
    slow_gathers,
    small_kernels,
)
from tfperf_plugin.judging.rules.precision import attention_unfused, elementwise_fusion

RULES: tuple[Rule, ...] = tuple(
    module.RULE
    for module in (
        attention_unfused,
        elementwise_fusion,
        layout_transposes,
        optimizer_per_variable,
        recompute_needless,
        slow_gathers,
        small_kernels,
    )
)
MUL = "Mul_GPU_DT_HALF_DT_HALF_kernel"
LAYER = "model/encoder_0/attention"


def everything() -> Host:
    """Each rule has something to find, and neighbors share scopes, classes and lengths of kernels."""
    kernels = [
        K(1, HALF_GEMM, f"{LAYER}/MatMul:BatchMatMulV2"),
        *(K(2, MUL, f"{LAYER}/{op}", work=moving(10**9)) for op in ("mul:Mul", "add:AddV2", "Cast:Cast")),
        K(2, "void GenerateNormalizedProb<Eigen::half>(P)", f"{LAYER}/Softmax:Softmax"),
        K(1, HALF_GEMM, f"{LAYER}/MatMul_1:BatchMatMulV2"),
        *(
            K(3, MUL, f"model/encoder_0/gelu/{op}", work=moving(10**9))
            for op in ("mul_7:Mul", "tanh:Tanh", "add_7:AddV2")
        ),
        K(4, "void nchwToNhwcKernel<half>(P)", "model/conv/Conv2D:Conv2D"),
        K(6, "void GatherOpKernel<half>(P)", "model/rows/GatherV2:GatherV2", work=moving(10**9)),
        K(5, "loop_multiply_fusion", "fusion.7.remat", work=moving(10**9, recomputed=True)),
        *(K(0.02, MUL, f"adam/v{i}/mul:Mul") for i in range(150)),
        *(K(0.004, MUL, f"adam/v{i}/add:AddV2") for i in range(150)),
        *(K(0.005, MUL, f"loss/anchor_{i}/mul:Mul") for i in range(1_500)),
    ]
    host = training(kernels, device=A100)
    for step in range(5):
        host.memory(step * 100 + 1, 10**10, 8 * 10**10, 2 * 10**10)
    return host


def test_claims_exceed_neither_what_can_be_won_nor_what_their_own_kernels_take() -> None:
    known = inputs(everything(), stated=Stated(parameters=1_000_000))
    verdicts = {rule.id: known.call(rule.judge) for rule in RULES}
    claims = {id: verdict.claims["compute"] for id, verdict in verdicts.items() if isinstance(verdict, Found)}
    at_most = {
        "attention-unfused": 8_000_000,
        "elementwise-fusion": round(2e9 / 1321.75),
        "layout-transposes": 4_000_000,
        "optimizer-per-variable": 3_600_000,
        "recompute-needless": 5_000_000,
        "slow-gathers": 6_000_000,
        "small-kernels": 7_500_000,
    }
    bounds, attentions = known.get(Bounds), known.get(Attentions)
    needless = {key for attention in attentions.found for key in attention.between} | {("", "fusion.7.remat")}
    can_be_won = bounds.per_step(
        sum(
            op.compute_ns if op.not_judged or key in needless else op.recoverable_ns
            for key, op in bounds.ops.items()
            if not op.matrix or key in needless
        )
    )

    assert sum(claims.values()) <= can_be_won
    assert claims.keys() == at_most.keys()
    assert [rule for rule, ns in claims.items() if not 0 < ns <= at_most[rule]] == []
