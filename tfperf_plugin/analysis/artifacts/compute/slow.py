"""Finds why ops take longer than their floor: each op's time above it has one cause, the first that fits.

A cause is the id of the rule that advises against it. Time that no rule explains has the cause "".
"""

from __future__ import annotations

import math
import re
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.compute.attention import Attentions
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.ops import read_details
from tfperf_plugin.analysis.artifacts.compute.roofline import LATENCY_NS
from tfperf_plugin.analysis.artifacts.compute.sequences import Sequences, chain_scope
from tfperf_plugin.analysis.artifacts.compute.updates import Updates
from tfperf_plugin.hardware.peaks import threads
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Product
from tfperf_plugin.trace.roles import (
    avoids_tensor_cores,
    is_layout_transpose,
    loads_narrowly,
    op_type,
    shares_tiles,
)

# Elements that fill the 16 bytes in which Tensor Cores load: NVIDIA, "Matrix Multiplication Background".
MULTIPLES: Final = {"fp16": 8, "bf16": 8, "tf32": 4, "fp8": 16, "int8": 16}
# Operations of one execution; products with fewer seldom fill a GPU.
LARGE_FLOPS: Final = 10**9
# An op is slow if it takes this many times as long as with a good library.
SLOW_TIMES: Final = 2
# Ours: of products that are faster, dimensions that do not suit the Tensor Cores are not the cause.
CLEAR_TIMES: Final = 1.5
# Rows of the smallest tile that libraries' usual kernels compute at once, such as sgemm_32x32: "Tile
# Quantization" in NVIDIA's "Matrix Multiplication Background".
TILE_ROWS: Final = 32
# Ours: if less of the multiprocessors' time is lost, a grid's size is not the cause.
LOST_RATIO: Final = 0.15
# Whole percent are this far from the value at most.
_ROUNDED_RATIO: Final = 0.005

_GATHER = re.compile(
    r"^(Resource)?Gather(V2|Nd)?$|^(Unsorted|Sparse)?Segment(Sum|Mean|Max|SqrtN)|^(Resource|Tensor)?Scatter[A-Z]\w*$"
)
"""Types of TensorFlow's ops that gather or scatter rows."""


class Slow(Record, frozen=True):
    """The slow ops of a run."""

    by_cause: dict[str, tuple[OpBound, ...]]  #: Cause → its ops, by falling time above the floor.
    bounds: Bounds

    def ops(self, cause: str) -> tuple[OpBound, ...]:
        """The ops with the given cause."""
        return self.by_cause.get(cause, ())

    def recoverable_ns(self, cause: str) -> int:
        """The time of ops with the given cause above their floors, per average step and GPU."""
        return self.bounds.per_step(sum(op.recoverable_ns for op in self.ops(cause)))


def finish(
    bounds: Bounds, devices: Devices, sequences: Sequences, attentions: Attentions, updates: Updates
) -> Slow:
    """The causes of all judged ops."""
    gpu = smallest(devices)
    chains = frozenset(chain.scope for chain in sequences.chains)
    updating = updates.ops if updates.many else frozenset()
    found: dict[str, list[OpBound]] = {}
    for (program, name), op in bounds.ops.items():
        if op.not_judged:
            continue
        if (program, name) in attentions.ops:
            cause = "attention-unfused"
        elif not program and name in updating:
            cause = "optimizer-per-variable"
        else:
            cause = _cause(op, gpu, chains)
        found.setdefault(cause, []).append(op)
    by_cause = {c: tuple(sorted(ops, key=lambda op: -op.recoverable_ns)) for c, ops in found.items()}
    return Slow(by_cause, bounds)


def _cause(op: OpBound, gpu: DeviceInfo | None, chains: frozenset[str]) -> str:
    if op.work and op.work.recomputed:
        return "recompute-needless"
    if is_layout_transpose(op.kernel, op.name):
        return "layout-transposes"
    if op.bound_by == "latency":
        return "small-kernels"
    if moves_rows(op):
        return "slow-gathers"
    if op.work and op.matrix:
        # How far a fused attention stays below its bound is up to its library.
        return "" if op.work.kind == "attention" else _of_product(op, gpu)
    if op.floor_ns < LATENCY_NS * op.launches_count and _loses(op, gpu):
        return "small-grids"
    return "elementwise-fusion" if chain_scope(op.name) in chains else ""


def moves_rows(op: OpBound) -> bool:
    """Whether an op gathers or scatters."""
    return bool(op.work and op.work.kind in ("gather", "scatter")) or bool(_GATHER.search(op_type(op.name)))


def _of_product(op: OpBound, gpu: DeviceInfo | None) -> str:
    if avoids_tensor_cores(op.kernel) and op.format in ("fp16", "bf16"):
        return "tensor-cores-unused"
    taken_ns = op.judged_ns - op.turned_ns
    slow = taken_ns > SLOW_TIMES * op.floor_ns
    if slow and narrow_side(op):
        return "narrow-products"
    narrow = not op.products and loads_narrowly(op.kernel, MULTIPLES.get(op.format, 1))
    if (odd_sides(op) or narrow) and taken_ns > CLEAR_TIMES * op.floor_ns:
        return "misaligned-dimensions"
    if _loses(op, gpu):
        return "small-grids"
    if slow:
        return "slow-products"
    return "layout-transposes" if 2 * op.turned_ns > op.judged_ns - op.floor_ns else ""


