"""Programs of which only CUDA's calls are recorded, with nothing that recurs: the recording is one step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import inputs_of_run
from tests.readers.nsight.writer import MS, Export
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Verdict
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.one_gpu.kernel_launch_bound import RULE as LAUNCH_BOUND
from tfperf_plugin.judging.rules.one_gpu.page_migrations import RULE as MIGRATIONS
from tfperf_plugin.report.panels.headline import Headline, headline
from tfperf_plugin.trace.model import HostTrace

TO_GPU, FAULT, PREFETCH = 11, 2, 1


def program(folder: Path, launch_ms: float, later: int = 0, pages: int = FAULT) -> HostTrace:
    """A launch that takes ``launch_ms``, and a kernel of 36 ms, while pages migrate for 20 ms; and ``later``
    kernels of 5 ms, which are launched 10 ms apart."""
    export, begin = Export(), round((1_000 + launch_ms) * MS)
    export.call("cudaLaunchKernel_v7000", 1_000 * MS, begin + 2_000, 900)
    export.kernel(begin, begin + 36 * MS, "softmax(float const*)", correlation=900)
    export.call("cudaDeviceSynchronize_v3020", begin + 3_000, begin + 36 * MS, 901)
    for at in range(begin, begin + 20 * MS, 2 * MS):
        moved = {"bytes": 12_000_000, "copyKind": TO_GPU, "migrationCause": pages}
        export.work("CUPTI_ACTIVITY_KIND_MEMCPY", at, at + 2 * MS, **moved)
    for number in range(later):
        at = begin + (46 + 10 * number) * MS
        export.launch(at, at + 5 * MS, at + 10 * MS, f"later_{number}(int)")
    return export.trace(folder)


def judged(trace: HostTrace) -> tuple[Ledger, Verdict, Verdict]:
    """The ledger, and what the rules on migrations and on launches say."""
    inputs = inputs_of_run((trace,))
    assert inputs.ledger and inputs.steps.source == "recording"
    return inputs.ledger, inputs.call(MIGRATIONS.judge), inputs.call(LAUNCH_BOUND.judge)


def test_the_launch_that_loads_the_program_comes_before_its_step(tmp_path: Path) -> None:
    ledger, _, launches = judged(program(tmp_path, launch_ms=39))

    assert ledger.step_ns == 36 * MS
    assert {account: ns for account, ns in ledger.average().items() if ns} == {"compute": 36 * MS}
    assert isinstance(launches, NotApplicable)


def test_pages_that_the_program_prefetches_meanwhile_are_no_finding(tmp_path: Path) -> None:
    _, migrations, _ = judged(program(tmp_path, launch_ms=39, pages=PREFETCH))

    assert not isinstance(migrations, Found) or not any(migrations.claims.values())


@pytest.mark.parametrize(("launch_ms", "before_ms"), [(0.5, 0.5), (39, 0)])
def test_only_a_launch_that_the_driver_holds_is_left_out(
    launch_ms: float, before_ms: float, tmp_path: Path
) -> None:
    ledger, _, launches = judged(program(tmp_path, launch_ms, later=2))

    assert ledger.step_ns == round((before_ms + 36 + 30) * MS)
    assert isinstance(launches, Found)
    assert ledger.average()["idle.startup"] == 0


@pytest.mark.parametrize(
    ("held_ms", "where", "advice"),
    [
        (6, "", "Nothing above 5 % of a run was found"),
        (60, "Start-up, which later steps do not have, takes 60.0 ms", "Record a longer run"),
    ],
)
def test_a_program_that_runs_through_once_has_no_later_steps(
    held_ms: int, where: str, advice: str, tmp_path: Path
) -> None:
    said = _said_of(Export(), 0, held_ms, tmp_path)

    assert said.recorded.startswith(where) and said.advice.startswith(advice)
    assert bool(said.unit) == (not where)


def test_a_recording_that_begins_long_before_the_first_launch_says_from_when_on_it_is_judged(
    tmp_path: Path,
) -> None:
    export = Export()
    export.call("cudaGetDeviceCount_v3020", 0, MS, 800)

    recorded = _said_of(export, 2_000 * MS, 60, tmp_path).recorded

    assert recorded.startswith(
        "Start-up, which later steps do not have, takes 60.0 ms of the 99.0 ms from 2.00 s"
    )


def _said_of(export: Export, begin: int, held_ms: int, folder: Path) -> Headline:
    """What the report begins with.

    The program's second kernel is loaded in the launch, and its results are copied back for 4 ms.
    """
    after = begin + (30 + held_ms) * MS
    export.launch(begin, begin + 10_000, begin + 30 * MS, "first(int)")
    export.call("cudaLaunchKernel_v7000", begin + 30 * MS, after, 900)
    export.kernel(after, after + 5 * MS, "second(int)", correlation=900)
    export.call("cudaMemcpy_v3020", after + 5 * MS, after + 9 * MS, 901)
    copy = {"bytes": 20_000_000, "copyKind": 2, "srcKind": 2, "dstKind": 0}
    export.work("CUPTI_ACTIVITY_KIND_MEMCPY", after + 5 * MS, after + 9 * MS, correlation=901, **copy)
    inputs = inputs_of_run((export.trace(folder),))
    said: Headline = inputs.call(headline, run_rules(RULES, inputs))
    return said


def test_what_a_program_prefetches_before_its_first_kernel_is_recorded_work(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaMemPrefetchAsync_v8000", 1_000 * MS, 1_030 * MS, 899)
    for at in range(1_000 * MS, 1_030 * MS, 2 * MS):
        moved = {"bytes": 12_000_000, "copyKind": TO_GPU, "migrationCause": PREFETCH}
        export.work("CUPTI_ACTIVITY_KIND_MEMCPY", at, at + 2 * MS, **moved)
    export.launch(1_030 * MS, 1_031 * MS, 1_032 * MS, "add(int)")
    ledger, migrations, _ = judged(export.trace(tmp_path))

    assert ledger.step_ns == 32 * MS
    assert isinstance(migrations, Found)
    assert migrations.claims == {"copy.h2d": 30 * MS}
