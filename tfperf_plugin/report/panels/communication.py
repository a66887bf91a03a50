"""Communication: the AllReduce card, whose numbers say in words how they are known; collectives by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import (
    EXCHANGES,
    LEVELS,
    AllReduceDevice,
    AllReduceTimes,
    ring_factor,
)
from tfperf_plugin.analysis.artifacts.communication.calls import NAMED_KINDS, CollectiveCalls
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate
from tfperf_plugin.analysis.collectives import KINDS, NAMES
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.judging.engine.words import count, gigabytes, gpu, listing, ms, number_text, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.model import AllReduce, Collective, Facts, Number, Quantity
from tfperf_plugin.report.options import doubts
from tfperf_plugin.report.tables import Described, column, row_of, table

# Waiting, hidden time and slowness below this share of the measured time are not mentioned.
WORTH_SAYING_RATIO = 0.1


# What is copied from a measurement, and what stands for it without one.
_MEASURED: Final = {
    "calls_per_step": 0.0, "transfer_ns": None, "wait_ns": None, "busbw_gbps": None, "devices": (),
    "steps": (), "calls": (), "calls_total": 0,
}  # fmt: skip


def allreduce_card(times: AllReduceTimes | None, estimate: AllReduceEstimate) -> model.AllReduce:
    """The card. Without ``times``, the measured values are ``None``."""
    measured = times.transfer_ns + times.wait_ns if times else None
    exposed = min(times.exposed_ns, times.transfer_ns + times.wait_ns) if times else None
    applies = _guide_applies(times)
    card = row_of(
        model.AllReduce,
        estimate,
        kinds=tuple(KINDS[kind] for kind in EXCHANGES[times.exchange]) if times else (),
        guide_applies=applies,
        guide_ns=estimate.guide_ns if applies else None,
        bytes_per_step=estimate.size_bytes,
        bytes_source=estimate.size_basis,
        bandwidth_source=_bandwidth_source(estimate),
        achievable_source=estimate.achievable_basis,
        measured_ns=measured,
        exposed_ns=exposed,
        hidden_ns=measured - exposed if measured is not None and exposed is not None else None,
        difference=_difference(times, estimate),
        title=_title(times),
        sizes=tuple(
            model.AllReduceSize(
                s.up_to_bytes, s.calls_per_step, s.size_bytes, s.transfer_ns, s.busbw_gbps,
                rate.busbw_gbps if rate else None, rate.source if rate else "",
            )
            for s, rate in zip(times.sizes if times else (), estimate.sizes, strict=True)
        ),
        **{name: getattr(times, name, without) for name, without in _MEASURED.items()},
    )  # fmt: skip
    if times and times.unseen and not times.wait_ns:
        # Waiting for GPUs that were not recorded counts as transfer.
        card = replace(card, wait_ns=None)
    return replace(card, numbers=tuple(quantities(card)))


def _guide_applies(times: AllReduceTimes | None) -> bool:
    """Whether the guide estimates these calls: not if they join parts of the model, or weights are
    sharded."""
    return times is None or (times.of_gradients and times.exchange != "sharded_weights")


def _bandwidth_source(estimate: AllReduceEstimate) -> str:
    hint = doubts(estimate.bandwidth_gbps, estimate.line_rate_gbps) if estimate.bandwidth_gbps else ""
    return f"{estimate.bandwidth_basis}. {hint}" if hint else estimate.bandwidth_basis


def _difference(times: AllReduceTimes | None, estimate: AllReduceEstimate) -> str:
    """Sentences about why measured and estimated times differ, or why one of them is not known."""
    if times is None and estimate.guide_ns is None:
        return (
            "No collective was recorded in this profile. With the bandwidth, estimates say what AllReduce "
            "should take."
        )
    if times is None:
        return "No collective was recorded in this profile: there is nothing to compare the estimates with."
    total = max(1, times.transfer_ns + times.wait_ns)
    said = []
    if times.wait_ns >= WORTH_SAYING_RATIO * total:
        late = times.by_lateness[0]
        bare = times.exposed_wait_ns >= WORTH_SAYING_RATIO * times.wait_ns
        named = f", most of all for {_named(times, late.host, late.device)}"
        whom = named if late.caused_wait_ns and bare else ""
        said.append(
            f"{ms(times.wait_ns)} of {ms(total)} is waiting until the last GPU arrives{whom}: "
            "bandwidth is not the cause."
        )
    if times.unseen:
        said.append(f"Waiting for other GPUs counts as transfer here: {times.unseen}.")
    elif times.matched_ratio < 1 - WORTH_SAYING_RATIO:
        said.append(
            f"{percent(1 - times.matched_ratio)} of the calls were not found on a second GPU; waiting inside "
            "them counts as transfer."
        )
    said += _contradiction(times, estimate)
    guide = estimate.guide_ns is not None and _guide_applies(times)
    if guide and times.participants > 2 and times.exchange not in LEVELS:
        said.append(
            f"The guide divides by the bandwidth once; in a ring of {times.participants} GPUs each byte "
            f"crosses a link {ring_factor(times.participants):.3g} times."
        )
    bound, bandwidth = estimate.ring_bound_ns, estimate.bandwidth_gbps
    if bound and bandwidth and times.busbw_gbps and times.transfer_ns > (1 + WORTH_SAYING_RATIO) * bound:
        said.append(f"The transfer reaches {times.busbw_gbps:.3g} of {bandwidth:.3g} GB/s{_small(times)}.")
    hidden = total - times.exposed_ns
    if hidden >= WORTH_SAYING_RATIO * total:
        said.append(f"Compute hides {ms(hidden)} of {ms(total)}: that part costs nothing.")
    if not times.of_gradients:
        early = f"{percent(times.early_ratio)} of the transfer begins before any gradient exists"
        said.append(
            f"{'No backward pass was recorded' if times.inference else early}: these calls join parts of the "
            "model, so that their bytes tell nothing about the number of parameters."
        )
    elif times.exchange == "sharded":
        said.append("Gradients are exchanged by reduce-scatter and all-gather, which together move as much.")
    elif times.exchange == "sharded_weights":
        said.append(
            "Gradients are summed by reduce-scatter. The all-gathers fetch weights that are sharded over the "
            "GPUs: they exchange no gradients and are not counted here."
        )
    elif times.exchange in LEVELS:
        said.append(
            "Gradients are first summed within groups of GPUs, then between the groups, and sent back: three "
            "calls instead of one."
        )
    if not _guide_applies(times):
        said.append("So parameters × 4 bytes / bandwidth does not apply.")
    return " ".join(said)


def _title(times: AllReduceTimes | None) -> str:
    if times is None:
        return "AllReduce"
    names = collective_names(KINDS[kind] for kind in EXCHANGES[times.exchange])
    apart = not times.of_gradients and times.exchange == "all_reduce"
    return f"{names} between parts of the model" if apart else names


def _contradiction(times: AllReduceTimes, estimate: AllReduceEstimate) -> list[str]:
    """A sentence if the number of parameters contradicts the measured bytes of gradients."""
    measured, number = times.gradient_bytes, estimate.parameters
    if not measured or not number or estimate.parameters_source not in ("given", "recorded"):
        return []
    expected = number * times.element_bytes * estimate.steps_per_call
    if abs(measured / expected - 1) < WORTH_SAYING_RATIO:
        return []
    return [
        f"{number:,} parameters make {gigabytes(expected)} of gradients, measured are {gigabytes(measured)}: "
        "the guide's estimate rests on the former, the ring bound on the latter."
    ]


def _small(times: AllReduceTimes) -> str:
    if not times.size_bytes or times.calls_per_step < 2:
        return ""
    calls = round(times.calls_per_step)
    return f", in {count(calls, 'call')} of {gigabytes(times.size_bytes / times.calls_per_step)} on average"


def _named(times: AllReduceTimes, host: str, device: str) -> str:
    several = len({d.host for d in times.devices}) > 1
    return f"{host} {gpu(device)}" if several else gpu(device)


_MEANINGS: Final = {
    "achievable_gbps": "What published measurements of the same link reach at such sizes.",
}
_Size = tuple[str, model.AllReduceSize]
_SIZES: Final[tuple[Described[_Size], ...]] = (
    column("size", "Size", "text", lambda of: of[0]),
    column("calls_per_step", "Calls per step", "count", lambda of: of[1].calls_per_step),
    column("bytes_per_step", "Bytes per step", "bytes", lambda of: of[1].bytes_per_step),
    column("transfer_ns", "Transfer per step", "ns", lambda of: of[1].transfer_ns),
    column("busbw_gbps", "Bus bandwidth", "GB/s", lambda of: of[1].busbw_gbps, none="not known"),
    column("achievable_gbps", "Achievable", "GB/s", lambda of: of[1].achievable_gbps, none="not known"),
    column("achievable_source", "Source of the achievable", "text", lambda of: of[1].achievable_source),
)


def size_table(sizes: tuple[model.AllReduceSize, ...]) -> model.Table:
    """Calls by their size, the smallest first."""
    limits = [one.up_to_bytes for one in sizes]
    rows = []
    for below, one in zip((None, *limits), sizes, strict=False):
        largest = "largest" if below is None else f"more than {gigabytes(below)}"
        rows.append((largest if one.up_to_bytes is None else f"up to {gigabytes(one.up_to_bytes)}", one))
    return table("sizes", "By size of the call", rows, _SIZES, 0, meanings=_MEANINGS)


# ----------------------------------------------------------------------------------- numbers

_SOURCES: Final = {
    "given": "as typed",
    "recorded": "recorded by the training",
    "estimated": "estimated from the profile",
    "unknown": "",
}
# How to state what estimates start from.
_STATE: Final = {
    "parameters": "give --parameters, like 25.6M",
    "bandwidth of one GPU": "give --bandwidth, like 'NVLink 3'",
}
_GUIDE: Final = "parameters × 4 bytes / bandwidth"
_PRACTICE: Final = "what such links reach"


def quantities(card: AllReduce) -> Iterator[Quantity]:
    """What the estimates start from, the estimates, and what was measured."""
    measured, ring = card.measured_ns is not None, _ring(card)
    # Without a bandwidth there is no estimate.
    shown: Literal["card", "table"] = "card" if card.bandwidth_gbps else "table"
    time = _known(card.transfer_ns, "ns") if measured else "not recorded"
    rate = "bytes not recorded" if measured else "no collective"
    if card.busbw_gbps:
        rate = f"{_known(card.busbw_gbps, 'GB/s')} of bus bandwidth"
    yield Quantity("parameters", _known(card.parameters, "count"), _parameters_known(card))
    yield Quantity("bandwidth of one GPU", _known(card.bandwidth_gbps, "GB/s"), card.bandwidth_source)
    yield Quantity("bytes per step", _known(card.bytes_per_step, "bytes"), card.bytes_source)
    yield Quantity("measured transfer", time, rate, rate, "card")
    if card.guide_applies:
        yield Quantity("guide estimate", _known(card.guide_ns, "ns"), _GUIDE, _GUIDE, shown)
    yield Quantity("ring bound", _known(card.ring_bound_ns, "ns"), ring, ring, shown)
    achievable, reached = card.achievable_ns, card.achievable_source or _PRACTICE
    # Of a stated bandwidth nobody measured it.
    place = shown if achievable is not None else "table"
    yield Quantity("achievable", _known(achievable, "ns"), reached, _PRACTICE, place)
    if measured:
        most = waited_for(card)
        often = f", last in {percent(late.last_ratio)} of the calls" if most and (late := _late(card)) else ""
        yield Quantity("measured waiting", _known(card.wait_ns, "ns"), most + often, most, "below")
        yield Quantity("exposed", _known(card.exposed_ns, "ns"), "no compute hides it", "", "below")
        yield Quantity("hidden", _known(card.hidden_ns, "ns"), "under compute: costs nothing", "", "below")


def known_quantities(card: AllReduce) -> Facts:
    """The known numbers of the card, and how to state those that estimates start from."""
    where = f" on {count(card.hosts_count, 'host')}" if card.hosts_count > 1 else ""
    calls = f", {card.calls_per_step:.3g} {'call' if card.calls_per_step == 1 else 'calls'} per step"
    title = f"{card.title} as recorded on {count(card.participants, 'GPU')}{where}"
    found = []
    for one in card.numbers:
        unknown = one.value in ("not known", "not recorded")
        if not unknown or one.term in _STATE:
            note = "; ".join(filter(None, (one.known, _STATE[one.term] if unknown else "")))
            found.append(Number(one.term, one.value, "text", note))
    return Facts(title + (calls if card.measured_ns is not None else ""), tuple(found))


def waited_for(card: AllReduce) -> str:
    """The GPU for which more than half of the waiting is, "mostly for GPU 3"; "" if there is none."""
    most = _late(card)
    if most is None or not card.wait_ns:
        return ""
    return f"mostly for {gpu(most.device, most.host if card.hosts_count > 1 else '')}"


def besides(card: AllReduce | None, collectives: tuple[Collective, ...]) -> str:
    """What no estimate covers: all collectives, or most of their time; "" if estimates cover most of it."""
    if card is None:
        if not collectives:
            return "No collective between these GPUs was recorded in these steps."
        names = collective_names(one.kind for one in collectives)
        return f"These steps run {names}, and no AllReduce between several GPUs: {_GUIDE} does not apply."
    if not card.measured_ns or 2 * counted_ns(card, collectives) >= sum(one.ns for one in collectives):
        return ""
    most = collectives[0].name
    return f"Most of the communication is {most}. Estimates are for the exchange of gradients only."


def _late(card: AllReduce) -> AllReduceDevice | None:
    half = sum(device.caused_wait_ns for device in card.devices) / 2
    return next((device for device in card.devices if device.caused_wait_ns > half), None)


def _parameters_known(card: AllReduce) -> str:
    source, basis = _SOURCES[card.parameters_source], card.parameters_basis
    return f"{source}: {basis}" if basis and card.parameters_source == "estimated" else basis or source


def _known(value: float | None, unit: str) -> str:
    return "not known" if value is None else number_text(value, unit)


def _ring(card: AllReduce) -> str:
    if card.kinds not in ((), ("all_reduce",)):
        return "bytes sent / bandwidth"
    return f"bytes × {2 * (card.participants - 1) / card.participants:.3g} / bandwidth"


# ------------------------------------------------------------------------------- collectives by kind


def collectives(ledger: Ledger, calls: CollectiveCalls) -> tuple[model.Collective, ...]:
    """Each kind of call in judged steps, longest first."""
    gpus, rows = calls.rows(ledger)
    steps = sum(int(ledger.common(gpus[gpu][0]).sum()) for gpu in unique(rows.gpu).tolist())
    if not steps:
        return ()
    kinds = rows.named_kind
    found = []
    for kind in unique(kinds).tolist():
        mine = rows.only(kinds == kind)
        waits = int(mine.wait_ns.sum()) // steps if mine.matched.all() else None
        time = int((mine.end_ns - mine.start_ns).sum()) // steps
        name = NAMED_KINDS[kind]
        found.append(model.Collective(name, len(mine.call) / steps, time, waits, collective_names([name])))
    return tuple(sorted(found, key=lambda c: (-c.ns, c.kind)))


def counted_ns(card: model.AllReduce | None, found: tuple[model.Collective, ...]) -> int:
    """The time of the collectives that the AllReduce card is about."""
    return sum(one.ns for one in found if card and one.kind in card.kinds)


def collective_names(kinds: Iterable[str]) -> str:
    """Kinds of collectives as one name: "ReduceScatter and AllGather"."""
    names = [NAMES[kind] for kind in kinds]
    return listing(names, len(names))


_COLUMNS: Final[tuple[Described[model.Collective], ...]] = (
    column("collective", "Collective", "name", lambda one: one.name),
    column("calls_per_step", "Calls per step", "count", lambda one: one.calls_per_step),
    column("ns", "Time per step", "ns", lambda one: one.ns),
    column("wait_ns", "Of it waiting", "ns", lambda one: one.wait_ns, none="not known"),
)


def collective_table(found: tuple[model.Collective, ...]) -> model.Table:
    """The time of each kind."""
    note = "Time of all calls, hidden under compute or not; “waiting”: before the last GPU arrives."
    return table("collectives", "Communication by kind", found, _COLUMNS, len(NAMES), note=note)
