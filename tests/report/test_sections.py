"""Each section's answer: one sentence of the report's own numbers, and only for what the run has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from demo.reports import demo_report
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.sections import sections


def answer(report: model.Report, id: str) -> model.Section:
    return next(section for section in report.sections if section.id == id)


def times(matched_ratio: float) -> AllReduceTimes:
    found: Any = SimpleNamespace(unseen="", matched_ratio=matched_ratio, exchange="all_reduce")
    return cast("AllReduceTimes", found)


MATCHED = times(1.0)


def changed(report: model.Report, id: str, found: AllReduceTimes | None = None, **fields: object) -> str:
    """What the section says if these fields of the report are others."""
    made = sections(replace(report, **fields), (), found)
    return next(section.answer for section in made if section.id == id)


def test_what_no_demo_run_says() -> None:
    """Golden reports hold all other answers."""
    report, hosts = demo_report("gpu_stagger"), demo_report("healthy_four_hosts").by_host
    assert report.allreduce
    even = replace(report.allreduce, wait_ns=0)
    hidden = f"; compute hides {ms(even.hidden_ns or 0)}."
    late = ms(report.stragglers[0].behind_ns)
    alike = tuple(replace(one, behind_ns=0) for one in report.stragglers)
    facts = (model.Fact("Batch size", "8"), model.Fact("Parameters", "9"))
    records = tuple(model.Training(host, host, "2026", facts) for host in ("worker0", "worker1"))

    assert changed(report, "communication", MATCHED, allreduce=even, collectives=()).endswith(hidden)
    apart = changed(report, "communication", times(0.5), allreduce=even)
    assert "waiting for other GPUs included" in apart and "bound" not in apart
    unknown = replace(even, transfer_ns=None, guide_ns=None)
    none = changed(report, "communication", allreduce=unknown, collectives=())
    assert none == "No collective was recorded."
    alone = replace(report, allreduce=None, collectives=())
    assert changed(alone, "communication") == f"Of 4 GPUs, GPU 3 comes last, {late} behind the first."
    assert changed(alone, "communication", stragglers=alike) == "No GPU is late."
    pair = tuple(replace(host, own_ns=11_600_000) for host in hosts[:2])
    assert changed(report, "hosts", by_host=pair) == (
        "A host's own part of a step takes 11.6 ms; "
        "with fewer than 3 hosts, none can be called the straggler."
    )
    assert changed(report, "training", training=records) == (
        "The training recorded 2 facts about itself on worker0 and worker1."
    )
