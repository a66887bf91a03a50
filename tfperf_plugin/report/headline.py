"""The two sentences that open the report: where the step goes, and what to change first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.engine.outcome import Finding
from tfperf_plugin.engine.words import ACCOUNT_WORDS, ms, percent
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.steps import Steps

# Idle time below this share of the step is not worth a word in the headline.
_WORTH_SAYING: Final = 0.05


def headline(
    devices: Devices,
    steps: Steps,
    ledger: Ledger | None,
    findings: Sequence[Finding],
    steps_per_call: int | None = None,
) -> tuple[str, str]:
    """One sentence on the step, one on what to change first.

    ``steps_per_call``: training steps in one call of the step's function, if the training recorded it. What
    the host marks is such a call; a period of kernels may be a single step of it.
    """
    if steps.source == "period":
        steps_per_call = None
    called = steps_per_call if steps_per_call and steps_per_call > 1 else None
    if ledger and devices.unseen("starting"):
        return (
            "The recording ends while GPUs are still being started: "
            f"the {ms(ledger.step_ns)} that were recorded are no step of training.",
            "Record later, after the first steps, when all GPUs are at work.",
        )
    return _where(devices, ledger, called), _first(findings, ledger, called)


def _where(devices: Devices, ledger: Ledger | None, called: int | None) -> str:
    if ledger is None:
        if not devices.all:
            if devices.tpus_count:
                return (
                    "This profile is of TPUs, which are not judged here: what follows is about the host only."
                )
            return "No GPU was recorded: this profile shows the host only."
        if not devices.participating:
            return "Nothing was recorded on the GPUs."
        return "This profile does not tell where a training step begins."
    average, step_ns = ledger.average(), max(1, ledger.step_ns)
    partial = any(h.steps.partial for h in ledger.hosts)
    what = f"call of {called} training steps" if called else "step"
    what = f"The recorded part of one {what}" if partial else f"A {what}"
    each = f" ({ms(step_ns / called)} a step)" if called and not partial else ""
    gpus = sum(len(h.devices) for h in ledger.hosts)
    verb = "Your GPU computes" if gpus == 1 else f"Your {gpus} GPUs compute"
    sentence = f"{what} takes {ms(step_ns)}{each}. {verb} for {percent(average['compute'] / step_ns)} of it"
    account, ns = max(((a, ns) for a, ns in average.items() if a != "compute"), key=lambda x: x[1])
    if ns >= _WORTH_SAYING * step_ns:
        sentence += f"; {percent(ns / step_ns)} goes to {ACCOUNT_WORDS[account]}"
    return sentence + "."


def _first(findings: Sequence[Finding], ledger: Ledger | None, called: int | None) -> str:
    what = "call" if called else "step"
    worth = [f for f in findings if f.severity != "info"]
    if not worth:
        if ledger is None:
            return "Step times cannot be judged; the notes say what to record."
        average, step_ns = ledger.average(), max(1, ledger.step_ns)
        account, ns = max(((a, n) for a, n in average.items() if a != "compute"), key=lambda x: x[1])
        small = next((f for f in findings if f.saving), None)
        if small is not None and small.saving is not None:
            return (
                f"Nothing to fix above 5 % of a {what}. Most would bring: {small.title} "
                f"({percent(small.saving.ratio)})."
            )
        if ns < _WORTH_SAYING * step_ns:
            return f"Nothing to fix above 5 % of a {what}."
        return (
            f"No check explains the {percent(ns / step_ns)} that goes to {ACCOUNT_WORDS[account]}; "
            f"look at one {what} in the trace viewer."
        )
    first = worth[0]
    if first.saving is None:
        return f"Look first at this: {first.title}. {first.summary}"
    bound = "up to " if first.saving.bound else "about "
    return (
        f"Change this first: {first.title}. That would bring {bound}{ms(first.saving.ns)} "
        f"per {what} ({percent(first.saving.ratio)})."
    )
