"""Each section's answer: one sentence of the report's own numbers, and only for what the run has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from demo.build import run_names
from demo.reports import demo_report
from tests.reports import rows, with_rows
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.sections import sections

ORDER = ["communication", "hosts", "kernels", "input", "memory", "machine", "checks", "training"]


def answer(report: model.Report, id: str) -> model.Section:
    return next(section for section in report.sections if section.id == id)


def times(matched_ratio: float) -> AllReduceTimes:
    found: Any = SimpleNamespace(unseen="", matched_ratio=matched_ratio, exchange="all_reduce")
    return cast("AllReduceTimes", found)


MATCHED = times(1.0)


@pytest.mark.parametrize("name", run_names())
def test_a_section_is_there_if_the_run_has_it(name: str) -> None:
    report = demo_report(name)
    has = {
        "communication": report.allreduce or report.collectives or len(report.stragglers) > 1,
        "hosts": len(report.by_host) > 1,
        "kernels": rows(report, "ops") or rows(report, "host_ops"),
        "input": report.input,
        "memory": report.memory,
        "machine": report.machine,
        "checks": True,
        "training": True,
    }
    assert [section.id for section in report.sections] == [id for id in ORDER if has[id]]
    for section in report.sections:
        assert section.answer.endswith(".")
        assert section.answer[0] == section.answer[0].upper()
        assert "\n" not in section.answer


def test_the_kind_that_takes_most_comes_first() -> None:
    report = demo_report("gpu_stagger")
    card = report.allreduce
    assert card
    more = model.Collective("all_to_all", 5, 46_100_000, 23_300_000, "AllToAll")
    less = model.Collective(card.kinds[0], 4, 46_000_000, 0, "AllReduce")

    def said(*found: model.Collective) -> str:
        return changed(replace(report, ledger=None), "communication", MATCHED, collectives=found)

    first = "AllToAll takes 46.1 ms a step on each GPU, 23.3 ms of it waiting. Transfer in AllReduce takes"
    assert said(more, less).startswith(first)
    assert said(less, replace(more, ns=1)).startswith("Transfer in AllReduce takes")
    compiled = replace(report.steps, unit="call of jit_step")
    of_call = changed(report, "communication", allreduce=None, collectives=(more,), steps=compiled)
    assert "AllToAll takes 46.1 ms a call of jit_step on each GPU" in of_call


def test_communication_says_first_what_no_compute_hides() -> None:
    report = demo_report("allreduce_exposed")
    assert report.ledger
    section = answer(report, "communication")
    time = sum(one.ns for one in report.ledger.accounts if one.id.startswith("communication."))
    share = percent(time / report.ledger.step_ns)
    bare = replace(report.ledger, accounts=tuple(a for a in report.ledger.accounts if a.id == "compute"))

    assert section.answer.startswith(f"Exposed communication takes {ms(time)} a step ({share}). ")
    assert section.chip == ms(time)
    hidden = sections(replace(report, ledger=bare), (), MATCHED)[0]
    assert hidden.answer.startswith("Compute hides all communication. Transfer in AllReduce takes")
    assert hidden.chip == "0 ms"


def test_the_table_of_kernels_says_what_it_leaves_out() -> None:
    report = demo_report("gpu_stagger")
    (reduced,) = report.collectives
    kernels = answer(report, "kernels")
    after = [block for block in kernels.blocks if isinstance(block, model.Sentence)]

    assert [kernels.blocks.index(one) for one in after] == [
        next(n for n, block in enumerate(kernels.blocks) if getattr(block, "id", "") == "kernels") + 1
    ]
    assert after[0].words == (
        f"Kernels of communication are left out: AllReduce, {ms(reduced.ns)} a step on each GPU. "
        "See Communication."
    )
    alone = answer(demo_report("healthy_single_gpu"), "kernels")
    assert not any(isinstance(block, model.Sentence) for block in alone.blocks)


def test_long_names_lose_their_middle() -> None:
    report = demo_report("healthy_single_gpu")
    long = with_rows(report, "ops", name=lambda _: f"begin{'x' * 500}end")
    tables = [block for block in answer(long, "kernels").blocks if isinstance(block, model.Table)]
    found = next(s for s in sections(long, tables, None) if s.id == "kernels")
    assert "begin" in found.answer
    assert "end," in found.answer
    assert len(found.answer) < 200


def test_how_fast_compute_could_be_is_said_only_where_it_is_known() -> None:
    report = demo_report("healthy_single_gpu")

    def said(ratio: float) -> str:
        numbers = replace(report.key_numbers, compute_judged_ratio=ratio)
        tables = [block for block in answer(report, "kernels").blocks if isinstance(block, model.Table)]
        made = sections(replace(report, key_numbers=numbers), tables, None)
        return next(section.answer for section in made if section.id == "kernels")

    assert "for 79 % of compute it is known how fast it could be" in said(0.79)
    assert "how fast" not in said(0.0)


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
