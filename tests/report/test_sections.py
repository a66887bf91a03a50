"""Each section's answer: one sentence of the report's own numbers, and only for what the run has."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.build import run_names
from demo.reports import demo_report
from tests.reports import make_report, rows, with_rows
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.sections import sections
from tfperf_plugin.report.render.text import to_text

ORDER = ["communication", "hosts", "kernels", "input", "memory", "checks", "training"]


def answer(report: model.Report, id: str) -> model.Section:
    return next(section for section in report.sections if section.id == id)


@pytest.mark.parametrize("name", run_names())
def test_a_section_is_there_if_the_run_has_it(name: str) -> None:
    report = demo_report(name)
    has = {
        "communication": report.allreduce or report.collectives or len(report.stragglers) > 1,
        "hosts": len(report.by_host) > 1,
        "kernels": rows(report, "ops") or rows(report, "host_ops"),
        "input": report.input,
        "memory": report.memory,
        "checks": True,
        "training": True,
    }
    assert [section.id for section in report.sections] == [id for id in ORDER if has[id]]
    for section in report.sections:
        assert section.answer.endswith(".")
        assert section.answer[0] == section.answer[0].upper()
        assert "\n" not in section.answer


def test_communication_names_whom_gpus_wait_for() -> None:
    report = demo_report("gpu_stagger")
    card, found = report.allreduce, answer(report, "communication")
    assert card
    assert card.transfer_ns
    assert card.ring_bound_ns
    assert found.chip == ms(card.transfer_ns)
    assert f"Transfer in AllReduce takes {found.chip} a step, 1.0 × the ring bound" in found.answer
    assert f"GPUs wait {ms(card.wait_ns or 0)}, mostly for GPU 3" in found.answer
    assert "hides" not in found.answer
    even = demo_report("allreduce_exposed")
    assert "wait" not in answer(even, "communication").answer
    assert "hides" not in answer(even, "communication").answer


def test_the_kind_that_takes_most_comes_first() -> None:
    report = demo_report("gpu_stagger")
    card = report.allreduce
    assert card
    more = model.Collective("all_to_all", 5, 46_100_000, 23_300_000, "AllToAll")
    less = model.Collective(card.kinds[0], 4, 46_000_000, 0, "AllReduce")

    class Times:
        unseen, matched_ratio, exchange = "", 1.0, "all_reduce"

    def said(*found: model.Collective) -> model.Section:
        return sections(replace(report, collectives=found), (), Times())[0]  # type: ignore[arg-type]

    first = "AllToAll takes 46.1 ms a step on each GPU, 23.3 ms of it waiting. Transfer in AllReduce takes"
    assert said(more, less).answer.startswith(first)
    assert said(more, less).chip == "46.1 ms"
    assert said(less, replace(more, ns=1)).answer.startswith("Transfer in AllReduce takes")
    compiled = replace(report.steps, unit="call of jit_step")
    (section, *_) = sections(replace(report, allreduce=None, collectives=(more,), steps=compiled), (), None)
    assert section.answer.startswith("AllToAll takes 46.1 ms a call of jit_step on each GPU")


def test_communication_that_was_not_recorded_is_an_estimate() -> None:
    report = demo_report("pipeline_bubble")
    assert report.allreduce
    found = answer(report, "communication")
    assert found.answer.startswith("No collective was recorded; by the guide's estimate AllReduce would take")
    assert found.chip == ""
    unknown = replace(report, allreduce=replace(report.allreduce, guide_ns=None))
    assert sections(unknown, (), None)[0].answer == "No collective was recorded."


def test_without_allreduce_the_latest_gpu_is_named() -> None:
    report = replace(demo_report("gpu_stagger"), allreduce=None, collectives=())
    late = ms(report.stragglers[0].behind_ns)
    found, *_ = sections(report, (), None)
    assert found.answer == f"Of 4 GPUs, GPU 3 comes last, {late} behind the first."
    assert found.chip == late
    alike = tuple(replace(one, behind_ns=0) for one in report.stragglers)
    assert sections(replace(report, stragglers=alike), (), None)[0].answer == "No GPU is late."


def test_what_compute_hides_is_said_where_no_gpu_waits() -> None:
    report = demo_report("gpu_stagger")
    assert report.allreduce
    card = replace(report.allreduce, wait_ns=0)

    class Times:
        unseen, matched_ratio, exchange = "", 1.0, "all_reduce"

    found, *_ = sections(replace(report, allreduce=card, collectives=()), (), Times())  # type: ignore[arg-type]
    assert found.answer.endswith(f"; compute hides {ms(card.hidden_ns or 0)}.")


def test_waiting_that_counts_as_transfer_is_said() -> None:
    report = demo_report("gpu_stagger")
    assert report.allreduce
    card = replace(report.allreduce, wait_ns=0)

    class Times:
        unseen, matched_ratio, exchange = "", 0.5, "all_reduce"

    found, *_ = sections(replace(report, allreduce=card), (), Times())  # type: ignore[arg-type]
    assert "waiting for other GPUs included" in found.answer
    assert "bound" not in found.answer


def test_hosts_name_the_straggler() -> None:
    report = demo_report("slow_host")
    own = {host.host: host.own_ns for host in report.by_host}
    late = own.pop("worker2")
    found = answer(report, "hosts")
    assert found.answer.startswith(f"The straggler is worker2: its own part of a step takes {ms(late)}")
    others = sorted(own.values())
    assert f"median other host {ms(others[len(others) // 2])}" in found.answer
    assert found.chip == f"+{ms(late - others[len(others) // 2])}"


def test_of_two_hosts_none_is_called_the_straggler() -> None:
    report = demo_report("healthy_four_hosts")
    assert "no host is slow" in answer(report, "hosts").answer
    alike = tuple(replace(host, own_ns=11_600_000) for host in report.by_host[:2])
    found = next(s for s in sections(replace(report, by_host=alike), (), None) if s.id == "hosts")
    assert found.answer == (
        "A host's own part of a step takes 11.6 ms; "
        "with fewer than 3 hosts, none can be called the straggler."
    )


def test_kernels_say_what_is_judged_and_which_op_takes_most() -> None:
    report = demo_report("healthy_single_gpu")
    numbers, ops, found = report.key_numbers, rows(report, "ops"), answer(report, "kernels")
    assert numbers.mfu_ratio
    assert numbers.compute_judged_ratio
    mfu, judged = percent(numbers.mfu_ratio), percent(numbers.compute_judged_ratio)
    assert found.chip == f"MFU {mfu}"
    assert found.answer.startswith(f"MFU is {mfu}; {judged} of compute is judged; the op with the most time")
    assert f"{ms(ops[0].ns)} a step ({percent(ops[0].ratio)} of kernel time)." in found.answer
    host = demo_report("no_device_events")
    assert rows(host, "host_ops")
    assert answer(host, "kernels").answer.startswith("The op with the most time on the host is ")
    assert answer(host, "kernels").chip == ""
    unjudged = demo_report("unexplained_idle")
    assert unjudged.ledger
    assert answer(unjudged, "kernels").answer.startswith("None of compute is judged; ")
    assert answer(unjudged, "kernels").chip == ms(unjudged.ledger.accounts[0].ns)


def test_long_names_lose_their_middle() -> None:
    report = demo_report("healthy_single_gpu")
    long = with_rows(report, "ops", name=lambda _: f"begin{'x' * 500}end")
    tables = [block for block in answer(long, "kernels").blocks if isinstance(block, model.Table)]
    found = next(s for s in sections(long, tables, None) if s.id == "kernels")
    assert "begin" in found.answer
    assert "end," in found.answer
    assert len(found.answer) < 200


def test_input_and_memory_say_what_their_panels_say() -> None:
    report = demo_report("input_bound")
    assert report.input
    assert report.memory
    fullest = report.memory.devices[0]
    said = answer(report, "input")
    assert (said.answer, said.chip) == (report.input.sentence, ms(report.input.pipelines[0].wait_ns))
    assert answer(report, "memory").chip == percent(fullest.peak_bytes / fullest.capacity_bytes)
    assert answer(report, "memory").answer[:-1] in to_text(report, color=False)


def test_checks_and_records_are_counted() -> None:
    report = make_report()
    checks, training = sections(report, (), None)[-2:]
    assert checks.answer[:-1] in to_text(report, color=False)
    assert checks.answer.startswith(f"{len(report.passed)} passed")
    assert training.answer == "The training recorded nothing about itself beside this profile."
    facts = (model.Fact("Batch size", "8"), model.Fact("Parameters", "9"))
    records = tuple(model.Training(host, host, "2026", facts) for host in ("worker0", "worker1"))
    *_, training = sections(replace(report, training=records), (), None)
    assert training.answer == "The training recorded 2 facts about itself on worker0 and worker1."
