"""AllReduce per step: what it took, split into transfer and waiting, and what it should take.

The guide's estimate is parameters × 4 bytes / bandwidth. A ring moves 2(n−1)/n times the bytes over each
link, so its bound is that much longer for n > 2 (nccl-tests' definition of bus bandwidth).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tfperf_plugin.artifacts.collectives import Collectives, find_collectives
from tfperf_plugin.guide.links import link_rate
from tfperf_plugin.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.trace.intervals import Bools, Ints, covered_within
from tfperf_plugin.trace.model import Trace

ParametersSource = Literal["given", "recorded", "estimated", "unknown"]

# The guide: TensorFlow sends gradients as float32 even under mixed precision.
GUIDE_BYTES_PER_PARAMETER = 4
_ALL_REDUCE = "all_reduce"
_BYTES = ((re.compile(r"(?i)bf16|bfloat16|_f16|half"), 2), (re.compile(r"(?i)f64|double"), 8))


@dataclass(frozen=True)
class Share:
    """Transfer and waiting of one GPU or one step, per average step or of that step, in ns."""

    host: str
    device: str
    step: int
    transfer_ns: int
    wait_ns: int


@dataclass(frozen=True)
class AllReduceTimes:
    """AllReduce of an average judged step, averaged over communicating GPUs.

    ``size_bytes`` per step and GPU, ``None`` where a call does not state it; ``element_bytes`` from the
    kernel's name; ``busbw_achievable_gbps``: what the link reaches in practice, ``None`` if not known.
    ``exposed_ns``: the part that no compute hides, waiting included.
    """

    participants: int
    calls_per_step: float
    size_bytes: int | None
    element_bytes: int
    transfer_ns: int
    wait_ns: int
    exposed_ns: int
    busbw_achievable_gbps: float | None
    link_source: str
    devices: tuple[Share, ...]
    steps: tuple[Share, ...]

    @property
    def ring_factor(self) -> float:
        """How often the whole array crosses each link of a ring."""
        return 2 * (self.participants - 1) / self.participants

    @property
    def busbw_gbps(self) -> float | None:
        """Bus bandwidth that the transfer reached, GB/s."""
        if not self.size_bytes or not self.transfer_ns:
            return None
        return self.size_bytes * self.ring_factor / self.transfer_ns


def find_allreduce(trace: Trace, ledger: Ledger) -> AllReduceTimes | None:
    """AllReduce in the judged steps of all hosts; ``None`` if there is none between recorded GPUs."""
    hosts = {h.host: h for h in trace.hosts}
    devices: list[Share] = []
    steps: list[Share] = []
    calls = exposed = windows = sizes = 0
    participants: list[int] = []
    size_known, names = True, set()
    for host in ledger.hosts:
        found = find_collectives(hosts[host.host], host.steps)
        chosen = _judged(found, host)
        if not chosen.any():
            continue
        participants.append(int(found.participants[chosen].max()))
        calls += int(chosen.sum())
        size_known &= bool((found.size_bytes[chosen] >= 0).all())
        sizes += int(np.maximum(found.size_bytes[chosen], 0).sum())
        table = []
        for device in host.devices:
            mine = chosen & (found.device == device.index)
            if not mine.any():
                continue
            source = hosts[host.host].devices[device.index]
            names |= {source.names[c] for c in set(source.name[found.row[mine]].tolist())}
            transfer, wait = found.of_device(device.index)
            judged = host.steps.judged
            begin, end = host.steps.begin_ns[judged], host.steps.end_ns[judged]
            pair = (covered_within(transfer, begin, end), covered_within(wait, begin, end))
            table.append(pair)
            windows += len(begin)
            exposed += _exposed(device.sums_ns[judged])
            devices.append(Share(host.host, device.device, -1, int(pair[0].mean()), int(pair[1].mean())))
        steps += _per_step(host, table)
    if max(participants, default=0) < 2:
        return None
    # Across hosts calls are not matched, but all GPUs that communicate take part.
    local = sum(participants)
    total = max([local, *(h.collective_ranks for h in trace.hosts)])
    rate = link_rate(_only_name(trace), total) if len(participants) == 1 and total == local else None
    return AllReduceTimes(
        participants=total,
        calls_per_step=calls / windows,
        size_bytes=sizes // windows if size_known and sizes else None,
        element_bytes=_element_bytes(names),
        transfer_ns=sum(d.transfer_ns for d in devices) // len(devices),
        wait_ns=sum(d.wait_ns for d in devices) // len(devices),
        exposed_ns=exposed // windows,
        busbw_achievable_gbps=rate.busbw_gbps if rate else None,
        link_source=rate.source if rate else "the link between these GPUs is not recorded",
        devices=tuple(devices),
        steps=tuple(steps),
    )


def _judged(found: Collectives, host: HostLedger) -> Bools:
    """Rows that are AllReduce calls of judged steps."""
    is_kind = found.kind == found.kinds.index(_ALL_REDUCE)
    return np.asarray(is_kind & (found.step >= 0) & host.steps.judged[np.maximum(found.step, 0)])


def _exposed(sums_ns: Ints) -> int:
    columns = [ACCOUNTS.index("communication.transfer"), ACCOUNTS.index("communication.wait")]
    return int(sums_ns[:, columns].sum())


def _per_step(host: HostLedger, table: Sequence[tuple[Ints, Ints]]) -> list[Share]:
    numbers = host.steps.number[host.steps.judged].tolist()
    transfer, wait = (np.mean([pair[i] for pair in table], axis=0) for i in (0, 1))
    return [Share(host.host, "", n, int(t), int(w)) for n, t, w in zip(numbers, transfer, wait, strict=True)]


def _element_bytes(names: set[str]) -> int:
    """Bytes of one gradient, from the kernels' names; float32 where they do not say otherwise."""
    found = {size for name in names for pattern, size in _BYTES if pattern.search(name)}
    return found.pop() if len(found) == 1 else GUIDE_BYTES_PER_PARAMETER


def _only_name(trace: Trace) -> str:
    """The name of the communicating GPUs if all have the same, else nothing."""
    names = {d.name_text for h in trace.hosts for d in h.devices if d.participates}
    return names.pop() if len(names) == 1 else ""
