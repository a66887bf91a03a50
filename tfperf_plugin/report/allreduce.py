"""The AllReduce card: measured times beside the estimates, from what is recorded or what the user states."""

from __future__ import annotations

from tfperf_plugin.artifacts.allreduce import GUIDE_BYTES_PER_PARAMETER, AllReduceTimes, ParametersSource
from tfperf_plugin.report import model


def allreduce_card(
    times: AllReduceTimes, parameters: int | None, bandwidth_gbps: float | None
) -> model.AllReduce:
    """Estimates need a number of parameters and a bandwidth; without them they are ``None``.

    Args:
        times: what was measured.
        parameters: stated by the user; else estimated from the bytes reduced.
        bandwidth_gbps: stated by the user in 10^9 bytes/s and GPU; else what the link reaches in practice.
    """
    size = times.size_bytes
    source: ParametersSource = "given"
    if parameters is None:
        source = "estimated" if size else "unknown"
        parameters = size // times.element_bytes if size else None
    elif size is None:
        size = parameters * GUIDE_BYTES_PER_PARAMETER
    bandwidth = bandwidth_gbps or times.busbw_achievable_gbps
    return model.AllReduce(
        participants=times.participants,
        calls_per_step=times.calls_per_step,
        bytes_per_step=size,
        bytes_source=_bytes_source(times, size),
        parameters=parameters,
        parameters_source=source,
        bandwidth_gbps=bandwidth,
        bandwidth_source="as given" if bandwidth_gbps else times.link_source,
        guide_ns=_time(parameters and parameters * GUIDE_BYTES_PER_PARAMETER, 1.0, bandwidth),
        ring_bound_ns=_time(size, times.ring_factor, bandwidth),
        achievable_ns=_time(size, times.ring_factor, times.busbw_achievable_gbps),
        measured_ns=times.transfer_ns + times.wait_ns,
        transfer_ns=times.transfer_ns,
        wait_ns=times.wait_ns,
        busbw_gbps=times.busbw_gbps,
        exposed_ns=min(times.exposed_ns, times.transfer_ns + times.wait_ns),
        hidden_ns=max(0, times.transfer_ns + times.wait_ns - times.exposed_ns),
        devices=tuple(
            model.AllReduceDevice(d.host, d.device, d.transfer_ns, d.wait_ns) for d in times.devices
        ),
        steps=tuple(model.AllReduceStep(s.step, s.transfer_ns, s.wait_ns) for s in times.steps),
    )


def _bytes_source(times: AllReduceTimes, size: int | None) -> str:
    if times.size_bytes:
        return "recorded with each call"
    return "parameters × 4 bytes" if size else "not recorded"


def _time(size_bytes: int | None, factor: float, gbps: float | None) -> int | None:
    """Bytes over GB/s are nanoseconds: both scales are 10^9."""
    return round(size_bytes * factor / gbps) if size_bytes and gbps else None
