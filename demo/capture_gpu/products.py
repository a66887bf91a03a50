"""Matrix products, timed by the clock and as the report judges them. Importing this imports JAX."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp

from demo.capture_gpu.table import every
from demo.capture_gpu.trainings import half_type
from tfperf_plugin.api import analyze
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tables import table_of

STEPS: Final = 10
HEAD: Final = (
    "product",
    "m × n × k",
    "TFLOP/s by the clock",
    "by the report",
    "of the peak",
    "findings about products",
)
RULES: Final = frozenset(
    (
        "slow-products",
        "misaligned-dimensions",
        "small-grids",
        "batch-too-small",
        "mixed-precision-off",
        "tensor-cores-unused",
    )
)


@dataclass(frozen=True)
class Case:
    """A product of [m, k] and [k, n]; ``half``: in 16 bit, else in float32 with full precision."""

    name: str
    m: int
    n: int
    k: int
    half: bool = True

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k


CASES: Final = (
    Case("good", 8192, 8192, 8192),
    Case("misaligned", 8191, 8191, 8191),
    Case("small", 256, 256, 256),
    Case("few rows", 64, 8192, 8192),
    Case("float32", 8192, 8192, 8192, half=False),
)


def products_table(out: Path | None, scale: int = 1) -> str:
    """Markdown: a row a product. ``out`` keeps the profiles; ``scale`` divides all sides."""
    rows = [HEAD, ("---",) * len(HEAD)]
    with tempfile.TemporaryDirectory() as temporary:
        for case in CASES:
            small = Case(case.name, case.m // scale, case.n // scale, case.k // scale, case.half)
            folder = (out or Path(temporary)) / f"product_{case.name.replace(' ', '_')}"
            rows.append(_cells(small, _timed_ns(small), _profiled(small, folder)))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _step(case: Case) -> Callable[[], Any]:
    kind = half_type() if case.half else jnp.float32
    a, b = (
        jax.random.normal(jax.random.key(seed), shape, kind)
        for seed, shape in enumerate(((case.m, case.k), (case.k, case.n)))
    )
    precision = None if case.half else jax.lax.Precision.HIGHEST
    product = jax.jit(lambda x, y: jnp.matmul(x, y, precision=precision))
    return lambda: product(a, b).block_until_ready()


def _timed_ns(case: Case) -> float:
    """The median of steps, each with its launch and its wait."""
    step = _step(case)
    times = []
    for _ in range(3 + STEPS):
        begin = time.perf_counter_ns()
        step()
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times[3:])


def _profiled(case: Case, folder: Path) -> Report:
    step = _step(case)
    step()
    with jax.profiler.trace(str(folder)):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("product", step_num=number):
                step()
    return analyze(folder, cache=False)


def _cells(case: Case, ns: float, report: Report) -> tuple[str, ...]:
    rate, share = "not judged", "–"
    ops = table_of(report, "ops")
    for op in ops.records() if ops else ():
        if op.get("format") and op.get("flops_per_s") and op.get("bound_ratio"):
            rate, share = f"{op['flops_per_s'] / 1e12:.1f}", percent(op["bound_ratio"])
            break
    return (
        case.name,
        f"{case.m} × {case.n} × {case.k}",
        f"{case.flops / ns / 1e3:.1f}",
        rate,
        share,
        ", ".join(f.id for f in every(report.findings) if f.id in RULES) or "none",
    )
