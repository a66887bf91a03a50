"""Pages of managed memory that kernels wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Host, each, fires, inputs_of_run, judge, passes, says
from tests.readers.nsight.writer import MS, Export
from tfperf_plugin.judging.engine.rule import Found, NotApplicable
from tfperf_plugin.judging.rules.one_gpu import page_migrations as rule
from tfperf_plugin.judging.rules.one_gpu.page_migrations import RULE

TO_GPU, TO_HOST = "UM_BYTES_TRANSFER_HTOD", "UM_BYTES_TRANSFER_DTOH"
STEPS = 5


def pages(host: Host, begin: float, end: float, name: str = f"{TO_GPU}, page fault") -> None:
    """Pages of 1 MB a millisecond migrate on a stream of their own."""
    details = f"kind_src:unknown size:{round((end - begin) * 1e6)} dest:0 async:0"
    host.kernel(begin, end, name=name, stream=30, stats={"memcpy_details": details})


def training(
    begin: float = 10, length: float = 20, name: str = f"{TO_GPU}, page fault", steps: int = STEPS
) -> Host:
    """Steps of 100 ms whose kernels run from 0 to 60 and from 80 to 100; pages migrate in some of them."""
    host = Host().trained(STEPS, 100, lambda host, at: host.kernel(at, at + 60, name="gather"))
    each(STEPS, 100, lambda at: host.kernel(at + 80, at + 100))
    each(steps, 100, lambda at: pages(host, at + begin, at + begin + length, name))
    return host


@pytest.mark.parametrize(
    ("name", "account"), [(TO_GPU, "copy.h2d"), (TO_HOST, "copy.d2h"), ("UM_BYTES_TRANSFER_DTOD", "copy.d2d")]
)
def test_while_only_pages_migrate_the_gpu_copies(name: str, account: str) -> None:
    found = fires(RULE, training(60, 20, name))

    assert found.claims == {account: 20_000_000}
    assert says(found, rule.CAUSE_EXPOSED)


@pytest.mark.parametrize(
    ("name", "confidence"),
    [(TO_GPU, "low"), (f"{TO_GPU}, speculative", "medium"), ("UM_BYTES_TRANSFER_DTOD", "low")],
)
def test_without_the_cause_the_finding_is_less_certain(name: str, confidence: str) -> None:
    assert fires(RULE, training(name=name)).confidence == confidence


@pytest.mark.parametrize(
    "name", [f"{TO_GPU}, prefetch", f"{TO_HOST}, page fault", TO_HOST], ids=["prefetch", "host", "unknown"]
)
@pytest.mark.near_miss("hidden")
def test_pages_that_the_program_prefetches_or_the_host_takes_back_hold_up_no_kernel(name: str) -> None:
    passes(RULE, training(name=name))


def test_evicted_pages_mean_that_the_memory_is_full() -> None:
    host = training()
    each(STEPS, 100, lambda at: pages(host, at + 30, at + 40, f"{TO_HOST}, eviction"))

    found = fires(RULE, host)

    assert (found.claims, found.advice) == ({"compute": 30_000_000}, "memory is full")
    assert says(found, rule.EVICTED)


def test_pages_that_the_host_takes_back_in_each_step_go_back_and_forth() -> None:
    host = training()
    each(STEPS, 100, lambda at: pages(host, at + 60, at + 75, f"{TO_HOST}, page fault"))

    found = fires(RULE, host)

    assert found.claims == {"compute": 20_000_000, "copy.d2h": 15_000_000}
    assert found.advice == "pages go back and forth"


def test_a_program_that_prefetches_all_for_its_one_kernel_cannot_do_so_earlier(
    tmp_path: Path,
) -> None:
    export = Export()
    export.call("cudaMemPrefetchAsync_v8000", 0, MS, 99)
    moved = {"bytes": 500_000_000, "copyKind": 11, "migrationCause": 1}
    export.work("CUPTI_ACTIVITY_KIND_MEMCPY", 0, 40 * MS, correlation=99, **moved)
    export.launch(2 * MS, 40 * MS, 50 * MS, "add(int)")
    found = inputs_of_run((export.trace(tmp_path),)).call(RULE.judge)

    assert isinstance(found, Found) and found.advice == "all is prefetched"


def test_pages_that_went_back_after_their_prefetch_were_prefetched_too_early() -> None:
    found = fires(RULE, training(name=f"{TO_GPU}, after prefetch"))

    assert (found.claims, found.advice) == ({"compute": 20_000_000}, "the prefetch comes early")
    assert says(found, rule.AGAIN) and "prefetched 20.0 MB of them before" in found.summary


@pytest.mark.near_miss("below")
def test_less_than_one_percent_is_no_finding() -> None:
    passes(RULE, training(length=0.9))
    assert fires(RULE, training(length=1)).claims == {"compute": 1_000_000}


def test_what_a_program_touches_first_is_no_cost_of_each_step() -> None:
    host = training(steps=1)
    each(STEPS, 100, lambda at: pages(host, at + 50, at + 50.01, f"{TO_HOST}, page fault"))

    assert says(passes(RULE, host), rule.RARE)


@pytest.mark.near_miss("warm-up")
def test_pages_that_migrate_before_the_judged_steps_do_not_count() -> None:
    host = Host()
    host.steps(STEPS, 100)
    host.event("XlaCompile", 10, 90)
    each(STEPS, 100, lambda at: host.kernel(at, at + 100))
    pages(host, 10, 60)

    assert isinstance(judge(RULE, host), NotApplicable)


def test_other_events_of_managed_memory_are_no_work() -> None:
    assert isinstance(judge(RULE, training(name="UM_GPU_PAGE_FAULT")), NotApplicable)
