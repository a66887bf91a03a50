"""Steps of 100 ms with kernels back to back, for the rules that judge kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.builders import HALF_GEMM, Host, Stats, each
from tfperf_plugin.trace.model import OpKind, OpWork

STEP = 100
FILL = ("model/dense/MatMul:MatMul", HALF_GEMM)
# An A100: 312 TFLOP/s in 16 bit, of which products reach 80 % (without a model's name); 1555 GB/s, of which
# kernels reach 85 %.
A100: Stats = {"core_count": 108, "clock_rate": 1_410_000, "memory_bandwidth": 1_555_000_000_000}


@dataclass(frozen=True)
class K:
    """A kernel of ``ms`` milliseconds on a stream of its own, or on the main one; ``work``: of its op."""

    ms: float
    name: str
    op: str = ""
    shape: str = ""
    details: str = ""
    work: OpWork | None = None


def training(
    kernels: Sequence[K],
    *,
    warm_up: Sequence[K] = (),
    beside: Sequence[K] = (),
    capability: tuple[int, int] = (8, 0),
    device: Stats | None = None,
) -> Host:
    """``kernels`` at the start of each step; a healthy product fills the rest of it.

    ``warm_up``: kernels of a first step that compiles. ``beside``: kernels on a second stream, under the
    rest. ``device``: more of what the GPU is.
    """
    host = Host(capability=capability, device=device)
    first, steps = (1 if warm_up else 0), 5
    host.steps(steps + first, STEP)
    if warm_up:
        host.event("XlaCompile", 0, 60)
        _draw(host, 60, warm_up)

    def step(at: float) -> None:
        end = _draw(host, at + STEP * first, kernels)
        host.kernel(end, at + STEP * (first + 1), name=FILL[1], op=FILL[0])
        _draw(host, end, beside, stream=8)

    each(steps, STEP, step)
    return host


def copying() -> Host:
    """Steps of 100 ms in which the GPU receives data; only the last one, not whole, computes."""
    host = Host(device=A100).trained(5, STEP, lambda host, at: host.copy("H2D", at, at + 80, size=1_000_000))
    host.kernel(4 * STEP + 80, 4 * STEP + 90)
    return host


def _draw(host: Host, at: float, kernels: Sequence[K], stream: int = 7) -> float:
    for kernel in kernels:
        stats: Stats = {"shape": kernel.shape} if kernel.shape else {}
        if kernel.details:
            stats["kernel_details"] = kernel.details
        if kernel.work:
            host.op_work["", kernel.op] = kernel.work
        host.kernel(at, at + kernel.ms, name=kernel.name, op=kernel.op, stats=stats, stream=stream)
        at += kernel.ms
    return at


def moving(size: int, kind: OpKind = "other", recomputed: bool = False) -> OpWork:
    """The work of an op that only moves this many bytes."""
    return OpWork(0, 0, "", size, False, kind, recomputed=recomputed)
