"""The numbers of the AllReduce card in words, each with how it is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice
from tfperf_plugin.judging.engine.words import count, gpu, number_text, percent
from tfperf_plugin.report.model import AllReduce, Collective, Facts, Number, Quantity
from tfperf_plugin.report.panels.collectives import collective_names, counted_ns

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
    time = _known(card.transfer_ns, "ns") if measured else "not recorded"
    rate = "bytes not recorded" if measured else "no collective"
    if card.busbw_gbps:
        rate = f"{_known(card.busbw_gbps, 'GB/s')} of bus bandwidth"
    yield Quantity("parameters", _known(card.parameters, "count"), _parameters_known(card))
    yield Quantity("bandwidth of one GPU", _known(card.bandwidth_gbps, "GB/s"), card.bandwidth_source)
    yield Quantity("bytes per step", _known(card.bytes_per_step, "bytes"), card.bytes_source)
    yield Quantity("measured transfer", time, rate, rate, "card")
    if card.guide_applies:
        yield Quantity("guide estimate", _known(card.guide_ns, "ns"), _GUIDE, _GUIDE, "card")
    yield Quantity("ring bound", _known(card.ring_bound_ns, "ns"), ring, ring, "card")
    achievable = _known(card.achievable_ns, "ns")
    yield Quantity("achievable", achievable, card.achievable_source or _PRACTICE, _PRACTICE, "card")
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
