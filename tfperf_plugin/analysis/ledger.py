"""The ledger: each nanosecond of each step on each GPU belongs to exactly one account.

``ACCOUNTS`` lists the accounts in order of precedence: where several causes overlap, the first one owns the
time. Work comes before waiting, so communication and copies under compute cost nothing. Among causes of
idleness, a cause that would remain without the others comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.analysis.communication import HostClock
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, Segments, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import HasMemo, memoized
from tfperf_plugin.trace.model import Codes, among
from tfperf_plugin.trace.roles import KernelClass

COMPUTE_CLASSES: Final = tuple(f"compute.{c.name.lower()}" for c in KernelClass)
# Account ids in order of precedence.
ACCOUNTS: Final = (
    "compute",  # a compute kernel or a memset runs
    "communication.transfer",  # only a collective runs, and all participants wait for its transfer
    "communication.wait",  # only a collective runs, some participant has not arrived or still computes
    "copy.h2d",  # also while the batch is copied but not handed over to those who need it
    "copy.d2h",
    "copy.d2d",
    "idle.compile",  # the step cannot go on before XLA or tracing has finished
    "idle.startup",  # what later steps do not do: trying out algorithms, also on the GPU, loading, compiling
    "idle.stagger",  # a sibling GPU started this step earlier, or will end it later by as much
    "idle.input",  # the step has asked for a batch and has not got it
    "idle.between_steps",  # the host is outside the step's function
    "idle.sync",  # the host waits for the GPU and launches late
    "idle.launch",  # the launching thread is busy, or a launch is in flight
    "idle.host_op",  # an op of the step runs on the CPU
    "idle.dispatch",  # the host runs the step's ops: its executor, or the call of its function, is at work
    "idle.unknown",  # the profile does not say
)
IDLE: Final = tuple(a for a in ACCOUNTS if a.startswith("idle."))
_NO_ROWS: Final = np.empty(0, np.int32)


class DeviceLedger(Record, frozen=True):
    """The ledger of one GPU."""

    host: str
    device: str
    index: int  #: Index of the GPU among the host's devices.
    sums_ns: Ints  #: int64[steps, accounts]; each row adds up to its step's window exactly.
    class_sums_ns: Ints  #: int64[steps, compute classes]; each row adds up to the account ``compute``.
    segments: Segments  #: The pieces of time; their owner is an index into ``ACCOUNTS``.
    segment_step: Codes  #: int32: index of the step of each piece.
    hidden_communication_ns: Ints  #: int64[steps]: time of collectives under compute.
    hidden_copy_ns: Ints  #: int64[steps]: time of copies under compute.
    #: int32: rows of the GPU's compute kernels in judged steps, without kernels that try out algorithms.
    kernels: Codes

    def time(self, *accounts: str) -> Intervals:
        """The time that the GPU spends on ``accounts`` in any step."""
        mine = among(self.segments.owner, *map(ACCOUNTS.index, accounts))
        return union(self.segments.begin_ns[mine], self.segments.end_ns[mine])


class HostLedger(HasMemo, frozen=True):
    """The ledgers of a host's participating GPUs, the host's steps and its collectives."""

    host: str
    steps: HostSteps
    devices: tuple[DeviceLedger, ...]
    calls: Collectives
    clock: HostClock
    #: int64[GPUs, steps]: start of the first kernel of each of the host's GPUs; the largest int64 if there is
    #: none.
    first_ns: Ints
    last_ns: Ints  #: int64[GPUs, steps]: end of the last kernel; the smallest int64 if there is none.

    @property
    def numbers(self) -> Ints:
        """Numbers of the steps in the count of the first host."""
        return self.steps.number + self.clock.step_shift

    def judged_pieces(self, device: DeviceLedger, *accounts: str) -> Bools:
        """For each piece of one GPU whether it lies in a judged step and in one of ``accounts``."""
        judged = _judged_pieces(self, device.index)
        return judged & among(device.segments.owner, *map(ACCOUNTS.index, accounts)) if accounts else judged

    def judged_time(self, device: DeviceLedger, *accounts: str) -> Intervals:
        """The time of judged steps that one GPU spends on ``accounts``."""
        mine = np.flatnonzero(self.judged_pieces(device, *accounts))
        return union(device.segments.begin_ns[mine], device.segments.end_ns[mine])


@memoized
def _judged_pieces(host: HostLedger, index: int) -> Bools:
    device = next(d for d in host.devices if d.index == index)
    return host.steps.judged[device.segment_step]


class Ledger(Record, frozen=True, dict=True):
    """The ledger of a run. Averages are over judged steps and participating GPUs of all hosts."""

    hosts: tuple[HostLedger, ...]

    @cached_property
    def common_numbers(self) -> Ints:
        """Numbers of the steps that every host judged exactly once."""
        counts = Counter[int]()
        for host in self.hosts:
            numbers, times = np.unique(host.numbers[host.steps.judged], return_counts=True)
            counts.update(numbers[times == 1].tolist())
        return np.array(sorted(n for n, c in counts.items() if c == len(self.hosts)), np.int64)

    def common(self, host: HostLedger) -> Bools:
        """The steps of a host that every host judged; the host's own judged steps if there is none."""
        found: Bools = host.steps.judged & np.isin(host.numbers, self.common_numbers)
        return found if len(self.common_numbers) else host.steps.judged

    @property
    def gpus_count(self) -> int:
        """The number of GPUs that take part, on all hosts."""
        return sum(len(h.devices) for h in self.hosts)

    @cached_property
    def windows(self) -> int:
        """Judged steps times GPUs, the divisor of averages; at least 1."""
        return sum(int(h.steps.judged.sum()) * len(h.devices) for h in self.hosts)

    @property
    def step_ns(self) -> int:
        """Length of the average judged step."""
        return int(self._total.sum()) // self.windows

    def average(self) -> dict[str, int]:
        """Account → ns of the average step; adds up to ``step_ns`` exactly."""
        return dict(zip(ACCOUNTS, share_out(self._total, self.windows), strict=True))

    def average_of(self, device: DeviceLedger, judged: Bools) -> dict[str, int]:
        """Account → ns of the average judged step of one GPU; adds up exactly."""
        count = max(1, int(judged.sum()))
        return dict(zip(ACCOUNTS, share_out(device.sums_ns[judged].sum(axis=0), count), strict=True))

    def by_step(self, *accounts: str) -> Ints:
        """ns of these accounts in each step that all hosts judged, averaged over their GPUs."""
        columns = [ACCOUNTS.index(a) for a in accounts]
        total, gpus = np.zeros(len(self.common_numbers), np.int64), 0
        for host in self.hosts:
            common = self.common(host)
            for device in host.devices if int(common.sum()) == len(total) else ():
                total += device.sums_ns[common][:, columns].sum(axis=1)
                gpus += 1
        return np.asarray(total // max(1, gpus))

    def compute_classes(self) -> dict[str, int]:
        """Compute class → ns of the average step; adds up to the account ``compute`` exactly."""
        total = self._summed(lambda device: device.class_sums_ns)
        wanted = self.average()["compute"]
        shares = share_out(total, self.windows)
        # Rounding may make the two averages differ by one nanosecond a class; the largest class absorbs it.
        shares[int(np.argmax(total))] += wanted - sum(shares)
        return dict(zip(COMPUTE_CLASSES, shares, strict=True))

    def hidden(self) -> tuple[int, int]:
        """Communication and copy time of the average step that compute hides, so that it costs nothing."""
        communication = self._summed(lambda device: device.hidden_communication_ns)
        copies = self._summed(lambda device: device.hidden_copy_ns)
        return int(communication) // self.windows, int(copies) // self.windows

    @cached_property
    def _total(self) -> Ints:
        """ns of each account, summed over judged steps and GPUs."""
        return self._summed(lambda device: device.sums_ns)

    def _summed(self, of_steps: Callable[[DeviceLedger], Ints]) -> Ints:
        """The sum of the values that ``of_steps`` returns over the judged steps of all GPUs."""
        found = [of_steps(d)[h.steps.judged].sum(axis=0) for h in self.hosts for d in h.devices]
        return np.asarray(np.sum(found, axis=0))


def share_out(total_ns: Ints, count: int) -> list[int]:
    """Divides sums by ``count`` so that the parts add up to the divided total (largest remainder)."""
    whole, rest = np.divmod(total_ns, count)
    missing = int(total_ns.sum()) // count - int(whole.sum())
    whole[np.argsort(-rest, kind="stable")[:missing]] += 1
    return [int(x) for x in whole]


def joined_ledger(hosts: Iterable[HostLedger | None]) -> Ledger | None:
    """The ledger of these hosts; ``None`` if no host has both steps and a GPU that ran kernels."""
    rows = tuple(h for h in hosts if h is not None)
    return Ledger(rows) if any(h.steps.judged.any() for h in rows) else None


def without_pieces(host: HostLedger, accounts: Iterable[str]) -> HostLedger:
    """The ledger without data that grow with the number of events, except for the pieces of ``accounts``."""
    codes = [ACCOUNTS.index(a) for a in accounts]
    devices = []
    for device in host.devices:
        pieces, keep = device.segments, among(device.segments.owner, *codes)
        segments = Segments(pieces.begin_ns[keep], pieces.end_ns[keep], pieces.owner[keep])
        devices.append(
            replace(device, segments=segments, segment_step=device.segment_step[keep], kernels=_NO_ROWS)
        )
    return replace(host, steps=host.steps.without_events(), devices=tuple(devices))
