"""Bounds how fast each op could run, by its operations and bytes, and divides the account ``compute`` by
them.

The bound of an execution (Williams et al. 2009, "Roofline") is the longest of three times: its matrix
operations at the peak of their number format, its other operations at the peak of the ordinary units, its
bytes at the memory's bandwidth. There are three bounds: ``peak``, at the data sheet's rates; ``floor``, at
the share of them that good libraries reach at best; and ``usual``, at the share that they reach with usual
layers (``hardware/speeds.py``), but never more than the time that the op took. An op that runs faster than
the peak allows was misunderstood, or served from a cache, and is not judged.

``roofline.py`` computes the bounds.
"""

from __future__ import annotations

from functools import cache
from typing import Final, Literal

import numpy as np
from msgspec.structs import fields, replace

from tfperf_plugin.analysis.artifacts.by_host import merged
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import share_out
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import OpWork, Product
from tfperf_plugin.trace.roles import KernelClass

BoundBy = Literal["compute", "memory", "latency", "not judged"]
Kind = Literal["matrix", "memory", "small", "other"]
KINDS: Final[tuple[Kind, ...]] = ("matrix", "memory", "small", "other")
# With less of the time of matrix kernels known, MFU would be too low to be said.
KNOWN_RATIO: Final = 0.95
# Share of the model's products; a smaller share does not change the meaning of MFU.
INDIRECT_RATIO: Final = 0.1
# Share of the time of matrix kernels: a larger share cannot be single ops that were misunderstood.
ABOVE_RATIO: Final = 0.05
UNKNOWN: Final = "what it computes was not recorded"
ABOVE: Final = "faster than its bound: what it computes was misunderstood, or a cache served it"
INDIRECT: Final = "it multiplies less than the direct formula (Winograd, FFT)"
UNEVEN: Final = "its kernels were not the same in all steps"
NO_RATES: Final = "the GPU's rates are not known"


