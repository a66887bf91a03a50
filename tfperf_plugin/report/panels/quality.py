"""How far a report can be relied on, by what was captured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.evidence_level import STRONG_COUNT, THIN
from tfperf_plugin.judging.engine.run import Outcome, doubts_of
from tfperf_plugin.judging.engine.words import between, count, listing, percent
from tfperf_plugin.report.model import CaptureQuality, Reason, Report

ALIKE_RATIO: Final = 0.1
LOSSES_COUNT: Final = 3
WITHOUT_OPS: Final = "The host's ops were not recorded (PyTorch: ProfilerActivity.CPU)"
WITHOUT_LAUNCHES: Final = "Most calls that launch kernels were not recorded"
_OF_GPUS: Final = {"no-device-events", "one-host-of-many"}
LEAST_RATIO: Final = 0.001
"""A smaller spread would read as 0.0 %."""


def capture_quality(
    devices: Devices,
    steps: Steps,
    ledger: Ledger | None,
    outcome: Outcome,
    capture: Capture,
    losses: Sequence[str],
) -> CaptureQuality:
    """The level, and each reason for it. ``losses``: what the files lost, a sentence each."""
    doubts = doubts_of(outcome.trust)
    on_cpu = outcome.on_cpu
    parts = {"framework ops": WITHOUT_OPS, "launches": WITHOUT_LAUNCHES}
    without = [text for aspect, text in parts.items() if aspect in capture.lacks and devices.participating]
    unproblematic = (devices.participating or on_cpu) and not (outcome.trust or losses or without)
    reasons = (
        _whole_steps(steps, ledger),
        *(Reason(False, note.title) for note in doubts),
        *(Reason(False, sentence.partition(". ")[0].rstrip(".")) for sentence in losses[:LOSSES_COUNT]),
        *((Reason(True, "No problem of the capture found"),) if unproblematic else ()),
        _checks(len(outcome.missing_data)),
        *(Reason(False, text) for text in without),
        # These notes say which GPUs were recorded.
        *(() if {note.id for note in doubts} & _OF_GPUS or on_cpu else (_gpus(devices),)),
        *((Reason(True, "The model ran on the CPU, whose ops were recorded"),) if on_cpu else ()),
    )
    return CaptureQuality(outcome.level, reasons)


def _whole_steps(steps: Steps, ledger: Ledger | None) -> Reason:
    number = steps.complete_count
    if not steps.judged_count:
        return Reason(False, "No steps were told apart")
    rare = steps.rare_count
    several = steps.source == "recording" or any(len(host) > 1 for host in steps.hosts)
    none = "No whole step" if several else "One step, not the time after it"
    text = count(number, "usual step" if rare else "whole step") if number else none
    lengths = (Steps(tuple(host.steps for host in ledger.hosts)) if ledger else steps).lengths_ns.tolist()
    if number > 1 and lengths:
        spread = (max(lengths) - min(lengths)) / max(1, min(lengths))
        alike, within = spread < ALIKE_RATIO, f" within {percent(max(spread, LEAST_RATIO))}"
        text += within if alike else f", {between(min(lengths), max(lengths))}"
    if 0 < number < STRONG_COUNT:
        text = f"Only {text}{_left_out(steps)}"
    if rare:
        text += f"; {rare} far longer {'one is' if rare == 1 else 'ones are'} left out"
    return Reason(number >= STRONG_COUNT, text)


def _left_out(steps: Steps) -> str:
    """ "; 1 warm-up step and 1 incomplete step are left out", of the host with most whole steps, or ""."""
    left = max(steps.hosts, key=lambda host: host.whole_count).left_out
    del left["rare long"]
    parts = [count(number, f"{reason} step") for reason, number in left.items() if number]
    return f"; {listing(parts)} {'is' if sum(left.values()) == 1 else 'are'} left out" if parts else ""


def _checks(missing: int) -> Reason:
    if missing:
        return Reason(False, f"{count(missing, 'check')} lacked data")
    return Reason(True, "Every check had its data")


def _gpus(devices: Devices) -> Reason:
    working, seen = len(devices.participating), len(devices.all)
    if not working:
        return Reason(False, "No GPU events were recorded")
    hidden = len(devices.unrecorded)
    if hidden:
        return Reason(False, f"{working} of {working + hidden} GPUs were recorded")
    if seen > working:
        return Reason(False, f"{working} of {seen} GPUs ran kernels")
    return Reason(
        True,
        {1: "The GPU was recorded", 2: "Both GPUs were recorded"}.get(
            working, f"All {working} GPUs were recorded"
        ),
    )


def is_thin(report: Report) -> bool:
    """Whether so little was recorded that a projection is a bound only."""
    return report.capture_quality is not None and report.capture_quality.level in THIN


def is_loose(report: Report, fixes: Iterable[int]) -> bool:
    """Whether only the least that a step takes once the findings of these ranks are fixed is known."""
    return is_thin(report) or any(report.findings[rank - 1].confidence == "low" for rank in fixes)
