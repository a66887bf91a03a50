"""Collective kernels (AllReduce and its kin), matched across the GPUs of a host.

The kernel of a GPU that arrives early spins until the last participant has arrived. So a kernel's
duration is not transfer time: transfer runs from the latest start to the end, everything before is
waiting (facts behind it: nccl-tests' definition of bus bandwidth speaks of transfer only).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.steps import HostSteps
from tfperf_plugin.trace.intervals import Bools, Intervals, Ints, union
from tfperf_plugin.trace.model import Codes, HostTrace
from tfperf_plugin.trace.roles import Role

_KINDS = (
    ("all_reduce", re.compile(r"(?i)all_?reduce")),
    ("reduce_scatter", re.compile(r"(?i)reduce_?scatter")),
    ("all_gather", re.compile(r"(?i)all_?gather")),
    ("broadcast", re.compile(r"(?i)broadcast")),
    ("send_recv", re.compile(r"(?i)send_?recv|all_?to_?all")),
    ("reduce", re.compile(r"(?i)reduce")),
)


@dataclass(frozen=True)
class Collectives:
    """The collective kernels of one host; one row a kernel, sorted by start.

    ``device``: index into the host's devices; ``row``: row in that device; ``step``: step index, −1 if
    none; ``call``: rows with the same number are one call; ``ready_ns``: when the last recorded
    participant had arrived (own start if the call was not matched); ``participants``: recorded GPUs in
    the call; ``matched``: the call was found on every GPU that communicates in this step.
    """

    device: Codes
    row: Ints
    kind: Codes
    kinds: tuple[str, ...]
    step: Codes
    call: Ints
    start_ns: Ints
    end_ns: Ints
    ready_ns: Ints
    participants: Ints
    matched: Bools
    size_bytes: Ints

    def of_device(self, device: int) -> tuple[Intervals, Intervals]:
        """Transfer and wait intervals of one GPU."""
        mine = self.device == device
        ready = np.clip(self.ready_ns[mine], self.start_ns[mine], self.end_ns[mine])
        return union(ready, self.end_ns[mine]), union(self.start_ns[mine], ready)


def find_collectives(host: HostTrace, steps: HostSteps) -> Collectives:
    """The collectives of one host, matched by kind and order within each step.

    GPUs issue the collectives of a step in one order, else they would deadlock; so the n-th of a kind
    on one GPU is the n-th on every other. A match counts only if all its kernels overlap in time and end
    together, that is closer to each other than the transfer was long: independent groups of GPUs do not.
    """
    parts = []
    for index, device in enumerate(host.devices):
        rows = np.flatnonzero(device.role == Role.COLLECTIVE)
        kind_of = np.array([_kind(n) for n in device.names], np.int32)
        step = steps.device_step[index][rows]
        kind = kind_of[device.name[rows]] if len(rows) else np.empty(0, np.int32)
        parts.append((np.full(len(rows), index, np.int32), rows, kind, step, device.start_ns[rows],
                      device.end_ns[rows], device.collective_bytes[rows]))  # fmt: skip
    if parts:
        device_of, row, kind, step, start, end, size = (np.concatenate(c) for c in zip(*parts, strict=True))
    else:
        device_of = kind = step = np.empty(0, np.int32)
        row = start = end = size = np.empty(0, np.int64)
    call, participants, ready, matched = _match(device_of, kind, step, start, end)
    order = np.argsort(start, kind="stable")
    return Collectives(
        device_of[order], row[order], kind[order], (*(k for k, _ in _KINDS), "other"), step[order],
        call[order], start[order], end[order], ready[order], participants[order], matched[order], size[order],
    )  # fmt: skip


def _kind(name: str) -> int:
    return next((i for i, (_, pattern) in enumerate(_KINDS) if pattern.search(name)), len(_KINDS))


def _match(device: Codes, kind: Codes, step: Codes, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints, Bools]:
    if not len(device):
        empty = np.empty(0, np.int64)
        return empty, empty, empty, np.empty(0, np.bool_)
    family = (step.astype(np.int64) + 1) * (len(_KINDS) + 1) + kind
    ordinal = _ordinal(family * (int(device.max()) + 1) + device, start)
    _, call = np.unique(np.stack([family, ordinal]), axis=1, return_inverse=True)
    call = call.reshape(-1)
    count = int(call.max()) + 1
    size = np.bincount(call, minlength=count)
    latest, latest_end = np.full((2, count), np.iinfo(np.int64).min)
    earliest_end = np.full(count, np.iinfo(np.int64).max)
    np.maximum.at(latest, call, start)
    np.maximum.at(latest_end, call, end)
    np.minimum.at(earliest_end, call, end)
    together = latest_end - earliest_end < earliest_end - latest
    # A GPU that takes part in this kind in this step takes part in each of its calls.
    _, family_index = np.unique(family, return_inverse=True)
    families = int(family_index.max()) + 1
    pairs = np.unique(np.stack([family_index.reshape(-1), device.astype(np.int64)]), axis=1)
    devices_in = np.bincount(pairs[0], minlength=families)
    whole = size[call] == devices_in[family_index.reshape(-1)]
    matched = whole & (size[call] > 1) & together[call]
    ready = np.where(matched, latest[call], start)
    return call, np.where(matched, size[call], 1), ready, matched


def _ordinal(group: Ints, start: Ints) -> Ints:
    """For each row its position, by start, among the rows of its group."""
    order = np.lexsort((start, group))
    ordered = group[order]
    fresh = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    position = np.arange(len(group)) - np.maximum.accumulate(np.where(fresh, np.arange(len(group)), 0))
    ordinal = np.empty(len(group), np.int64)
    ordinal[order] = position
    return ordinal