class OpBound(Record, frozen=True):
    """All executions of an op on all GPUs in judged steps."""

    name: str  #: Name of the op, the same on all GPUs.
    launches_count: int  #: Number of kernels.
    executions_count: int
    total_ns: int  #: Time of the kernels, overlapping ones counted in full.
    compute_ns: int  #: Part of the account ``compute``: of overlapping kernels, the first owns the time.
    #: Part of ``total_ns`` without kernels that transform tensors for a Winograd or FFT convolution, whose
    #: needs nobody knows.
    judged_ns: int
    turned_ns: int  #: Time of kernels of a product that only turn its tensors into another layout.
    floor_ns: int  #: Floor of all executions, see the module's description; 0 with ``not_judged``.
    peak_ns: int  #: Time of all executions at the data sheet's peaks; 0 with ``not_judged``.
    usual_ns: int  #: Time of all executions at the rates of products of usual layers; 0 with ``not_judged``.
    #: Operations that the kernels run, as far as known; a multiply-add counts as two. 0 without ``work``.
    flops: int
    matrix_flops: int  #: Operations of the model's products; 0 without ``work``.
    bytes: int  #: Bytes of all executions; 0 without ``work``.
    products_ns: int  #: Time of ``matrix_flops`` at the data sheet's peak of their ``format``.
    recomputed_ns: int  #: Part of ``products_ns`` that repeats the forward pass.
    indirect_ns: int  #: Part of ``products_ns`` of kernels that multiply less than the product says.
    #: Limit (operations, memory, or the latency of a kernel) → time of the executions that it binds; empty
    #: with ``not_judged``.
    bound_ns: dict[BoundBy, int]
    not_judged: str  #: Reason for which the op is not judged, or "".
    format: str  #: Format of the products.
    matrix: bool  #: Whether it multiplies matrices, or its kernels are named like that.
    work: OpWork | None  #: Work of one execution on the first GPU, ``None`` if not known.
    kernel: str  #: Name of the kernel with most time on any GPU.
    details: str  #: Launch configuration of that kernel.
    kernel_class: KernelClass  #: Class of that kernel.
    kernel_ns: int  #: Time of that kernel.
    main_ns: int  #: Time of each GPU's kernel with most time, summed.
    known_ns: int  #: Part of ``total_ns`` whose products are known.
    outran_ns: int  #: Time of products faster than the recorded clock allows.
    longest: Place  #: Place of the longest launch.
    longest_ns: int  #: Time of the longest launch.

    def merged_with(self, other: OpBound) -> OpBound:
        """The bound of the executions of ``self`` and ``other`` together."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _sums()}
        most = max(self, other, key=lambda op: op.kernel_ns)
        longer = max(self, other, key=lambda op: op.longest_ns)
        unknown = self.not_judged or other.not_judged
        return replace(
            most,
            **(sums | dict.fromkeys(_BOUNDS if unknown else (), 0)),
            not_judged=unknown,
            bound_ns={} if unknown else merged(self.bound_ns, other.bound_ns),
            format=self.format or other.format,
            matrix=self.matrix or other.matrix,
            work=self.work or other.work,
            longest=longer.longest,
            longest_ns=longer.longest_ns,
        )

    @property
    def products(self) -> tuple[Product, ...]:
        """The products of one execution, the largest first; none if they are not known."""
        return self.work.products if self.work else ()

    @property
    def bound_by(self) -> BoundBy:
        """The limit of most of the time: compute, memory or latency."""
        return max(self.bound_ns, key=lambda by: self.bound_ns[by], default="not judged")

    @property
    def kind(self) -> Kind:
        """The kind of the op's time in the account ``compute``."""
        if self.matrix:
            return "matrix"
        kinds: dict[BoundBy, Kind] = {"memory": "memory", "latency": "small"}
        return kinds.get(self.bound_by, "other")

    @property
    def run_products_ns(self) -> int:
        """The time of the operations that the kernels really multiply, at the data sheet's peak."""
        fewer = self.flops / max(1, self.matrix_flops) if self.indirect_ns and self.judged_ns else 1.0
        return round(self.products_ns * min(1.0, fewer))

    @property
    def needed_ns(self) -> int:
        """The floor of the op's part of the account ``compute``."""
        return self.floor_ns * self.compute_ns // max(1, self.total_ns)

    @property
    def likely_ns(self) -> int:
        """The time that products of usual layers take for the op's part of the account ``compute``: promises
        end there."""
        return self.usual_ns * self.compute_ns // max(1, self.total_ns)

    @property
    def recoverable_ns(self) -> int:
        """The op's part of the account ``compute`` above ``needed_ns``; 0 if it is not judged."""
        return self.judged_ns * self.compute_ns // max(1, self.total_ns) - self.needed_ns


_BOUNDS: Final = ("judged_ns", "floor_ns", "peak_ns", "usual_ns")


@cache
def _sums() -> tuple[str, ...]:
    """The fields that add up over executions: all numbers but the times of single kernels."""
    numbers = (field.name for field in fields(OpBound) if field.type is int)
    return tuple(name for name in numbers if name not in ("kernel_ns", "longest_ns"))


