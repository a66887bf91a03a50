"""Sequences of kernels on a GPU's streams: runs of elementwise kernels that one kernel could replace, and
bias additions that feed a batch normalization."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import First, View, merged
from tfperf_plugin.analysis.artifacts.compute.op_names import is_optimizer, path, scope
from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.arrays.columns import Groups, map_codes, unique
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import KernelClass, is_layout_transpose, op_type

# Shorter chains are not worth a compiler.
CHAIN_COUNT = 3
# A kernel this short lasts little longer than an empty one, whatever its memory traffic.
SHORT_NS = 10_000
# Ops whose kernels are elementwise by class, but that no fusion would include or that another rule counts.
_APART = re.compile(r"BiasAdd|Transpose|Concat|Split|Pad|Conv[123]D|MatMul|Einsum")
# The scope of PyTorch's ops that autograd does not record, as in inference; it has no scopes of layers.
OUTSIDE_AUTOGRAD: Final = "ops outside autograd"
# The scope of programs of XLA that run one op each, as JAX makes of calls outside jit.
ONE_BY_ONE: Final = "programs of one op each"
_BATCH_NORM = ("batch_norm", "batchnorm")


class Chain(Record, frozen=True):
    """All runs of consecutive elementwise kernels in one scope, in judged steps on all GPUs."""

    scope: First
    runs_count: int  #: Number of runs.
    kernels_count: int  #: Number of kernels in the runs; equal ones that one call of an op launches are one.
    total_ns: int  #: Time of these kernels.
    longest_ns: int  #: Time of the longest kernel of each run, summed over the runs.

    @property
    def excess_ns(self) -> int:
        """The time saved if each run were one kernel that takes as long as its longest does now."""
        return self.total_ns - self.longest_ns


class Sequences(Record, frozen=True):
    """Sequences of kernels in judged steps that one kernel could replace."""

    by_scope: dict[str, Chain]  #: Chains by their scope.
    biased: frozenset[str]  #: Names of ops that add a bias right before a batch normalization.
    has_batch_norm: bool  #: Whether any kernel is of a batch normalization.
    elementwise_ns: int  #: Summed time of elementwise kernels.
    #: Part of ``elementwise_ns`` that XLA made, without the name of a TensorFlow op, in programs of several
    #: ops.
    compiled_ns: int

    @property
    def chains(self) -> tuple[Chain, ...]:
        """Chains by falling excess."""
        return tuple(sorted(self.by_scope.values(), key=lambda c: (-c.excess_ns, c.scope)))


def part(view: View) -> Sequences:
    """The sequences in judged steps of one host's GPUs."""
    found = Sequences({}, frozenset(), False, 0, 0)
    events = view.trace.events
    of_op, parent = np.append(launching_ops(events), False), np.append(events.parent, -1)
    for gpu in view.gpus:
        source, rows = gpu.source, gpu.ledger.kernels
        # Rows are sorted by start: a stable sort by stream leaves each stream in its order.
        rows = rows[np.argsort(source.stream[rows].astype(np.int16), kind="stable")]
        if not len(rows):
            continue
        call = parent[source.launch[rows]]
        stream = _Stream(source, rows, gpu.step[rows].astype(np.int64), np.where(of_op[call], call, -1))
        found = merged(
            found,
            Sequences(
                stream.chains(),
                frozenset(stream.biased()),
                bool(stream.batch_norm.any()),
                int(stream.length[stream.elementwise].sum()),
                int(stream.length[stream.elementwise & stream.without_path & ~stream.one_by_one].sum()),
            ),
        )
    return found


def chain_scope(op: str) -> str:
    """The scope of an op whose kernel may be part of a chain; "" for all others."""
    if is_optimizer(op) or _APART.search(op_type(op)):
        return ""
    return OUTSIDE_AUTOGRAD if op.startswith("aten::") else scope(op)


def _has_one_op(module: Ints, op: Ints) -> Bools:
    """Whether each kernel belongs to a program in which only one op ran kernels."""
    programs = Groups(module)
    return np.asarray((module >= 0) & (op >= 0) & (programs.distinct(op) == 1)[programs.of_row])


