"""The kernels of judged steps: per (kernel, op) how often and how long, and shares by number format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfperf_plugin.ledger import Ledger
from tfperf_plugin.trace.model import Trace
from tfperf_plugin.trace.roles import KernelClass, Precision, Role

_MATRIX = (KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER)


@dataclass(frozen=True)
class KernelRow:
    """One (kernel, op) pair on all GPUs: ``total_ns`` summed over judged steps, ``count`` launches."""

    name: str
    op: str
    kernel_class: KernelClass
    precision: Precision
    count: int
    total_ns: int


@dataclass(frozen=True)
class Kernels:
    """Rows by falling total; ``windows_count`` = judged steps × GPUs behind the sums."""

    rows: tuple[KernelRow, ...]
    windows_count: int

    @property
    def per_step_count(self) -> float:
        """Kernels of an average step on one GPU."""
        return sum(r.count for r in self.rows) / max(1, self.windows_count)

    @property
    def total_ns(self) -> int:
        """Summed kernel time; kernels of several streams count each."""
        return sum(r.total_ns for r in self.rows)

    def matrix_ns(self, *formats: Precision) -> int:
        """Summed time of matrix multiplications and convolutions in these number formats."""
        return sum(r.total_ns for r in self.rows if r.kernel_class in _MATRIX and r.precision in formats)

    def ratio(self, *formats: Precision) -> float | None:
        """Share of kernel time with a known number format that is in these; ``None`` if none is known."""
        known = sum(r.total_ns for r in self.rows if r.precision is not Precision.UNKNOWN)
        mine = sum(r.total_ns for r in self.rows if r.precision in formats)
        return mine / known if known else None


def find_kernels(trace: Trace, ledger: Ledger) -> Kernels:
    """All compute kernels of judged steps."""
    hosts = {h.host: h for h in trace.hosts}
    table: dict[tuple[str, str, int, int], list[int]] = {}
    windows = 0
    for host in ledger.hosts:
        judged = host.steps.judged
        windows += int(judged.sum()) * len(host.devices)
        for device in host.devices:
            source = hosts[host.host].devices[device.index]
            step = host.steps.device_step[device.index]
            keep = (source.role == Role.KERNEL) & (step >= 0) & judged[np.maximum(step, 0)]
            rows = np.flatnonzero(keep)
            key = source.name[rows].astype(np.int64) * (len(source.ops) + 1) + source.op[rows] + 1
            distinct, first, inverse = np.unique(key, return_index=True, return_inverse=True)
            count = np.bincount(inverse.reshape(-1), minlength=len(distinct))
            total = np.zeros(len(distinct), np.int64)
            np.add.at(total, inverse.reshape(-1), source.end_ns[rows] - source.start_ns[rows])
            for i, row in enumerate(rows[first].tolist()):
                op = source.ops[source.op[row]] if source.op[row] >= 0 else ""
                entry = table.setdefault(
                    (
                        source.names[source.name[row]],
                        op,
                        int(source.kernel_class[row]),
                        int(source.precision[row]),
                    ),
                    [0, 0],
                )
                entry[0] += int(count[i])
                entry[1] += int(total[i])
    rows_out = [
        KernelRow(name, op, KernelClass(kind), Precision(fmt), count, total)
        for (name, op, kind, fmt), (count, total) in table.items()
    ]
    return Kernels(tuple(sorted(rows_out, key=lambda r: (-r.total_ns, r.name, r.op))), windows)