class Bounds(Record, frozen=True):
    """The ops of a run and how fast they could be."""

    ops: dict[tuple[str, str], OpBound]  #: (program of XLA or "", op) → its bound, by falling ``compute_ns``.
    total_ns: int  #: Account ``compute``, summed over judged steps and GPUs.
    windows_count: int = 0  #: Number of judged steps × GPUs.
    step_ns: int = 0  #: Length of the average step.

    def per_step(self, total: float) -> int:
        """An average step's share, on one GPU, of a sum over all judged steps and GPUs."""
        return int(total) // max(1, self.windows_count)

    @property
    def judged_ratio(self) -> float | None:
        """Share of the account ``compute`` whose floor is known; ``None`` without compute."""
        judged = sum(op.needed_ns + op.recoverable_ns for op in self.ops.values())
        return judged / self.total_ns if self.total_ns else None

    def parts(self, compute_ns: int) -> dict[Kind, tuple[int, int, int]]:
        """Kind of kernel → the time needed, recoverable and not judged in an average step.

        All times add up to ``compute_ns``, the account ``compute`` of the average step, exactly.
        """
        sums = np.zeros((len(KINDS), 3), np.int64)
        for op in self.ops.values():
            judged = op.needed_ns, op.recoverable_ns
            sums[KINDS.index(op.kind)] += (*judged, op.compute_ns - sum(judged))
        # Memsets belong to no op.
        sums[-1, -1] += max(0, self.total_ns - int(sums.sum()))
        shares = np.array(share_out(sums.ravel(), max(1, self.windows_count)))
        shares[int(np.argmax(sums))] += compute_ns - int(shares.sum())
        needed, recoverable, unknown = shares.reshape(sums.shape).T.tolist()
        return dict(zip(KINDS, zip(needed, recoverable, unknown, strict=True), strict=True))

    @property
    def peak_ns(self) -> int:
        """The time of the work of an average step at the data sheet's peaks."""
        ops = self.ops.values()
        return self.per_step(sum(op.peak_ns * op.compute_ns // max(1, op.total_ns) for op in ops))

    @property
    def known_ratio(self) -> float | None:
        """Share of the time of matrix kernels whose operations are known; ``None`` without such kernels."""
        matrix = [op for op in self.ops.values() if op.matrix]
        total = sum(op.total_ns for op in matrix)
        return sum(op.known_ns for op in matrix) / total if total else None

    def utilization(self, recomputed: bool) -> float | None:
        """Model FLOPs utilization, or with ``recomputed`` operations that of the hardware.

        The time that the matrix operations of a step take at the data sheet's dense peak, as a share of the
        step (Chowdhery et al. 2022, appendix B; Korthikanti et al. 2022). ``None`` if too few are known, if
        they would take more than the step, or if products outrun the recorded clock.
        """
        if (self.known_ratio or 0) < KNOWN_RATIO or not self.step_ns or self.outruns_clock:
            return None
        return None if self.above_step else self._products_ratio(recomputed)

    def _products_ratio(self, recomputed: bool) -> float:
        total = sum(op.products_ns - (0 if recomputed else op.recomputed_ns) for op in self.ops.values())
        return total / max(1, self.windows_count * self.step_ns)

    @property
    def above_step(self) -> bool:
        """Whether the operations of all products would take longer than the step at the peak."""
        return self._products_ratio(recomputed=True) > 1

    @property
    def outruns_clock(self) -> bool:
        """Whether products ran faster than the recorded clock allows, so that no peak follows from it."""
        matrix = [op for op in self.ops.values() if op.matrix]
        return sum(op.outran_ns for op in matrix) > ABOVE_RATIO * sum(op.total_ns for op in matrix)

    @property
    def above(self) -> tuple[OpBound, ...]:
        """Ops that ran faster than their bound."""
        return tuple(op for op in self.ops.values() if op.not_judged == ABOVE)

    @property
    def recomputes(self) -> bool:
        """Whether any op is seen to repeat a part of the forward pass."""
        return any(op.recomputed_ns for op in self.ops.values())

    @property
    def indirect(self) -> bool:
        """Whether kernels by Winograd's algorithm or FFT run much less than the model's operations."""
        ops = self.ops.values()
        return sum(op.indirect_ns for op in ops) > INDIRECT_RATIO * sum(op.products_ns for op in ops)

    @property
    def matrix_flops(self) -> int:
        """Operations of matrix products and convolutions in an average step on one GPU."""
        return self.per_step(sum(op.matrix_flops for op in self.ops.values()))

    def by_op(self) -> dict[str, OpBound]:
        """The bounds by op, as the table of ops has them: programs may use one name for several
        instructions."""
        found: dict[str, OpBound] = {}
        for (_, name), op in self.ops.items():
            found[name] = found[name].merged_with(op) if name in found else op
        return found

    @property
    def main_format(self) -> str:
        """The number format in which products take most time at their peak, "" without products."""
        times: dict[str, int] = {}
        for op in self.ops.values():
            times[op.format] = times.get(op.format, 0) + op.products_ns
        return max(times, key=lambda name: times[name], default="")
