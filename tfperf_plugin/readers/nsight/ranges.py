"""What names of NVTX ranges mean: ops of TensorFlow, XLA and PyTorch, programs of XLA, numbers of steps.

- XLA (domain TSL): ``XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=7#`` around
  ``Thunk:#name=dot_general,hlo_op=fusion.3,unique_hlo_op_id=12#``
  (https://github.com/openxla/xla/blob/main/xla/backends/gpu/runtime/annotation.cc); ``nsys stats`` puts
  ``TSL:`` before these names.
- TensorFlow: ``dense/MatMul:MatMul#shape=(float[8,512])#``, as in XSpace; NVIDIA's build:
  ``MatMul: dense/MatMul``, or JSON with ``TF_ENABLE_NVTX_RANGES_DETAILED``.
- PyTorch's ``emit_nvtx``: ``aten::mm, seq = 45, op_id = 990, sizes = [[8, 512]]``.
"""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.records import Record
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.roles import HostRole

_XLA: Final = re.compile(r"(Thunk|XlaModule):#(.*)#", re.DOTALL)
_INSTRUCTION: Final = re.compile(r"\bhlo_op=([^,#]+)")
_SCOPE: Final = re.compile(r"^name=(.*?),hlo_op=", re.DOTALL)
_PROGRAM: Final = re.compile(r"\bhlo_module=([^,#]+)(?:,program_id=(\d{1,18}))?")
_NVIDIA: Final = re.compile(r"([A-Z]\w*): ([^\s:]+)")
_NVIDIA_DETAILED: Final = re.compile(r'\{"op":"(\w+)","name":"([^"]+)"')
_TORCH: Final = re.compile(r"(?!autograd::|c10d::)\w+(::[\w.]+)+")
_TORCH_NUMBERS: Final = re.compile(r", (seq|op_id|sizes|input_op_ids) = .*", re.DOTALL)
FORWARD: Final = "forward/"
# Autograd numbers what it will differentiate.
_PARTS: Final = (
    ("backward/", re.compile(r"autograd::engine::evaluate_function\b")),
    ("optimizer/", re.compile(r"Optimizer\.step#")),
    (FORWARD, re.compile(r".*, seq = ", re.DOTALL)),
)


class Meaning(Record, frozen=True):
    """``name``: of the range, without PyTorch's numbers; ``op``: that it runs, as XSpace names it;
    ``scope``: the op's origin, as XLA keeps it; ``module``: the program that it runs, "jit_step(7)";
    ``part``: of the step, that PyTorch's ops in it belong to, "backward/"."""

    name: str
    op: str = ""
    scope: str = ""
    module: str = ""
    part: str = ""


def meaning(text: str) -> Meaning:
    """What a range of this name means."""
    text = text.removeprefix("TSL:")
    if xla := _XLA.fullmatch(text):
        return _of_xla(text, xla[2]) if xla[1] == "Thunk" else _of_program(text, xla[2])
    if tensorflow := _NVIDIA.fullmatch(text) or _NVIDIA_DETAILED.match(text):
        op = f"{tensorflow[2]}:{tensorflow[1]}"
        return Meaning(op, op)
    plain = text.partition("#")[0]
    if roles.host_role(plain) is HostRole.OP:
        return Meaning(plain, plain)
    name = _TORCH_NUMBERS.sub("", text)
    part = next((part for part, pattern in _PARTS if pattern.match(text)), "")
    return Meaning(name, name if _TORCH.fullmatch(name) else "", part=part)


def _of_xla(text: str, fields: str) -> Meaning:
    instruction, scope = _INSTRUCTION.search(fields), _SCOPE.match(fields)
    return Meaning(text, instruction[1] if instruction else "", scope[1] if scope else "")


def _of_program(text: str, fields: str) -> Meaning:
    """XSpace names the same event of the host "jit_step:XLA GPU module"."""
    if not (program := _PROGRAM.search(fields)):
        return Meaning(text)
    return Meaning(f"{program[1]}:XLA GPU module", module=f"{program[1]}({program[2] or -1})")


_NUMBER: Final = re.compile(r"\d{1,18}")
# Ranges of a step; others that come with numbers are parts of a step, or hold many.
_STEP: Final = re.compile(r"(?i)step|iter|batch|train|update")
_NO_STEP: Final = re.compile(r"(?i)layer|block|stage|bucket|chunk|micro|rank|head|expert")
_EPOCH: Final = re.compile(r"(?i)epoch")
_INSIDE_EPOCH: Final = re.compile(r"(?i)step|iter|batch")


def numbered(name: str) -> tuple[str, tuple[int, ...]]:
    """A name without its numbers and the signs before them, and the numbers: "step", (3,) of "step=3"."""
    stem = re.sub(r"[\s#=:_\-\[(/]{0,4}\d{1,18}[\])]?", "", name).strip(" ,:#=")
    return stem or name, tuple(int(number) for number in _NUMBER.findall(name))


def may_mark_steps(stem: str, *, counts: bool) -> bool:
    """Whether ranges of such names may be steps. ``counts``: their numbers rise from one to the next."""
    if _NO_STEP.search(stem) or (_EPOCH.search(stem) and not _INSIDE_EPOCH.search(stem)):
        return False
    return counts or bool(_STEP.search(stem))