class _Stream:
    """A GPU's kernels, stream after stream, with the facts that the names of their ops tell."""

    def __init__(self, source: DeviceTrace, rows: Codes, step: Ints, call: Ints) -> None:
        ops = source.ops
        self.ops = ops
        self.op = source.op[rows].astype(np.int64)
        self.length = source.end_ns[rows] - source.start_ns[rows]
        self.elementwise = source.kernel_class[rows] == KernelClass.ELEMENTWISE
        self.without_path = map_codes(self.op, ops, lambda op: not path(op), False)
        self.module = source.module[rows].astype(np.int64)
        self.one_by_one = self.without_path & _has_one_op(self.module, self.op)
        # The last entry is that of kernels without an op, whose code is −1.
        scopes = [*(chain_scope(op) for op in ops), ONE_BY_ONE, ""]
        self.scopes, scope_of_op = np.unique(np.array(scopes, np.object_), return_inverse=True)
        of_chain = np.where(self.one_by_one, len(ops), self.op)
        self.scope = scope_of_op[of_chain]
        self.has_scope = np.array([bool(s) for s in scopes], np.bool_)[of_chain]
        self.is_bias = map_codes(self.op, ops, lambda op: op_type(op) == "BiasAdd", False)
        self.batch_norm = map_codes(self.op, ops, lambda op: any(b in op.lower() for b in _BATCH_NORM), False)
        self.layout = map_codes(self.op, ops, lambda op: is_layout_transpose("", op), False)
        self.layout |= map_codes(source.name[rows], source.names, lambda n: is_layout_transpose(n, ""), False)
        stream = source.stream[rows]
        # Whether a kernel comes right after the one before it, on the same stream and in the same step.
        self.follows = np.zeros(len(rows), np.bool_)
        self.follows[1:] = (stream[1:] == stream[:-1]) & (step[1:] == step[:-1])
        # PyTorch splits a tensor of more than 2^31 elements: a call launches the same kernel for each piece.
        self.is_piece, name = self.follows.copy(), source.name[rows]
        self.is_piece[1:] &= (call[1:] >= 0) & (call[1:] == call[:-1]) & (name[1:] == name[:-1])

    def chains(self) -> dict[str, Chain]:
        """Scope → its runs of ``CHAIN_COUNT`` or more kernels that are longer than ``SHORT_NS``."""
        fusible = self.elementwise & self.has_scope & ~self.layout
        joined = self.follows.copy()
        joined[1:] &= fusible[1:] & fusible[:-1] & (self.scope[1:] == self.scope[:-1])
        # A program that runs again and again takes no result of its own.
        joined[1:] &= ~self.one_by_one[1:] | (self.module[1:] != self.module[:-1])
        link = np.flatnonzero(~(joined & self.is_piece))
        length, joined, fusible = np.add.reduceat(self.length, link), joined[link], fusible[link]
        begin = np.flatnonzero(~joined)
        count = np.diff(begin, append=len(joined))
        total, longest = np.add.reduceat(length, begin), np.maximum.reduceat(length, begin)
        keep = fusible[begin] & (count >= CHAIN_COUNT) & (total > SHORT_NS * count)
        scopes = Groups(self.scope[link[begin[keep]]])
        columns = (scopes.keys[:, 0], scopes.count, *(scopes.sum(c[keep]) for c in (count, total, longest)))
        table: dict[str, Chain] = {}
        for code, *row in np.stack(columns, axis=1).tolist():
            scope = str(self.scopes[code])
            table[scope] = Chain(scope, *row)
        return table

    def biased(self) -> list[str]:
        """Ops that add a bias and whose kernel is followed by one of a batch normalization."""
        found: Bools = self.is_bias[:-1] & self.batch_norm[1:] & self.follows[1:] & ~self.batch_norm[:-1]
        return [self.ops[o] for o in unique(self.op[:-1][found]).tolist()]
