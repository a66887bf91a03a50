"""A batch of which the first op on the GPU keeps only a part: the rest is copied for nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.compute.tensor_work import outputs_on_gpus
from tfperf_plugin.analysis.artifacts.memory.copies import judged_rows
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.host_activity import FASTEST_BYTES_PER_NS, brings_batch
from tfperf_plugin.arrays.columns import agreed, unique
from tfperf_plugin.arrays.intervals import searchsorted
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import Role, op_type

# Copies of fewer bytes take next to no time.
LEAST_BYTES: Final = 1 << 20
_SLICES: Final = re.compile(r"^(Strided)?Slice$")
_PARTS: Final = re.compile(r"^((Strided)?Slice|Split(V)?|Unpack|GatherV2)$")
# Op → dimensions and bytes of each distinct tensor that it makes.
_Outputs = Mapping[str, Sequence[tuple[tuple[int, ...], int]]]


class SlicedBatch(Record, frozen=True):
    """A batch of which the GPU uses only a part."""

    op: str  #: Name of the first op that reads the batch.
    dims: tuple[int, ...]  #: Dimensions of the tensor that ``op`` keeps.
    kept_bytes: int  #: Size of the tensor that ``op`` keeps; nothing else uses the rest.
    copied_bytes: int  #: Size of each copy.

    @property
    def dropped_ratio(self) -> float:
        """Share of the copied bytes that nothing uses."""
        return 1 - self.kept_bytes / self.copied_bytes


def part(view: View) -> tuple[SlicedBatch, ...]:
    """The tensors that the GPUs of one host keep of their batches."""
    outputs = outputs_on_gpus(view.trace.memory) if view.ledger else {}
    found = (_of_gpu(gpu, outputs) for gpu in view.gpus) if outputs else ()
    return tuple(one for one in found if one)


def finish(found: tuple[SlicedBatch, ...]) -> SlicedBatch | NotApplicable:
    """What all GPUs keep, if they keep the same."""
    return agreed(found) or NotApplicable("No op is known to keep only a part of the batch.")


def _of_gpu(gpu: GpuView, outputs: _Outputs) -> SlicedBatch | None:
    """The first kernel that lasts long enough to have read the batch is a slice of it, and the only one."""
    device = gpu.source
    copies, _ = judged_rows(gpu, (device.role == Role.H2D) & (device.copy_bytes >= LEAST_BYTES))
    copies = copies[brings_batch(device, copies)]
    sizes = unique(device.copy_bytes[copies])
    if len(sizes) != 1:
        return None
    copied = int(sizes[0])
    kernels = np.flatnonzero(device.role == Role.KERNEL)
    length = (device.end_ns - device.start_ns)[kernels]
    kernels = kernels[length >= copied // FASTEST_BYTES_PER_NS]
    at = searchsorted(device.start_ns[kernels], device.end_ns[copies])
    first = unique(device.op[kernels[at[at < len(kernels)]]])
    if len(first) != 1 or first[0] < 0:
        return None
    op = device.ops[int(first[0])]
    name = _plain(op)
    if not _SLICES.match(op_type(op)) or len(outputs.get(name, ())) != 1:
        return None
    ((dims, kept),) = outputs[name]
    parts, rest = divmod(copied, max(1, kept))
    # What else makes a tensor of the same size may use the other parts; one of the batch's size, all of it.
    alike = {_plain(other) for other in device.ops if _PARTS.match(op_type(other))} - {name}
    used = any(size == kept for other in alike for _, size in outputs.get(other, ()))
    used |= any(math.prod(made) == parts * math.prod(dims) for all_ in outputs.values() for made, _ in all_)
    return None if rest or parts < 2 or used else SlicedBatch(name, dims, kept, copied)


def _plain(op: str) -> str:
    return op.rpartition(":")[0]
