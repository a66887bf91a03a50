"""What names of NVTX ranges mean (ops of TensorFlow, XLA and PyTorch, programs of XLA), and which mark steps.

- XLA (domain TSL): ``XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=7#`` around
  ``Thunk:#name=dot_general,hlo_op=fusion.3,unique_hlo_op_id=12#``
  (https://github.com/openxla/xla/blob/main/xla/backends/gpu/runtime/annotation.cc); ``nsys stats`` puts
  ``TSL:`` before these names.
- TensorFlow: ``dense/MatMul:MatMul#shape=(float[8,512])#``, as in XSpace; NVIDIA's build:
  ``MatMul: dense/MatMul``, or JSON with ``TF_ENABLE_NVTX_RANGES_DETAILED``.
- PyTorch's ``emit_nvtx``: ``aten::mm, seq = 45, op_id = 990, sizes = [[8, 512]]``; DLProf's functions:
  ``{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [...``.

The range that marks the steps comes once a step, around what the step launches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Bools, Ints, contains, union
from tfperf_plugin.readers.kineto.work import Tensor, inputs_of, work_of
from tfperf_plugin.records import Record
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.roles import OPTIMIZER_STEP, HostRole

_XLA: Final = re.compile(r"(Thunk|XlaModule):#(.*)#", re.DOTALL)
_INSTRUCTION: Final = re.compile(r"\bhlo_op=([^,#]+)")
_SCOPE: Final = re.compile(r"^name=(.*?),hlo_op=", re.DOTALL)
_PROGRAM: Final = re.compile(r"\bhlo_module=([^,#]+)(?:,program_id=(\d{1,18}))?")
_NVIDIA: Final = re.compile(r"([A-Z]\w*): ([^\s:]+)")
_NVIDIA_DETAILED: Final = re.compile(r'\{"op":"(\w+)","name":"([^"]+)"')
_DLPROF: Final = re.compile(r"\{'mod': '([\w.]+)', 'op': '(\w+)'")
_TORCH: Final = re.compile(r"(?!autograd::|c10d::)\w+(::[\w.]+)+")
_TORCH_SIZES: Final = re.compile(r", sizes = (\[\[[\d, \[\]]*\])")
_TORCH_NUMBERS: Final = re.compile(r", (seq|op_id|sizes|input_op_ids) = .*", re.DOTALL)
FORWARD: Final = "forward/"
# Autograd numbers what it will differentiate.
_PARTS: Final = (
    ("backward/", re.compile(r"autograd::engine::evaluate_function\b")),
    ("optimizer/", OPTIMIZER_STEP),
    (FORWARD, re.compile(r".*, seq = ", re.DOTALL)),
)
_LEAST_COUNT: Final = 3
"""A range that comes less often does not show that it repeats."""
_COVERED_RATIO: Final = 0.5
"""From its first to its last, a marker covers at least this share of the time, and of the launches. Ranges
whose names only count cover it of all launches: one pass of a model numbers its layers, too."""
_SAME_RATIO: Final = 0.9
"""Markers around this share of the launches that another one encloses mark the same steps."""
_TRIED_COUNT: Final = 64


class Meaning(Record, frozen=True):
    """``name``: of the range, without PyTorch's numbers; ``op``: that it runs, as XSpace names it;
    ``scope``: the op's origin, as XLA keeps it; ``module``: the program that it runs, "jit_step(7)";
    ``part``: of the step, that PyTorch's ops in it belong to, "backward/"; ``inputs``: of its matrix product,
    whose types are not recorded."""

    name: str
    op: str = ""
    scope: str = ""
    module: str = ""
    part: str = ""
    inputs: tuple[Tensor, ...] = ()


def meaning(text: str) -> Meaning:
    """What a range of this name means."""
    text = text.removeprefix("TSL:")
    if xla := _XLA.fullmatch(text):
        return _of_xla(text, xla[2]) if xla[1] == "Thunk" else _of_program(text, xla[2])
    if tensorflow := _NVIDIA.fullmatch(text) or _NVIDIA_DETAILED.match(text):
        op = f"{tensorflow[2]}:{tensorflow[1]}"
        return Meaning(op, op)
    if torch := _DLPROF.match(text):
        return Meaning(f"{torch[1]}.{torch[2]}")
    plain = text.partition("#")[0]
    if roles.host_role(plain) is HostRole.OP:
        return Meaning(plain, plain)
    name = _TORCH_NUMBERS.sub("", text)
    part = next((part for part, pattern in _PARTS if pattern.match(text)), "")
    op = name if _TORCH.fullmatch(name) else ""
    inputs = inputs_of(sizes[1].encode(), b"") if (sizes := _TORCH_SIZES.search(text)) else []
    work = work_of(op, inputs, b"")
    return (
        Meaning(name, f"{op} {work.called}", part=part, inputs=tuple(inputs))
        if work
        else Meaning(name, op, part=part)
    )


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


class Marker(NamedTuple):
    """``rows``: the ranges that are steps, in time order; ``number``: of each; ``name``: of all."""

    rows: Ints
    number: Ints
    name: str


class _Found(NamedTuple):
    """``own``: its thread launches, too; a thread that only loads batches does not."""

    marker: Marker
    launches_count: int
    own: bool
    length_ns: float


def find_marker(
    start_ns: Ints, end_ns: Ints, thread: Ints, meaning: Ints, meanings: Sequence[Meaning],
    process: Ints, launch_ns: Ints, launch_thread: Ints,
) -> Marker | None:  # fmt: skip
    """The marker of the steps among NVTX ranges, which are sorted by start; None if none is.

    Of several around the same launches, that of a thread that launches, and the longest: a step holds its
    parts. ``process``: of each thread; ``launch_ns`` and ``launch_thread``: of each launch.
    """
    stems = [numbered(m.name) for m in meanings]
    texts = sorted({stem for stem, _ in stems})
    place = {stem: i for i, stem in enumerate(texts)}
    usable = np.array([not m.op and not m.module and bool(m.name) for m in meanings], np.bool_)
    code = np.array([place[stem] for stem, _ in stems], np.int64)
    rows = np.flatnonzero(usable[meaning]) if len(meanings) else np.empty(0, np.int64)
    found = []
    for group in _groups(rows, (thread[rows], code[meaning[rows]]), end_ns - start_ns):
        stem, at = texts[code[meaning[group[0]]]], thread[group[0]]
        counts = _rising([stems[m][1] for m in meaning[group].tolist()])
        if not may_mark_steps(stem, counts=counts is not None):
            continue
        mine = process[launch_thread] == process[at]
        inside = _launches_inside(start_ns[group], end_ns[group], launch_ns[mine])
        if inside and (_STEP.search(stem) or inside >= _COVERED_RATIO * mine.sum()):
            own = _launches_inside(start_ns[group], end_ns[group], launch_ns[launch_thread == at])
            names = {meanings[m].name for m in meaning[group].tolist()}
            number = np.arange(len(group)) if counts is None else counts
            marker = Marker(group, number, min(names) if len(names) == 1 else stem)
            found.append(_Found(marker, inside, own > 0, float(np.median(end_ns[group] - start_ns[group]))))
    most = max((f.launches_count for f in found), default=0)
    same = [f for f in found if f.launches_count >= _SAME_RATIO * most]
    return max(same, key=lambda f: (f.own, f.length_ns)).marker if same else None


def _groups(rows: Ints, keys: Sequence[Ints], length_ns: Ints) -> list[Ints]:
    """The rows of each key that comes often enough, the key with most time first."""
    groups = Groups(*keys)
    spent = groups.sum(length_ns[rows])
    often = np.flatnonzero(groups.count >= _LEAST_COUNT)
    often = often[np.argsort(-spent[often], kind="stable")][:_TRIED_COUNT]
    return [rows[groups.rows(group)] for group in often.tolist()]


def _rising(numbers: Sequence[tuple[int, ...]]) -> Ints | None:
    """The numbers of the steps, if those in the names rise from each to the next."""
    if len({len(each) for each in numbers}) != 1 or any(a >= b for a, b in pairwise(numbers)):
        return None
    columns = np.array(numbers, np.int64).T
    rising = [column for column in columns if (np.diff(column) > 0).all()]
    return rising[-1] if rising else np.arange(len(numbers))


def _launches_inside(begin_ns: Ints, end_ns: Ints, launch_ns: Ints) -> int:
    """How many launches these ranges enclose; 0 if they cover too little to be the steps."""
    covered = union(begin_ns, end_ns)
    first, last = int(covered.begin_ns[0]), int(covered.end_ns[-1])
    if covered.total_ns < _COVERED_RATIO * (last - first):
        return 0
    between = launch_ns[(launch_ns >= first) & (launch_ns < last)]
    inside: Bools = contains(covered, between)
    return int(inside.sum()) if inside.sum() >= _COVERED_RATIO * len(between) else 0
