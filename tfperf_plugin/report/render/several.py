"""AllReduce and the comparison of hosts as rows for text and Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfperf_plugin.judging.engine.words import count, gpu, listing, ms, percent
from tfperf_plugin.report.model import AllReduce, HostTimes, Report

# Number of listed hosts: slow ones first, then by lateness.
HOSTS_LISTED: Final = 16

# As NCCL calls them.
_KINDS: Final = {
    "all_reduce": "AllReduce",
    "reduce_scatter": "ReduceScatter",
    "all_gather": "AllGather",
    "reduce": "Reduce",
    "all_to_all": "AllToAll",
    "send_recv": "SendRecv",
    "broadcast": "Broadcast",
}
Rows = tuple[tuple[str, str, str], ...]


def allreduce_rows(card: AllReduce) -> Rows:
    """The known times of the AllReduce card: (what, time, source)."""
    rows = [
        ("guide estimate", card.guide_ns, "parameters × 4 bytes / bandwidth"),
        ("ring bound", card.ring_bound_ns, f"{_factor(card)} × bytes / bandwidth"),
        ("achievable", card.achievable_ns, card.achievable_source),
        ("measured transfer", card.transfer_ns, f"{card.busbw_gbps:.3g} GB/s" if card.busbw_gbps else ""),
        ("measured waiting", card.wait_ns, _last_gpu(card)),
        ("exposed", card.exposed_ns, "no compute hides it"),
        ("hidden", card.hidden_ns, "under compute: costs nothing"),
    ]
    known = tuple((label, ms(ns), note) for label, ns, note in rows if ns is not None)
    return (*_inputs(card), *known)


def _inputs(card: AllReduce) -> Rows:
    """The numbers behind the estimates, or how to state them."""
    number = f"{card.parameters:,}" if card.parameters else "not known"
    speed = f"{card.bandwidth_gbps:.3g} GB/s" if card.bandwidth_gbps else "not known"
    missing = "; give --bandwidth, like 'NVLink 3'" if card.bandwidth_gbps is None else ""
    how = "; give --parameters, like 25.6M" if card.parameters is None else ""
    return (
        ("parameters", number, card.parameters_basis + how),
        ("bandwidth of one GPU", speed, card.bandwidth_source + missing),
    )


def allreduce_title(card: AllReduce) -> str:
    """The title with the numbers of GPUs, hosts and calls."""
    where = f" on {count(card.hosts_count, 'host')}" if card.hosts_count > 1 else ""
    calls = (
        f", {card.calls_per_step:.3g} {'call' if card.calls_per_step == 1 else 'calls'} per step"
        if card.measured_ns is not None
        else ""
    )
    return f"{card.title} as recorded on {count(card.participants, 'GPU')}{where}{calls}"


def collective_names(kinds: Iterable[str]) -> str:
    """Kinds of collectives as one name: "ReduceScatter and AllGather"."""
    names = [_KINDS.get(kind, kind) for kind in kinds]
    return listing(names, len(names))


def _factor(card: AllReduce) -> str:
    return f"{2 * (card.participants - 1) / card.participants:.3g}"


def _last_gpu(card: AllReduce) -> str:
    last = max(card.devices, key=lambda d: d.caused_wait_ns, default=None)
    if last is None or not last.caused_wait_ns:
        return ""
    name = f"{last.host} {gpu(last.device)}" if card.hosts_count > 1 else gpu(last.device)
    return f"most of all for {name}, last in {percent(last.last_ratio)} of the calls"


def host_rows(report: Report) -> Rows:
    """(Host, its own time in a step, comparison with the others); empty with one host."""
    if len(report.by_host) < 2:
        return ()
    ordered = sorted(report.by_host, key=lambda h: (not h.slow, -(h.late_ns or 0), h.host))
    return tuple((h.host, ms(h.own_ns), _compare_host(h)) for h in ordered[:HOSTS_LISTED])


def _compare_host(host: HostTimes) -> str:
    parts = ["slow"] if host.slow else []
    parts.append(f"waits {ms(host.wait_ns)}")
    if host.late_ns is not None:
        parts.append(f"arrives {ms(host.late_ns)} after the first host")
    if host.clock_source == "collectives" and host.clock_offset_ns is not None:
        late = "later" if host.clock_offset_ns >= 0 else "earlier"
        uncertain = max(1_000, host.clock_uncertainty_ns or 0)
        parts.append(f"its recording begins {ms(abs(host.clock_offset_ns))} {late}, ± {ms(uncertain)}")
    return ", ".join(parts)
