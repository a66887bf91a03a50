"""Kernels that take most of the step without a known limit, and what to run to find their limits."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_own_product, plain_kernel
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.words import percent, short_name
from tfperf_plugin.records import Record
from tfperf_plugin.report.panels.record_again import record_again

# From this share of the step on, kernels without a known limit forbid "nothing to fix".
_MOST: Final = 0.5
# The name of a kernel's function, as commands take it.
_FUNCTION: Final = re.compile(r"\b[A-Za-z_]\w{0,199}(?=<|$)", re.ASCII)


class Unjudged(Record, frozen=True):
    """Kernels that take most of the step and of which nobody knows how fast they could be."""

    ratio: float  # their share of the step
    kernel: str  # the one with most time
    kernel_ratio: float  # its share of the time of compute kernels, as in the table of kernels
    library: str  # the one that would do what its name says, "" if none is known

    @property
    def sentence(self) -> str:
        """How much of the step it is, and in which kernel."""
        from tfperf_plugin.judging.rules.one_gpu.dominant_op import BY_HAND

        text = (
            f"Of the kernels that take {percent(self.ratio)} of the step, this profile does not tell how "
            f"fast they could be; {short_name(self.kernel)} alone takes {percent(self.kernel_ratio)} of "
            "compute."
        )
        return f"{text} {BY_HAND.format(library=self.library)}" if self.library else text


def unjudged(
    ledger: Ledger | None, bounds: Bounds | None, kernels: Kernels | None, program: Program
) -> Unjudged | None:
    """``None`` if kernels without a known limit take less than half of the step."""
    if ledger is None or bounds is None or kernels is None:
        return None
    ratio = ledger.average()["compute"] * (1 - (bounds.judged_ratio or 0.0)) / max(1, ledger.step_ns)
    unknown = {plain_kernel(op.kernel) for op in bounds.ops.values() if op.not_judged}
    times = Counter[str]()
    for row in kernels.rows:
        times[plain_kernel(row.name)] += row.times.total_ns
    if ratio < _MOST or not unknown:
        return None
    kernel = max(sorted(unknown), key=times.__getitem__)
    by_hand = is_own_product(kernel) and not any(r.op for r in kernels.rows if plain_kernel(r.name) == kernel)
    return Unjudged(
        ratio, kernel, times[kernel] / max(1, kernels.total_ns), program.product_library if by_hand else ""
    )


def measure(found: Unjudged, program: Program, capture: Capture) -> str:
    """The command that tells what limits these kernels: with the sizes of tensors, else for one kernel."""
    if program.framework == "PyTorch" and "shapes" in capture.lacks:
        return record_again(program, "")
    name = _FUNCTION.search(found.kernel)
    what = "python train.py" if program.training else "python PROGRAM" if program.framework else "PROGRAM"
    if program.amd:
        return f"rocprof-compute profile --name limits {f'--kernel {name[0]} ' if name else ''}-- {what}"
    return f"ncu --set full {f'--kernel-name regex:{name[0]} ' if name else ''}--launch-count 1 {what}"
