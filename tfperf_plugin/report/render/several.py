"""AllReduce and the comparison of hosts as rows for text and Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfperf_plugin.judging.engine.words import count, listing, ms
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
    "other": "other collectives",
}
# How to state what estimates start from.
_STATE: Final = {
    "parameters": "give --parameters, like 25.6M",
    "bandwidth of one GPU": "give --bandwidth, like 'NVLink 3'",
}
Rows = tuple[tuple[str, str, str], ...]


def allreduce_rows(card: AllReduce) -> Rows:
    """The known numbers of the AllReduce card, and how to state those that estimates start from."""
    rows = []
    for one in card.numbers:
        if one.value not in ("not known", "not recorded"):
            rows.append((one.term, one.value, one.known))
        elif one.term in _STATE:
            rows.append((one.term, one.value, "; ".join(filter(None, (one.known, _STATE[one.term])))))
    return tuple(rows)


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
