"""Compares the hosts of a run: each host's own part of a step, and its waiting for other hosts.

Hosts that train together have steps of the same length, because all wait for the slowest. So its own part of
the step shows a slow host: the step without the time that its last GPU waits in collectives.
"""

from __future__ import annotations

import math

import numpy as np

from tfperf_plugin.analysis.communication import HostClock
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.analysis.steps import MAD_TO_SIGMA
from tfperf_plugin.arrays.columns import Groups, median
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.records import Record

# Fewer hosts cannot be compared; median and MAD of the hosts say nothing about fewer than three.
HOSTS_COUNT = 2
MEDIAN_COUNT = 3
# A host is slow if its own part exceeds the median of the hosts by more than this many times their scatter
# (their median absolute deviation as standard deviations), plus what chance adds. With two
# hosts, the other host replaces the median, and the scatter of their difference over the steps the scatter.
SCATTER_TIMES = 3.0
# A slow host must also exceed the median by this share of the step, in this share of the steps.
EXCESS_RATIO = 0.02
STEPS_RATIO = 0.8
# If the host's own GPUs wait for this share of its excess, a GPU is slow and not the host.
INNER_RATIO = 0.5
_WAIT = ACCOUNTS.index("communication.wait")


class HostRow(Record, frozen=True):
    """One host: arrays over the judged steps of all hosts; other times of an average step and GPU."""

    host: str
    gpus_count: int
    number: Ints  #: Numbers of these steps.
    own_ns: Ints  #: Length of the step without ``wait_ns``.
    wait_ns: Ints  #: Waiting in collectives of the host's last GPU.
    step_ns: int
    compute_ns: int
    input_ns: int
    #: How much later than the first host it arrives at collectives that join hosts, median of the steps;
    #: ``None`` if none joins it.
    late_ns: int | None
    clock: HostClock
    #: How far the median of ``own_ns`` exceeds the hosts' median or, with two hosts, that of the faster one.
    excess_ns: int
    #: Share of steps in which its own part exceeds the usual one by more than ``Hosts.limit_ns``.
    slow_steps_ratio: float
    slow: bool


class Hosts(Record, frozen=True):
    """All hosts with a ledger."""

    rows: tuple[HostRow, ...]
    joined: bool  #: Whether collectives were matched across the hosts.
    scatter_ns: int  #: Usual difference of hosts' own parts of a step.
    limit_ns: int  #: A host with a larger excess is slow.
    #: The account in which the host with the longest own part exceeds the hosts' median most.
    longer_account: str
    #: How much shorter steps would be if no batch came late: in idleness, and in waiting in collectives;
    #: ``None`` if no GPU waits for another.
    input_ns: tuple[int, int] | None


