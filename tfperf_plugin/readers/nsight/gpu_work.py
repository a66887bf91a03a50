"""What GPUs did: kernels, copies, memsets, and graphs that were recorded as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.columns import Groups, map_codes, unique_inverse
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.readers.nsight.database import Database
from tfperf_plugin.trace.roles import AGAIN, EVICTION, PREFETCH

KERNELS: Final = "CUPTI_ACTIVITY_KIND_KERNEL"
COPIES: Final = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSETS: Final = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPHS: Final = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
PROCESS_SHIFT: Final = 24
"""The low bits of a global id number the thread; the bits above them number process and machine."""

_COPY_NAMES: Final = {
    1: "MemcpyH2D", 2: "MemcpyD2H", 3: "MemcpyH2D", 4: "MemcpyD2H", 8: "MemcpyD2D", 10: "MemcpyP2P",
    11: "UM_BYTES_TRANSFER_HTOD", 12: "UM_BYTES_TRANSFER_DTOH", 13: "UM_BYTES_TRANSFER_DTOD",
}  # fmt: skip
"""Names of copies, as XSpace has them, by ``ENUM_CUDA_MEMCPY_OPER``."""
_TO_GPU, _ASKED, _AGAIN = 11, 1, -2
_MIGRATION_CAUSES: Final = {
    _ASKED: PREFETCH, 2: "page fault", 3: "speculative", 4: EVICTION, 5: "access counters", _AGAIN: AGAIN,
}  # fmt: skip
"""What made pages of managed memory migrate, by ``ENUM_CUDA_UNIF_MEM_MIGRATION``; and ours, ``_AGAIN``."""
_PAGEABLE: Final = 0
"""Pageable memory in ``ENUM_CUDA_MEM_KIND``."""
# Several small numbers are fetched as one, which takes a fraction of the time; with the bits of each, as CUDA
# bounds it. What is left of the block's 64 bits holds the shared memory.
_PLACE: Final = (("deviceId", 16), ("contextId", 16), ("streamId", 31))
_BLOCK: Final = (("blockX", 11), ("blockY", 11), ("blockZ", 7), ("registersPerThread", 9))
_GRID: Final = (("gridX", 31), ("gridY", 16), ("gridZ", 16))
_SHARED: Final = ("staticSharedMemory", "dynamicSharedMemory")
_SHARED_SHIFT: Final = sum(bits for _, bits in _BLOCK)
NO_CORRELATION: Final = (1 << 32) - 1
_COMMON: Final = ("start", "end", "deviceId", "streamId")


class Work(NamedTuple):
    """One row is what a GPU did at once; all columns are as long.

    ``process``: number of process and machine, as in ``globalPid``; ``correlation``: of the call that
    launched it, −1 if unknown; ``name`` and ``detail``: codes into ``names`` and ``details``, −1 without one;
    ``bytes``, ``pageable``, ``destination``: of copies, as in ``DeviceTrace``. ``whole_graphs_count``: rows
    that are launches of graphs, whose kernels were not recorded.
    """

    start_ns: Ints
    end_ns: Ints
    device: Ints
    context: Ints
    stream: Ints
    process: Ints
    correlation: Ints
    name: Ints
    detail: Ints
    bytes: Ints
    pageable: Ints
    destination: Ints
    names: tuple[str, ...]
    details: tuple[str, ...]
    whole_graphs_count: int

    def reads_back(self) -> Bools:
        """Copies whose call returns when they are done: from a GPU to pageable memory."""
        to_host = map_codes(self.name, self.names, lambda name: name == "MemcpyD2H", False)
        return np.asarray(to_host & (self.pageable == 1))


class _Part(NamedTuple):
    """The rows of one table. ``common``: start, end, place, process, correlation; ``name``: code into its own
    ``names``; ``copies``: bytes, pageable, destination. What a table lacks is one −1 for all rows."""

    common: tuple[Ints, ...]
    name: Ints
    names: tuple[str, ...]
    copies: Sequence[Ints | int] = (-1, -1, -1)
    detail: Ints | int = -1


def gpu_work(database: Database) -> Work:
    """Everything that GPUs did. Raises UnreadableInput."""
    kernels, details = _kernels(database)
    parts = [kernels, _copies(database), _memsets(database), _graphs(database)]
    start, end, place, process, correlation = (
        np.concatenate(columns) for columns in zip(*(part.common for part in parts), strict=True)
    )
    size, pageable, destination = (
        _stacked(parts, columns) for columns in zip(*(part.copies for part in parts), strict=True)
    )
    firsts = np.cumsum([0, *(len(part.names) for part in parts)])
    name = np.concatenate([part.name + first for part, first in zip(parts, firsts, strict=False)])
    device, context, stream = _unpacked(place, _PLACE)
    return Work(
        start, end, device, context, stream, process >> PROCESS_SHIFT, correlation, name,
        _stacked(parts, [part.detail for part in parts]), size, pageable, destination,
        tuple(text for part in parts for text in part.names), details, len(parts[-1].name),
    )  # fmt: skip


def _stacked(parts: Sequence[_Part], columns: Sequence[Ints | int]) -> Ints:
    rows = [np.broadcast_to(column, len(part.name)) for part, column in zip(parts, columns, strict=True)]
    return np.concatenate(rows)


def _kernels(database: Database) -> tuple[_Part, tuple[str, ...]]:
    """Kernels, and the texts of their details."""
    known = database.columns(KERNELS)
    shared = "+".join(column for column in _SHARED if column in known) or "0"
    block = f"{_packed(known, _BLOCK)}|(({shared})<<{_SHARED_SHIFT})"
    named = next((c for c in ("demangledName", "shortName") if c in known), "-1")
    common, (name, blocks, grids) = _columns(database, KERNELS, named, (block, _packed(known, _GRID)))
    ids, code = unique_inverse(name)
    strings = database.strings(ids.tolist())
    names = tuple(strings.get(number, "unknown kernel") for number in ids.tolist())
    detail, details = _launch_details(blocks, grids)
    return _Part(common, code, names, detail=detail), details


def _launch_details(block: Ints, grid: Ints) -> tuple[Ints, tuple[str, ...]]:
    """Registers, memory, grid and block as XSpace writes them: a code for each row, and the texts."""
    groups = Groups(block, grid)
    block, grid = groups.keys.T
    x, y, z, registers = _unpacked(block, _BLOCK)
    columns = [registers, block >> _SHARED_SHIFT, *_unpacked(grid, _GRID), x, y, z]
    texts = (
        "regs:{} shm:{} grid:{},{},{} block:{},{},{}".format(*row) for row in np.stack(columns).T.tolist()
    )
    return groups.of_row, tuple(texts)


def _copies(database: Database) -> _Part:
    kind, *own = _optional(
        database, COPIES, "copyKind", "migrationCause", "bytes", "srcKind", "dstKind", "dstDeviceId",
        "virtualAddress",
    )  # fmt: skip
    common, (kinds, cause, size, source, target, destination, address) = _columns(database, COPIES, kind, own)
    to_gpu = np.flatnonzero((kinds == _TO_GPU) & (address >= 0))
    again = _prefetched_before(common[0][to_gpu], address[to_gpu], size[to_gpu], cause[to_gpu] == _ASKED)
    cause[to_gpu[again & (cause[to_gpu] > _ASKED)]] = _AGAIN
    groups = Groups(kinds, cause)
    pageable = np.where((source == _PAGEABLE) | (target == _PAGEABLE), 1, np.where(source >= 0, 0, -1))
    names = tuple(_copy_name(*pair) for pair in groups.keys.tolist())
    return _Part(common, groups.of_row, names, (size, pageable, destination))


def _prefetched_before(start: Ints, address: Ints, size: Ints, asked: Bools) -> Bools:
    """For each migration to a GPU whether the program asked for its pages before: then they went back."""
    rows = np.flatnonzero(asked)
    if not len(rows):
        return asked
    rows = rows[np.lexsort((-start[rows], address[rows]))]  # of an address, the first one comes last
    rows = rows[np.searchsorted(address[rows], address, "right") - 1]
    inside = (address[rows] <= address) & (address < address[rows] + size[rows])
    return np.asarray(inside & (start[rows] < start))


def _copy_name(kind: int, cause: int) -> str:
    """The name of a copy; of a migration with its cause, if recorded."""
    why = _MIGRATION_CAUSES.get(cause)
    return _COPY_NAMES.get(kind, "MemcpyOther") + (f", {why}" if why else "")


def _memsets(database: Database) -> _Part:
    common, (code, size) = _columns(database, MEMSETS, "0", _optional(database, MEMSETS, "bytes"))
    return _Part(common, code, ("Memset",), (size, -1, -1))


def _graphs(database: Database) -> _Part:
    (number,) = _optional(database, GRAPHS, "graphId")
    common, (graph,) = _columns(database, GRAPHS, number, ())
    ids, code = unique_inverse(graph)
    return _Part(common, code, tuple(f"CUDA graph {number}" for number in ids.tolist()))


def _columns(
    database: Database, table: str, code: str, own: Sequence[str]
) -> tuple[tuple[Ints, ...], list[Ints]]:
    """Start, end, place, process and correlation of a table's rows; then a code and the columns ``own``."""
    database.require(table, _COMMON)
    process, correlation = _optional(database, table, "globalPid", "correlationId")
    place, both = _packed(database.columns(table), _PLACE), with_correlation(code, correlation)
    start, end, places, processes, packed, *more = database.numbers(
        table, ('"start"', '"end"', place, process, both, *own)
    )
    number, codes = correlation_and(packed)
    return (start, end, places, processes, number), [codes, *more]


def with_correlation(code: str, correlation: str) -> str:
    """SQL for a correlation id and a number of less than 31 bits as one."""
    return f"({correlation}&{NO_CORRELATION})|({code}<<32)"


def correlation_and(packed: Ints) -> tuple[Ints, Ints]:
    """The correlation id, −1 if there is none, and the number."""
    correlation = packed & NO_CORRELATION
    return np.where(correlation == NO_CORRELATION, -1, correlation), packed >> 32


def _optional(database: Database, table: str, *columns: str) -> list[str]:
    """SQL for columns that may be absent, or hold no value: −1."""
    known = database.columns(table)
    return [f"ifnull({column}, -1)" if column in known else "-1" for column in columns]


def _packed(known: frozenset[str], parts: Sequence[tuple[str, int]]) -> str:
    """SQL for several small numbers as one."""
    at, terms = 0, []
    for column, bits in parts:
        terms += [f"({column}<<{at})"] if column in known else []
        at += bits
    return "|".join(terms) or "0"


def _unpacked(packed: Ints, parts: Sequence[tuple[str, int]]) -> list[Ints]:
    at, found = 0, []
    for _, bits in parts:
        found.append(packed >> at & (1 << bits) - 1)
        at += bits
    return found
