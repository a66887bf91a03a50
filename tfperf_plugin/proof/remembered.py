"""What a trial adds to the history: its times, its verdict, and what equal launches differed by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from statistics import fmean

from tfperf_plugin.proof.floor import equal_changes
from tfperf_plugin.proof.history import Row, workload
from tfperf_plugin.proof.measured import Measured, levels
from tfperf_plugin.proof.plan import Plan
from tfperf_plugin.proof.verdict import Verdict


def row_of(plan: Plan, done: Sequence[Measured], found: Verdict) -> Row | None:
    """A line of the history; None if the times say nothing. ``done``: all launches, in their order.

    The workload is told apart as reports tell it, see ``compare.several.workload_of``.
    """
    if found.effect is None:
        return None
    facts = done[-1].launch.facts
    trainable, loads = facts.trainable_parameters, [m.others for m in done if m.others is not None]
    is_equal = plan.aa and found.verdict != "suspicious"
    return Row(
        time=f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        workload=workload(
            parameters=facts.parameters if trainable is None else trainable,
            dtype=facts.policy,
            batch=facts.batch_size,
            devices=sorted(set(done[-1].gpus)),
        ),
        revision=found.commit[:12],
        versions=facts.versions or {},
        environment=facts.environment or {},
        ms=found.b_ns / 1e6,
        sd=found.effect.sd,
        findings=(plan.finding,) if plan.finding else (),
        verdict="" if is_equal else found.verdict,
        change=None if is_equal else found.effect.ratio - 1,
        equal=equal_changes(levels(plan, done)) if is_equal else (),
        load=fmean(loads) if loads else None,
    )
