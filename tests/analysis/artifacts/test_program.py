"""Which framework a profile shows, and whether XLA compiled what the GPUs run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host, inputs
from tfperf_plugin.analysis.artifacts.capture.program import Program


def of(*hosts: Host) -> Program:
    """What the hosts show, but for their GPUs."""
    return replace(inputs(*hosts).of(Program), gpus_count=0, bfloat16=False, tf32=False)


def test_ops_of_tensorflow_are_enough_where_nothing_speaks_of_another() -> None:
    host = Host()
    host.kernel(0, 80, op="dense/MatMul:MatMul")
    of_pytorch = Host()
    of_pytorch.event("aten::mm", 0, 1)
    of_pytorch.kernel(0, 80, op="dense/MatMul:MatMul")

    assert of(host).framework == "custom loop"
    assert of(of_pytorch).framework == "PyTorch"


def trained(*kernels: str, events: tuple[str, ...] = ("aten::mm",)) -> Host:
    """Three steps of PyTorch."""
    host = Host()
    for begin in (0, 100, 200):
        for name in events:
            host.event(name, begin + 1, begin + 5)
        for number, name in enumerate(kernels):
            host.kernel(begin + 20 + 10 * number, begin + 29 + 10 * number, name=name)
    return host


def test_inductor_compiles_if_it_made_most_of_what_it_could() -> None:
    own, product = "void at::native::vectorized_elementwise_kernel<4>", "ampere_sgemm_128x64_tn"

    assert of(trained("triton_poi_fused_add_0", product, product)).compiled
    assert not of(trained("triton_poi_fused_add_0", own, own)).compiled
    assert not of(trained(product, own)).compiled


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("mark", "compiled"),
    [
        ("Torch-Compiled Region: 0/0", True),
        ("## Call CompiledFxGraph fp5r5pk7bndv ##", True),
        ("train_step", False),
    ],
)
@pytest.mark.parametrize("most", [True, False])  # beside a small function that is compiled, the model is not
def test_what_compiled_code_launches_is_compiled(mark: str, compiled: bool, most: bool) -> None:
    host = Host()
    for begin in (0, 100, 200):
        host.event(mark, begin, begin + (20 if most else 4))
        for number, name in enumerate(("triton_poi_fused_add_0", *2 * ["void at::native::fill<4>"])):
            at = begin + 5 * number
            host.kernel(at + 1, at + 5, name=name, launch=(at, at + 1))

    assert of(host).compiled is (compiled and most)


def test_a_backward_pass_or_an_optimizer_is_training() -> None:
    assert of(trained("k")).inference
    for event in ("autograd::engine::evaluate_function: MmBackward0", "Optimizer.step#AdamW.step"):
        assert not of(trained("k", events=("aten::mm", event))).inference
    assert not of(trained("k", events=("cudaLaunchKernel",))).inference  # nothing would show it


@pytest.mark.parametrize(
    ("kernel", "trains"),
    [
        ("void cudnn::bn_fw_tr_1C11_singleread<float, 512, true, 1, 2, 0>", True),
        ("void at::native::batch_norm_collect_statistics_kernel<at::native::InvStd, float>", True),
        ("void cudnn::bn_fw_inf_1C11_kernel_NCHW<float, float, true, 1>", False),
        ("void at::native::batch_norm_transform_input_kernel<float>", False),
    ],
)
def test_inference_in_training_mode_computes_statistics_of_batches(kernel: str, trains: bool) -> None:
    condition, backward = "inference in training mode", "autograd::engine::evaluate_function: MmBackward0"

    assert of(trained("k", kernel)).conditions[condition] is trains
    assert not of(trained("k", kernel, events=("aten::mm", backward))).conditions[condition]


@pytest.mark.parametrize(
    ("dropout", "draws", "trains"),
    [
        ("aten::dropout", True, True),
        ("aten::native_dropout", False, True),
        ("aten::dropout", False, False),  # off, it hands its input on
        ("aten::rand_like", True, False),
    ],
)
def test_dropout_that_draws_random_numbers_is_on(dropout: str, draws: bool, trains: bool) -> None:
    host = Host(gpus=0)
    for begin in (0, 100, 200):
        host.event("aten::addmm", begin, begin + 5)
        host.event(dropout, begin + 10, begin + 20)
        if draws:
            host.event("aten::bernoulli_", begin + 12, begin + 18)

    assert of(host).conditions["inference in training mode"] is trains


def test_an_optimizer_that_was_not_seen_cannot_be_fused() -> None:
    backward, step = "autograd::engine::evaluate_function: MmBackward0", "Optimizer.step#AdamW.step"

    assert of(trained("k", events=(backward, step))).conditions["optimizer not fused"]
    for events in ((backward,), (backward, step, "aten::_fused_adamw_"), ("cudaLaunchKernel",)):
        assert not of(trained("k", events=events)).conditions["optimizer not fused"]


@pytest.mark.parametrize(
    ("kernel", "server"),
    [
        ("void vllm::cross_device_reduce_1stage<half, 2>", "vLLM"),
        ("void fastertransformer::addBiasResidual<half>", "FasterTransformer"),
        ("void tensorrt_llm::kernels::fusedQKNorm", "TensorRT-LLM"),
        ("_ZN7sgl_hip10activation18act_and_mul_kernel", "SGLang"),
        ("void my::vllm_like", ""),
    ],
)
def test_servers_of_language_models_are_known_by_their_kernels(kernel: str, server: str) -> None:
    assert of(trained(kernel)).server == server
    training = trained(kernel, events=("aten::mm", "autograd::engine::evaluate_function: MmBackward0"))
    assert of(training).server == ""
