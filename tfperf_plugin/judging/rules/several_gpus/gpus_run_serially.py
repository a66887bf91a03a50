"""GPUs take turns: while one computes the others wait."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tfperf_plugin.analysis.artifacts.communication.step_starts import HostStarts, HostTurns, Starts
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Evidence, Place
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say, together
from tfperf_plugin.judging.rules.several_gpus._late import claimed

OVERLAP = Threshold(
    "computing at the same time", 0.2, "ratio", "of what could overlap; more is not serial", side="≤"
)
HANDED_OVER = Threshold(
    "extent of the step in which some GPU computes or copies", 0.8, "ratio",
    "else GPUs start late rather than take turns; a GPU that launches keep waiting between its first and last kernel has its turn",
)  # fmt: skip

NAMED = Threshold(
    "share of hand-overs with the same cause", 0.8, "ratio", "a cause that covers less is not named"
)

# Until the last GPU has begun, some GPU works for most of the time; otherwise the host is late, not serial.
MOSTLY: Final = 0.5
_Ints = npt.NDArray[np.int64]
# Accounts of GPUs that wait for their turn.
WAITING: Final = (
    "idle.stagger", "communication.wait", "idle.unknown", "idle.sync", "idle.launch", "idle.dispatch",
    "idle.host_op", "copy.d2d",
)  # fmt: skip

ONE_GPU = "Fewer than two GPUs of one host ran the same step."
OVERLAPS = "GPUs compute at the same time for {overlap:percent} of what could overlap."
NO_TURNS = (
    "GPUs hardly compute at the same time ({overlap:percent}), but do not take turns either: some GPU computes or copies "
    "during {filled:percent} of the step's extent."
)
SERIAL = (
    "The {n} GPUs of {host} compute one after another: only {overlap:percent} of what could overlap does. If all computed at "
    "once, the step would be up to {waste:ms} shorter."
)
ONE_BY_ONE = (
    "The {n} GPUs of {host} begin a step one after another, the last one {spread:ms} after the first. If all began at once, "
    "the step would be up to {spread:ms} shorter."
)
BY_COPY = "A GPU starts when a copy from the previous GPU has arrived, because the model is split over them."
BY_COLLECTIVE = "A GPU starts when a collective that follows the previous GPU's work has ended."
BY_HOST = "The host waits for a GPU to finish before it launches for the next one."
BY_UNKNOWN = "The cause of this order is not recorded; dependencies between ops leave no trace."
CAUSE_COPY = (
    "The {n} GPUs compute one after another: each starts when a copy from the previous GPU has arrived, because the model is "
    "split over them."
)
CAUSE_COLLECTIVE = "The {n} GPUs compute one after another: each starts when a collective that follows the previous GPU's work has ended."
CAUSE_HOST = "The {n} GPUs compute one after another: the host waits for a GPU to finish before it launches for the next one."
BASIS_COPY = (
    "extent of the step − compute of the busiest GPU, or copying of the GPU that copies longest: tensors of one micro-batch "
    "travel while others are computed"
)
BASIS_TURNS = "extent of the step without copies between turns − the longest turn of one GPU"
BASIS_KERNELS = "time in which any GPU computes − time of the busiest GPU"
BASIS_BEGINS = "from the first GPU's begin to the last one's"


class Order(NamedTuple):
    """What orders the GPUs: a sentence, and the case of the page."""

    said: str
    case: str = ""


COPY: Final = Order(BY_COPY, "copies order the GPUs")
COLLECTIVE: Final = Order(BY_COLLECTIVE, "a collective orders the GPUs")
HOST: Final = Order(BY_HOST, "the host orders the GPUs")
UNKNOWN: Final = Order(BY_UNKNOWN)


def judge(starts: Starts, ledger: Ledger) -> Verdict:
    """Checks whether GPUs compute at the same time and, if not, whether one begins when another ends."""
    if not starts.hosts:
        return NotApplicable(ONE_GPU)
    host = min(starts.hosts, key=lambda h: (_overlap(h), h.host))
    overlap, filled = _overlap(host), _filled(host)
    fed = next((h for h in starts.hosts if _fed_ratio(h) >= NAMED.value), None)
    if fed and (overlap > OVERLAP.value or filled < HANDED_OVER.value):
        return _fed_one_by_one(fed, ledger)
    if overlap > OVERLAP.value:
        return Passed(say(OVERLAPS, overlap=overlap))
    if filled < HANDED_OVER.value:
        return Passed(say(NO_TURNS, overlap=overlap, filled=filled))
    between, n = host.turns, len(host.names)
    order, whole = _order(between), _whole_turns(host)
    if order is COPY:
        wasted = _extent_ns(host) - np.maximum(host.max_ns, _sending_ns(ledger, host))
    else:
        wasted = host.union_ns - host.max_ns if whole is None else _wasted(host, *whole)
    waste = max(0, int(np.median(wasted)))
    return Found(
        summary=together(say(SERIAL, n=n, host=host.host, overlap=overlap, waste=waste), order.said),
        cause=say(CAUSE_COPY if order is COPY else CAUSE_COLLECTIVE if order is COLLECTIVE else CAUSE_HOST if order is HOST else "", n=n),
        evidence=(
            Evidence("computing at the same time", overlap, "ratio", OVERLAP.value, "kernels of all GPUs of a step"),
            Evidence("extent in which some GPU computes or copies", filled, "ratio", HANDED_OVER.value, "kernels and copies of all GPUs of a step"),
            Evidence("busiest GPU", int(np.median(host.max_ns)), "ns", None, "compute per step, median"),
            Evidence("all GPUs together", int(np.median(host.union_ns)), "ns", None, "time in which any GPU computes, median"),
            *([
                Evidence("hand-overs from GPU to GPU", between.handovers_count, "count", None, "kernels of judged steps"),
                Evidence("hand-overs behind a copy between GPUs", between.copy_ratio, "ratio", NAMED.value, "events MemcpyP2P that the next GPU's first kernel follows at once"),
                Evidence("hand-overs behind a collective", between.collective_ratio, "ratio", NAMED.value, "collective kernels that the next GPU's first kernel follows at once"),
                Evidence("hand-overs behind a wait of the host", between.host_ratio, "ratio", NAMED.value, "synchronizing calls and copies to the host that end before the next GPU's launch"),
            ] if between else []),
        ),
        where=_places(host),
        claims=claimed(ledger, WAITING, waste),
        basis=BASIS_COPY if order is COPY else BASIS_KERNELS if whole is None else BASIS_TURNS,
        confidence="high" if len(host.step) > 1 else "medium",
        advice=order.case,
    )  # fmt: skip


def _fed_ratio(host: HostStarts) -> float:
    """The share of GPUs' begins of a step for which the host has waited for the GPU before; 0 unless they begin
    one by one.

    Afterwards they may work together, as they do on the exchange of gradients and the update.
    """
    any_ns, all_ns = int(host.starting_union_ns.sum()), int(host.starting_sum_ns.sum())
    in_turn = any_ns >= MOSTLY * int(host.spread_ns.sum()) and all_ns - any_ns <= OVERLAP.value * any_ns
    return host.turns.fed_count / ((len(host.names) - 1) * len(host.step)) if host.turns and in_turn else 0.0


def _fed_one_by_one(host: HostStarts, ledger: Ledger) -> Found:
    """The finding that the host feeds its GPUs one by one."""
    spread = int(np.median(host.spread_ns))
    return Found(
        summary=together(say(ONE_BY_ONE, n=len(host.names), host=host.host, spread=spread), HOST.said),
        cause=say(CAUSE_HOST, n=len(host.names)),
        evidence=(
            Evidence("from the first GPU's begin to the last one's", spread, "ns", None, "first kernel of each GPU, median of the steps"),
            Evidence("begins behind a wait of the host", _fed_ratio(host), "ratio", NAMED.value, "synchronizing calls and copies to the host that end before the next GPU's launch"),
            Evidence("busiest GPU", int(np.median(host.max_ns)), "ns", None, "compute per step, median"),
        ),
        where=_places(host),
        claims=claimed(ledger, WAITING, spread),
        basis=BASIS_BEGINS,
        confidence="high" if len(host.step) > 1 else "medium",
        advice=HOST.case,
    )  # fmt: skip


def _sending_ns(ledger: Ledger, host: HostStarts) -> _Ints:
    """Per step, the time in which a GPU only copies to others; of the GPU that does so longest."""
    devices = next(h for h in ledger.hosts if h.host == host.host).devices
    account = ACCOUNTS.index("copy.d2d")
    times = [d.sums_ns[host.step, account] for d in devices if d.index in host.devices]
    return np.asarray(np.max(times, axis=0))


def _order(turns: HostTurns | None) -> Order:
    """What lies between the work of one GPU and the next in nearly all hand-overs."""
    if turns is None:
        return UNKNOWN
    shares = ((COPY, turns.copy_ratio), (COLLECTIVE, turns.collective_ratio), (HOST, turns.host_ratio))
    return next((order for order, share in shares if share >= NAMED.value), UNKNOWN)


def _overlap(host: HostStarts) -> float:
    possible = int((host.sum_ns - host.max_ns).sum())
    return int((host.sum_ns - host.union_ns).sum()) / possible if possible else 1.0


def _filled(host: HostStarts) -> float:
    extent = int(_extent_ns(host).sum())
    turns = _whole_turns(host)
    filled = host.work_ns.sum() if turns is None else max(host.work_ns.sum(), turns[0].sum())
    return int(filled) / extent if extent else 0.0


def _extent_ns(host: HostStarts) -> _Ints:
    return np.asarray(host.last_ns.max(axis=0) - host.first_ns.min(axis=0))


def _wasted(host: HostStarts, turns_ns: _Ints, longest_ns: _Ints) -> _Ints:
    """Per step: all turns but the longest, and the time between turns without copies."""
    copies = host.work_ns - host.union_ns
    return turns_ns - longest_ns + np.maximum(0, _extent_ns(host) - turns_ns - copies)


def _whole_turns(host: HostStarts) -> tuple[_Ints, _Ints] | None:
    """Per step, the time in which any GPU is between its first and last kernel, and the longest of one GPU;
    ``None`` if these times overlap much: then only kernels tell whose turn it is."""
    order = np.argsort(host.first_ns, axis=0, kind="stable")
    first, last = (np.take_along_axis(times, order, axis=0) for times in (host.first_ns, host.last_ns))
    until = np.maximum.accumulate(last, axis=0)
    begin = np.concatenate([first[:1], np.maximum(first[1:], until[:-1])])
    any_ns, each = np.maximum(0, last - begin).sum(axis=0), last - first
    longest, total = each.max(axis=0), each.sum(axis=0)
    possible = int((total - longest).sum())
    if int((total - any_ns).sum()) > OVERLAP.value * possible:
        return None
    return any_ns, longest


def _places(host: HostStarts) -> tuple[Place, ...]:
    return tuple(
        Place(
            host.host, int(host.first_ns[:, k].min()) / 1e6, int(host.last_ns[:, k].max()) / 1e6,
            "GPUs take turns", None, None, int(host.number[k]),
        )
        for k in np.argsort(-_extent_ns(host), kind="stable")[:PLACES_COUNT].tolist()
    )  # fmt: skip


RULE = declared(judge, thresholds=(OVERLAP, HANDED_OVER, NAMED), needs=("clocks", "other GPUs"))