def finish(ledger: Ledger) -> Hosts:
    """Compares the hosts over the judged steps that all of them recorded."""
    numbers, hosts = ledger.common_numbers, ledger.hosts
    steps = [np.flatnonzero(ledger.common(host)) if len(numbers) else numbers for host in hosts]
    # For each host int64[GPUs, steps, accounts], and int64[GPUs, steps] without waiting in collectives.
    spent = [np.stack([d.sums_ns[s] for d in host.devices]) for host, s in zip(hosts, steps, strict=True)]
    working = [times.sum(axis=2) - times[:, :, _WAIT] for times in spent]
    own = np.stack([times.max(axis=0) for times in working])
    joined = len(hosts) > 1 and all((h.calls.hosts_count > 1).any() for h in hosts)
    medians = np.median(own, axis=1) if len(numbers) else np.zeros(len(hosts))
    few = len(hosts) < MEDIAN_COUNT
    middle = float(medians.min() if few else median(medians))
    apart = own[0] - own[-1] if few and len(numbers) else medians
    scatter = MAD_TO_SIGMA * float(median(np.abs(apart - float(median(apart)))))
    # The slowest of many hosts deviates further by chance: with n normal ones by √(2 ln n) deviations.
    times = SCATTER_TIMES + math.sqrt(2 * math.log(len(hosts)))
    limit = max(times * scatter, EXCESS_RATIO * ledger.step_ns)
    usual = np.min if few else np.median
    excess = own - usual(own, axis=0) if len(numbers) else own
    often = (excess > limit).mean(axis=1) if len(numbers) else np.zeros(len(hosts))
    late = _lateness(ledger)
    rows = []
    for i, host in enumerate(hosts):
        averages = [ledger.average_of(d, host.steps.judged) for d in host.devices]
        average = {a: sum(one[a] for one in averages) // len(averages) for a in ACCOUNTS}
        beyond = float(medians[i]) - middle
        slow = joined and len(hosts) >= HOSTS_COUNT and beyond > limit and float(often[i]) >= STEPS_RATIO
        if slow:
            # Where its own GPUs wait for one of them, that GPU is slow and not the host.
            slow = float(np.median(np.ptp(working[i], axis=0))) < INNER_RATIO * beyond
        rows.append(
            HostRow(
                host=host.host,
                gpus_count=len(host.devices),
                number=numbers,
                own_ns=own[i],
                wait_ns=spent[i][:, :, _WAIT].min(axis=0),
                step_ns=sum(average.values()),
                compute_ns=average["compute"],
                input_ns=average["idle.input"],
                late_ns=late[i],
                clock=host.clock,
                excess_ns=int(beyond),
                slow_steps_ratio=float(often[i]),
                slow=slow,
            )
        )
    longer, late_batches = "idle.unknown", None
    if len(numbers):
        # Medians are compared so that no single step decides.
        of_host = np.stack([median(times.mean(axis=0), axis=0) for times in spent])
        beyond_median = of_host[int(medians.argmax())] - median(of_host, axis=0)
        beyond_median[_WAIT] = -np.inf
        longer = ACCOUNTS[int(beyond_median.argmax())]
        if ledger.average()["communication.wait"]:
            late_batches = _late_batches(np.concatenate(spent), np.concatenate(working))
    return Hosts(tuple(rows), joined, int(scatter), int(limit), longer, late_batches)


def _late_batches(spent: Ints, working: Ints) -> tuple[int, int]:
    """Idleness that waits for a batch, and waiting for GPUs whose batch is late, in ns per average step and
    GPU.

    Without idle.input the step would be as long as the longest own part of all GPUs that then remains. Each
    GPU gains the difference, first of its own idleness, then of its waiting.
    """
    idle = spent[:, :, ACCOUNTS.index("idle.input")]
    gain = working.max(axis=0) - (working - idle).max(axis=0)
    of_idle = np.minimum(idle, gain)
    return int(of_idle.mean()), int(np.minimum(spent[:, :, _WAIT], gain - of_idle).mean())


def _lateness(ledger: Ledger) -> list[int | None]:
    """How many ns each host arrives later than the first one: the latest call of the median step."""
    parts = []
    for i, host in enumerate(ledger.hosts):
        calls = host.calls
        keep = (calls.hosts_count > 1) & calls.within(host.steps.judged)
        number = host.numbers[calls.step[keep]]
        parts.append(np.stack([np.full(int(keep.sum()), i), number, calls.call[keep], calls.wait_ns[keep]]))
    rows = np.concatenate(parts, axis=1)
    if not rows.shape[1]:
        return [None for _ in ledger.hosts]
    # A host has arrived at a call when its last GPU has: the one that waits least.
    host_of, number, call, wait = rows[:, Groups(rows[2], rows[0]).at_min(rows[3])]
    joined = Groups(call)
    late = joined.max(wait)[joined.of_row] - wait
    of_host = (host_of == i for i in range(len(ledger.hosts)))
    latest = (Groups(number[mine]).max(late[mine]) for mine in of_host)
    return [int(np.median(of_steps)) if len(of_steps) else None for of_steps in latest]