def _loses(op: OpBound, gpu: DeviceInfo | None) -> bool:
    return gpu is not None and grid_lost(op, gpu) >= LOST_RATIO


def narrow_side(op: OpBound) -> int:
    """The channels or units of a layer along a side of the result, if they are fewer than a tile has rows;
    else 0.

    The number of examples is no side of the layer; a dimension that adds up over a window is no side at all.
    """
    if len(op.products) != 1 or "epthwise" in op.kernel:
        return 0
    product = op.products[0]
    convolves = product.window > 1 or bool(product.places)
    sides = [product.n]
    if product.gradient == "input" and convolves:
        sides = [product.k]
    elif product.gradient == "filter" and not convolves:
        sides.append(product.m)
    elif product.gradient == "filter" and op.indirect_ns:  # one product for each place of the window
        sides.append(product.k)
    return min(sides) if 0 < min(sides) < TILE_ROWS else 0


def large(op: OpBound) -> bool:
    """Whether one execution of a product has enough operations to fill a GPU."""
    return op.flops > LARGE_FLOPS * op.executions_count


def odd_sides(op: OpBound) -> frozenset[int]:
    """The sides of products that leave Tensor Cores partly unused in their format; none on ordinary units.

    The number of examples does not matter, as no operand lies in memory along it. Thin products, such as a
    matrix by a vector, wait for memory whatever their sides.
    """
    multiple = MULTIPLES.get(op.format, 1)
    judged = (p for p in op.products if min(p.m, p.n, p.k) >= multiple)
    return frozenset(side for product in judged for side in _sides(product) if side % multiple)


def padded_times(op: OpBound) -> float:
    """The factor by which products grow if their sides are rounded up to the next multiples; 1.0 without
    products."""
    multiple = MULTIPLES.get(op.format, 1)
    grown = (math.prod(-(-side // multiple) * multiple / side for side in _sides(p)) for p in op.products)
    return max(grown, default=1.0)


def _sides(product: Product) -> tuple[int, ...]:
    """The dimensions along which operands and result lie in memory."""
    weights = product.window == 1 and product.gradient == "filter"
    sides = (product.m, product.n) if weights else (product.n, product.k)
    return tuple(max(1, side) for side in sides)


def smallest(devices: Devices) -> DeviceInfo | None:
    """The GPU that computes with the fewest multiprocessors: a launch that does not fill it fills none."""
    return min(devices.participating, key=lambda d: d.multiprocessors_count or 0, default=None)


def blocks_count(details: str) -> int:
    """Blocks of a launch; 0 if not recorded."""
    grid = read_details(details).grid
    return math.prod(int(extent) for extent in grid.split(",")) if grid else 0


def grid_lost(op: OpBound, gpu: DeviceInfo) -> float:
    """Share of an op's time that its main kernel's launches leave unused, at most the time that is not
    needed."""
    lost = lost_ratio(op.kernel, op.details, gpu) * op.main_ns / max(1, op.total_ns)
    return lost if op.not_judged else min(lost, 1 - op.floor_ns / max(1, op.total_ns))


def threads_lost(kernel: str, details: str, gpu: DeviceInfo) -> float:
    """As ``lost_ratio``; of fewer blocks than multiprocessors, the share of threads that the GPU could hold
    beside them: how many threads a kernel needs to run at full speed is not known."""
    lost, size = lost_ratio(kernel, details, gpu), read_details(details).block
    units = gpu.multiprocessors_count
    if not lost or not size or not units or blocks_count(details) >= units:
        return lost
    if not gpu.compute_capability or gpu.architecture:
        return lost
    launched = blocks_count(details) * math.prod(int(extent) for extent in size.split(","))
    return max(lost, 1 - launched / (units * threads(gpu.compute_capability)))


def lost_ratio(kernel: str, details: str, gpu: DeviceInfo) -> float:
    """Share of the multiprocessors' time that a launch leaves unused; 0.0 if the profile does not show any.

    If there are fewer blocks than multiprocessors, the share of multiprocessors without a block; else the
    share that its last wave of blocks leaves free: 1 − w/⌈w⌉, where w = blocks / (multiprocessors × blocks
    that one holds by the recorded occupancy). Each block must compute its own part, so kernels that are
    persistent or split sums are not judged.
    """
    blocks, units = blocks_count(details), gpu.multiprocessors_count
    if not blocks or not units or shares_tiles(kernel):
        return 0.0
    if blocks < units:
        return 1 - blocks / units
    launch = read_details(details)
    if not launch.occupancy_ratio or not launch.block or not gpu.compute_capability or gpu.architecture:
        return 0.0
    size = math.prod(int(extent) for extent in launch.block.split(","))
    held = threads(gpu.compute_capability) / max(1, size)
    if launch.is_of_grid and blocks <= units * held * (launch.occupancy_ratio + _ROUNDED_RATIO):
        return 0.0  # all blocks may run at once
    waves = blocks / (units * max(1, round(launch.occupancy_ratio * held)))
    return 1 - waves / math.ceil(waves) if waves > 1 else 0.0
