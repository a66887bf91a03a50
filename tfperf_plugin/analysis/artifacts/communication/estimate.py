"""Estimates how long AllReduce should take: the guide's estimate, the ring bound, and the link's time in
practice.

The guide's estimate is parameters × 4 bytes / bandwidth. A ring moves the bytes 2(n−1)/n times over each
link, so its bound is that much longer for n > 2 (nccl-tests' definition of bus bandwidth).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.allreduce import (
    FLOAT_BYTES,
    AllReduceTimes,
    SizeShare,
    ring_factor,
)
from tfperf_plugin.analysis.artifacts.compute.parameters import ParametersEstimate
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.columns import agreed
from tfperf_plugin.hardware.links import (
    PCIE_WAYS,
    LinkRate,
    SlowestLink,
    implied_link,
    line_rate,
    link_carrying,
    link_rate,
    slowest_link,
)
from tfperf_plugin.hardware.models import candidates
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record

ParametersSource = Literal["given", "recorded", "estimated", "unknown"]
# If the rate is known for less than this share of the bytes, the rate of large messages stands for all.
KNOWN_BYTES_RATIO = 0.9
# No link between GPUs is faster: NVLink 5 has 900 GB/s per direction.
FASTEST_GBPS = 1000
# Measured bandwidth that is more than this above what a stated one allows contradicts it.
REFUSED_RATIO = 1.1
# The time to start a call: 17 µs between 8 H100 and 50 µs between 8 V100 in published sweeps at 16 kB.
STARTUP_NS = 50_000
_NONE = NotApplicable("There is no AllReduce to estimate.")


class Stated(Record, frozen=True):
    """Values that the user states; ``None`` where not stated."""

    parameters: int | None = None
    bandwidth_gbps: float | None = None  #: GB/s per GPU and direction.
    bandwidth_basis: str = "as given"
    steps_per_epoch: int | None = None  #: Training steps in an epoch, without those of its validation.


class LinkChoice(Record, frozen=True):
    """A link that the GPUs may have."""

    gpu: str  # the model whose boards have it
    typed: str  # as the user states it, "NVLink 4"


class AllReduceEstimate(Record, frozen=True):
    """Estimates for one step; ``None`` where neither the profile nor the user says enough."""

    participants: int
    hosts_count: int
    size_bytes: int | None  #: Size of the reduced arrays.
    size_basis: str
    parameters: int | None
    parameters_source: ParametersSource
    parameters_basis: str
    bandwidth_gbps: float | None  #: Bandwidth of ``guide_ns`` and ``ring_bound_ns``, GB/s.
    bandwidth_basis: str
    line_rate_gbps: float | None  #: Rate of all links of a GPU in one direction, GB/s.
    guide_ns: int | None  #: Parameters × 4 bytes / bandwidth, the guide's estimate.
    ring_bound_ns: int | None  #: Least time of a ring at the bandwidth.
    achievable_ns: int | None  #: Time at the bandwidth that the link reaches in practice.
    achievable_basis: str
    #: Whether ``achievable_ns`` counts each call by its size; otherwise as if all calls were large.
    achievable_by_size: bool
    sizes: tuple[LinkRate | None, ...]
    steps_per_call: int  #: Training steps in one marked step.
    slowest: SlowestLink | None = None  #: Where the link is not known: the slowest link that such GPUs have.
    slowest_ns: int | None = None  #: Time of all calls over the slowest link.
    #: Where the link is not known: bus bandwidth of this profile's own largest calls, GB/s.
    largest_gbps: float | None = None
    largest_ns: int | None = None  #: Time of all bytes at ``largest_gbps``.
    #: Where the link is not known: those of the models that the GPUs' name may stand for, but for what is
    #: slower than measured.
    links: tuple[LinkChoice, ...] = ()

    @property
    def bound_ns(self) -> int | None:
        """The transfer time to compare with the measured one, at the stated bandwidth if there is one."""
        known = [t for t in (self.ring_bound_ns, self.achievable_ns) if t is not None]
        return max(known, default=None)


def finish(
    devices: Devices,
    times: AllReduceTimes | None,
    parameters: ParametersEstimate | None,
    facts: TrainingFacts | None,
    stated: Stated,
    capture: Capture,
) -> AllReduceEstimate | NotApplicable:
    """Estimates beside ``times``; without any time, only if the number of parameters is known.

    Args:
        devices: for the GPUs' names, which tell the link.
        times: what was measured; ``None`` if no AllReduce was recorded.
        parameters: estimated from the profile.
        facts: what the training wrote down: parameters, links between GPUs, training steps per call.
        stated: what the user states.
        capture: for the number of machines.
    """
    participants = times.participants if times else len(devices.participating)
    if participants < 2:
        return _NONE
    factor = ring_factor(participants)
    if parameters and times and not times.size_bytes:
        moved = parameters.count * factor * times.element_bytes
        if moved > FASTEST_GBPS * (times.transfer_ns + times.wait_ns):  # no link carries that
            parameters = None
    number, source, basis = _parameters(parameters, facts, stated)
    if times is None and number is None:
        return _NONE
    # A marked step may be one call of several training steps, each with its own exchange.
    per_call = (facts and facts.steps_per_execution) or 1
    size, size_basis = _size(times, number and number * per_call)
    hosts_count = times.hosts_count if times else len({d.host for d in devices.participating})
    hosts_count = min(hosts_count, capture.machines_count)
    gpu = agreed(d.name for d in devices.participating)
    one_host = hosts_count == 1 and not (times and times.unseen)
    models = candidates(gpu) if gpu is not None and one_host else ()
    name = models[0] if len(models) == 1 else ""  # "" if not known
    links = {link.kind for link in (facts.links if facts and facts.links else ())}
    link = max(links, key=_distance, default=None) if name else None
    rate = link_rate(name, participants, link=link)
    rates = tuple(_rate_of(link, name, s) for s in times.sizes) if times else ()
    measured = times.sizes[-1].busbw_gbps if times and times.sizes and one_host else None
    given, refused = stated.bandwidth_gbps, ""
    # Where a switch adds up, each byte crosses a link once instead of ``factor`` times.
    if given and measured and measured > REFUSED_RATIO * factor * given:
        given, refused = None, f"{given:g} GB/s is refused: the largest calls reach {measured:.3g} GB/s"
    bandwidth = given or (rate.busbw_gbps if rate else None)
    wire = times.wire_bytes if times and times.wire_bytes else size and round(size * factor)
    achievable_ns, achievable_basis, by_size = _achievable(times, rates, rate, wire)
    if given and rate and given < rate.busbw_gbps:
        # The user states another link than the GPU's name implies.
        achievable_ns, achievable_basis, by_size = None, "not known for the stated bandwidth", False
    implied = ((model, implied_link(model)) for model in (models if bandwidth is None else ()))
    choices = tuple(
        LinkChoice(model, found.name) for model, found in implied if found and found.carries(measured or 0)
    )
    # Between hosts the network counts, which the GPUs' name does not tell.
    slowest = slowest_link(name) if name and bandwidth is None else None
    over_slowest = _time(wire, slowest.busbw_gbps) if slowest else None
    largest = None
    if bandwidth is None and times and len(times.sizes) > 1:
        largest = times.sizes[-1].busbw_gbps  # of the largest calls, as there are smaller ones
    implied_by = rate.source if rate else _at_the_least(measured, slowest)
    return AllReduceEstimate(
        participants=participants,
        hosts_count=hosts_count,
        size_bytes=size,
        size_basis=size_basis,
        parameters=number,
        parameters_source=source,
        parameters_basis=basis,
        bandwidth_gbps=bandwidth,
        bandwidth_basis="; ".join(filter(None, (refused, stated.bandwidth_basis if given else implied_by))),
        line_rate_gbps=line_rate(name) if name else None,
        guide_ns=_time(number and number * FLOAT_BYTES * per_call, bandwidth),
        ring_bound_ns=_time(wire, bandwidth),
        achievable_ns=achievable_ns,
        achievable_basis=achievable_basis,
        achievable_by_size=by_size,
        sizes=rates,
        steps_per_call=per_call,
        slowest=slowest,
        slowest_ns=over_slowest + round(times.calls_per_step * STARTUP_NS)
        if over_slowest and times
        else None,
        largest_gbps=largest,
        largest_ns=_time(wire, largest),
        links=choices,
    )


_UNKNOWN_LINK = "the link between these GPUs is not known"


def _parameters(
    estimate: ParametersEstimate | None, facts: TrainingFacts | None, stated: Stated
) -> tuple[int | None, ParametersSource, str]:
    if stated.parameters:
        return stated.parameters, "given", "as given"
    if facts and facts.parameters:
        return facts.parameters, "recorded", "trainable parameters, recorded by the training"
    if estimate:
        return estimate.count, "estimated", estimate.basis
    return None, "unknown", "neither the bytes of collectives nor shapes of weights were recorded"


def _size(times: AllReduceTimes | None, parameters: int | None) -> tuple[int | None, str]:
    """Bytes of the arrays that a marked step reduces, of so many ``parameters``, and how they are known."""
    if times and times.size_bytes:
        return times.size_bytes, "recorded with each call"
    if not parameters:
        return None, "not recorded"
    element = times.element_bytes if times else FLOAT_BYTES
    return parameters * element, f"parameters × {element} bytes"


def _at_the_least(measured: float | None, slowest: SlowestLink | None) -> str:
    """That the link is not known, and which it is at the least: what the profile's own calls reach bounds it
    from below, too."""
    carrying = link_carrying(measured * 1e9) if measured else None
    if measured and carrying and measured > (slowest.busbw_gbps if slowest else 0):
        return f"{_UNKNOWN_LINK}; at the least {carrying.name}: {measured:.3g} GB/s were measured"
    least = f"; at the least {slowest.name}, about {slowest.busbw_gbps:.3g} GB/s" if slowest else ""
    return _UNKNOWN_LINK + least


def _distance(link: str) -> tuple[int, int]:
    """A rank of links by speed, the slowest highest: PCI Express by the devices in between, then NVLink by
    its number of links."""
    if link in PCIE_WAYS:
        return PCIE_WAYS.index(link) + 1, 0
    return 0, -int(link[2:]) if link[2:].isdecimal() else 0


def _rate_of(link: str | None, name: str, size: SizeShare) -> LinkRate | None:
    return link_rate(name, size.participants, round(size.size_bytes / size.calls_per_step), link)


def _achievable(
    times: AllReduceTimes | None,
    rates: Sequence[LinkRate | None],
    large: LinkRate | None,
    wire_bytes: int | None,
) -> tuple[int | None, str, bool]:
    """Time at the link's bandwidth in practice, its source, and whether it is known size by size."""
    sizes = times.sizes if times else ()
    pairs = [(s.wire_bytes, r) for s, r in zip(sizes, rates, strict=True) if r]
    known = sum(wire for wire, _ in pairs)
    if wire_bytes and known >= KNOWN_BYTES_RATIO * wire_bytes:
        time = sum(wire / rate.busbw_gbps for wire, rate in pairs) * wire_bytes / known
        return round(time), "; ".join(dict.fromkeys(rate.source for _, rate in pairs)), True
    if large is None:
        return None, _UNKNOWN_LINK, False
    basis = f"{large.source}, at large sizes; small calls reach less"
    return _time(wire_bytes, large.busbw_gbps), basis, False


def _time(size_bytes: int | None, gbps: float | None) -> int | None:
    """Nanoseconds that the bytes take at a bandwidth in GB/s: both scales are 10^9."""
    return round(size_bytes / gbps) if size_bytes and gbps else None
