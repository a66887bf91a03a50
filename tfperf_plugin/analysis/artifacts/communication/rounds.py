"""Counts the exchanges of gradients before the optimizer uses them.

The gradients of several micro-batches may add up on each GPU before one update. Then one exchange is enough,
after the last micro-batch. If each micro-batch has an exchange of its own, calls begin after each n-th part
of both passes, and the optimizer comes after all of them: in the same step, or only in a later one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import field

from tfperf_plugin.analysis.artifacts.by_host import GpuView, PerStep, View, averaged, merged_all
from tfperf_plugin.analysis.artifacts.communication.calls import ALL_REDUCE, SCATTER, Floats
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, row_phases
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Bools, Ints, intersect, searchsorted, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes
from tfperf_plugin.trace.roles import Role

_MOST_ROUNDS: Final = 64
# By how much of a round a call may be early or late, and how much less one round may move than another.
_SLACK: Final = 0.2


class ExchangeRounds(Record, frozen=True):
    """Exchanges of gradients in judged steps, averaged over GPUs."""

    exchanges: int = 0  #: Exchanges of all steps.
    updates: int = 0  #: Updates of the optimizer of all steps.
    transfer_ns: PerStep = 0  #: Transfer of the average step in exchanges that no update follows.
    exposed_ns: PerStep = 0  #: Part of ``transfer_ns`` that no compute hides.
    where: Places = field(default_factory=Places)  #: The longest calls of exchanges that no update follows.

    @property
    def per_update(self) -> float:
        """Exchanges for each update of the optimizer, 0 if no update was recognized."""
        return self.exchanges / self.updates if self.updates else 0.0


def part(view: View) -> ExchangeRounds:
    """Exchanges and updates of one host."""
    return merged_all(map(_of_gpu, view.gpus if view.run.training else ())) or ExchangeRounds()


def finish(sums: ExchangeRounds, ledger: Ledger) -> ExchangeRounds:
    """The exchanges and updates of all hosts."""
    return averaged(sums, ledger.windows)


def _of_gpu(gpu: GpuView) -> ExchangeRounds:
    calls, host = gpu.host.calls, gpu.host
    of_gradients = np.isin(calls.kind, (ALL_REDUCE, SCATTER)) & (calls.device == gpu.ledger.index)
    rows = np.flatnonzero(of_gradients & calls.within(host.steps.judged))
    done, updated = _progress(gpu, calls.step[rows], calls.start_ns[rows])
    steps = Groups(calls.step[rows])
    amount = calls.size_bytes[rows] if (calls.size_bytes[rows] > 0).all() else np.ones(len(rows), np.int64)
    count, number = _rounds(steps, done, amount)
    if not updated.any():
        return ExchangeRounds()
    # The exchange before an update is needed, all others are not.
    spare = (number < count[steps.of_row]) | ~updated[calls.step[rows]]
    start, end = calls.start_ns[rows][spare], calls.end_ns[rows][spare]
    moving = union(np.clip(calls.ready_ns[rows][spare], start, end), end)
    return ExchangeRounds(
        exchanges=int(count.sum()),
        updates=int(updated[steps.keys].sum()),
        transfer_ns=moving.total_ns,
        exposed_ns=intersect(gpu.judged_time("communication.transfer"), moving).total_ns,
        where=host.steps.places(
            "exchange before the last micro-batch", start, end, gpu.source.device, calls.step[rows][spare]
        ),
    )


def _progress(gpu: GpuView, step: Codes, at_ns: Ints) -> tuple[Floats, Bools]:
    """float64[3, instants], the shares of the step's forward pass, backward pass and optimizer that have
    begun at each instant; and whether each step of the host has an update.

    ``step``, ``at_ns``: step and time of each instant.
    """
    source, steps_count = gpu.source, len(gpu.host.steps)
    rows = np.flatnonzero((source.role == Role.KERNEL) & (gpu.step >= 0))
    rows = rows[np.argsort(source.start_ns[rows], kind="stable")]
    phase, of_step = row_phases(source, rows, training=True), gpu.step[rows]
    length = (source.end_ns - source.start_ns)[rows]
    found = np.zeros((3, len(at_ns)))
    updated = np.zeros(steps_count, np.bool_)
    for row, kind in zip(found, (Phase.FORWARD, Phase.BACKWARD, Phase.OPTIMIZER), strict=True):
        mine = phase == kind
        total = np.bincount(of_step[mine], length[mine], steps_count)
        earlier = np.cumsum(total) - total
        sums = np.concatenate([[0], np.cumsum(length[mine])])
        begun = sums[searchsorted(source.start_ns[rows][mine], at_ns)] - earlier[step]
        row[:] = np.clip(begun / np.maximum(total[step], 1), 0, 1)
        if kind is Phase.OPTIMIZER:
            updated = total > total.max(initial=0) / 2
    return found, updated


def _rounds(steps: Groups, done: Floats, amount: Ints) -> tuple[Ints, Ints]:
    """The number of exchanges of each step, and for each call the number of its exchange, from 1.

    ``steps``: the calls by step. A step has one exchange unless its calls come after each n-th part of both
    passes, move the same each time, and precede the optimizer.
    """
    forward, backward, optimizer = done
    per_mille = (1000 * forward).astype(np.int64)
    count = np.clip(np.rint(1000 / np.maximum(steps.min(per_mille), 1)), 1, None).astype(np.int64)
    count[count > _MOST_ROUNDS] = 1
    n = count[steps.of_row]
    number = np.clip(np.rint(forward * n), 1, n).astype(np.int64)
    regular = np.abs(forward * n - number) <= _SLACK
    regular &= (backward * n >= number - 1 - _SLACK) & (backward * n <= number + _SLACK)
    regular &= optimizer * n <= 0.5
    rounds = Groups(steps.of_row, number)
    moved = rounds.sum(amount)[rounds.of_row]
    sound = (steps.sum(~regular) == 0) & (steps.distinct(number) == count)
    sound &= steps.min(moved) >= (1 - _SLACK) * steps.max(moved)
    count = np.where(sound, count, 1)
    return count, np.where(sound[steps.of_row], number, 1)
