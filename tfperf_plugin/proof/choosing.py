"""Which switches a tuning tries, and which of them it proves together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from tfperf_plugin.proof.trial import LaunchFailed
from tfperf_plugin.proof.tuning import Look
from tfperf_plugin.recording.switches import SWITCHES, parsed, parts
from tfperf_plugin.recording.switches.switch import Switch
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.commands import switches_of

LOOKS: Final = 3
"""Switches that are tried without ``--budget``: 30 launches, with those of the proof."""
MAY_HELP: Final = 0.97
"""A change whose quick trial is unproven is tried again if a step takes less than this share of its time."""


def chosen(
    report: Report, only: Sequence[str], skipped: Collection[str], allowed: Collection[str]
) -> dict[str, str]:
    """Switch → id of the finding that names it, or "": in the order of what findings save, then what often
    helps in such a program."""
    named = {
        parsed(text): finding.id
        for finding in report.findings
        if finding.severity != "info"
        for text in switches_of(finding)
        if _is_allowed(parts(text)[0], allowed)
    }
    work = report.workload
    frameworks = {work.framework, "Keras" if work.keras else ""}
    general = [
        parsed(switch.id)
        for switch in SWITCHES
        if switch.helps_often and frameworks.intersection(switch.works_in)
    ]
    wanted = only or dict.fromkeys((*named, *general))
    return {text: named.get(text, "") for text in wanted if parts(text)[0].id not in skipped}


def _is_allowed(switch: Switch, allowed: Collection[str]) -> bool:
    """Whether a switch may be tried without being named: nobody keeps a probe, and equal losses show that the
    training is the same."""
    is_seen = switch.alters == "training" and "Losses" not in switch.differs
    return bool(switch.shows) or is_seen or switch.alters in ("nothing", *allowed)


def may_help(text: str, look: Look) -> bool:
    """Whether a change is worth a whole trial."""
    if isinstance(look, LaunchFailed) or look.effect is None or parts(text)[0].shows:
        return False
    return look.verdict == "better" or (look.verdict == "unproven" and look.effect.ratio < MAY_HELP)
