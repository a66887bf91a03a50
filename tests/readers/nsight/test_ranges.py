"""What names of NVTX ranges mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.strategies  # noqa: F401 - the profile of hypothesis
from tfperf_plugin.readers.kineto.work import Tensor
from tfperf_plugin.readers.nsight.ranges import Meaning, meaning


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("forward", Meaning("forward")),
        ("step 3: forward", Meaning("step 3: forward")),
        ("aten::mm, seq = 4, op_id = 9", Meaning("aten::mm", "aten::mm", part="forward/")),
        (
            "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor',",
            Meaning("torch.nn.functional.conv2d"),
        ),
        ("{'mod': 'torch', 'op': ", Meaning("{'mod': 'torch', 'op': ")),
        ("aten::mm, seq = ", Meaning("aten::mm", "aten::mm", part="forward/")),
        (
            "aten::mm, op_id = 9, sizes = [[2, 3], [3, 4]]",
            Meaning("aten::mm", "aten::mm 2×3·3×4", inputs=(Tensor("", (2, 3)), Tensor("", (3, 4)))),
        ),
        ("aten::mul, op_id = 9, sizes = [[2, 3], []]", Meaning("aten::mul", "aten::mul")),
        ("aten::mm, op_id = 9, sizes = [[2, 3], [3,", Meaning("aten::mm", "aten::mm")),
        (
            "autograd::engine::evaluate_function: AddmmBackward0, seq = 4, op_id = 3",
            Meaning("autograd::engine::evaluate_function: AddmmBackward0", part="backward/"),
        ),
        ("Optimizer.step#AdamW.step", Meaning("Optimizer.step#AdamW.step", part="optimizer/")),
        ("nccl:all_to_all", Meaning("nccl:all_to_all")),
        ("c10d::alltoall_base_", Meaning("c10d::alltoall_base_")),
        ("FSDP::pre_forward (blocks.3)", Meaning("FSDP::pre_forward (blocks.3)")),
        ("ProfilerStep#4", Meaning("ProfilerStep#4")),
        ("dense/MatMul:MatMul", Meaning("dense/MatMul:MatMul", "dense/MatMul:MatMul")),
        (
            "dense/MatMul:MatMul#id=1,shape=(float[8,512];float[512,512])#",
            Meaning("dense/MatMul:MatMul", "dense/MatMul:MatMul"),
        ),
        ("MatMul: dense/MatMul", Meaning("dense/MatMul:MatMul", "dense/MatMul:MatMul")),
        (
            '{"op":"MatMul","name":"dense/MatMul","args":[],"attrs":{}}',
            Meaning("dense/MatMul:MatMul", "dense/MatMul:MatMul"),
        ),
        (
            "TSL:XlaModule:#prefix=jit(step)/jit(main),hlo_module=jit_step,program_id=12#",
            Meaning("jit_step:XLA GPU module", module="jit_step(12)"),
        ),
        ("XlaModule:#hlo_module=jit_step#", Meaning("jit_step:XLA GPU module", module="jit_step(-1)")),
        (
            "TSL:Thunk:#name=transpose[permutation=(1, 0)],hlo_op=transpose.4,unique_hlo_op_id=8#",
            Meaning(
                "Thunk:#name=transpose[permutation=(1, 0)],hlo_op=transpose.4,unique_hlo_op_id=8#",
                "transpose.4",
                "transpose[permutation=(1, 0)]",
            ),
        ),
        ("Thunk:#hlo_op=command_buffer#", Meaning("Thunk:#hlo_op=command_buffer#", "command_buffer")),
        ("XlaCompile:#module=jit_step,program_id=1#", Meaning("XlaCompile:#module=jit_step,program_id=1#")),
    ],
)
def test_what_a_name_means(text: str, found: Meaning) -> None:
    assert meaning(text) == found


@given(st.text(max_size=60) | st.from_regex(r"(TSL:)?(Thunk|XlaModule):#[a-z_=,#\d]{0,30}#", fullmatch=True))
def test_every_name_means_something(text: str) -> None:
    found = meaning(text)

    assert found.name or not text.strip("TSL:#, ")
    assert len(found.op) <= len(text)
