"""The GPU waits while the driver allocates and frees memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders import MS, Host, each, fires, inputs, inputs_of_run, judge, says
from tests.readers.nsight.writer import Export
from tfperf_plugin.analysis.artifacts.memory.allocations import Allocations
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import allocator_stalls as rule
from tfperf_plugin.judging.rules.one_gpu import kernel_launch_bound
from tfperf_plugin.judging.rules.one_gpu.allocator_stalls import RULE

FREE, ALLOCATE = "cudaFree", "cudaMalloc"
OP = "model/dense/MatMul:MatMul"


def training(
    free: float = 3,
    allocate: float = 2,
    *,
    steps: Sequence[int] = range(8),
    op: str = OP,
    names: tuple[str, str] = (FREE, ALLOCATE),
    hidden: bool = False,
    thread: str = "python3",
    late: float = 0,
) -> Host:
    """Steps of 20 ms: a kernel of 6 ms, an op that frees and allocates on a thread, and its kernel, which the
    op launches ``late`` ms later."""

    def step(host: Host, at: float) -> None:
        asks = int(at // 20) in steps
        done = at + 6 + free + allocate if asks else at + 6
        host.kernel(at + 0.02, at + 6, launch=(at, at + 0.01))
        if asks:
            host.event(names[0], at + 6, at + 6 + free, thread=thread)
            host.event(names[1], at + 6 + free, done, thread=thread)
            if op:
                host.event(op, at + 5.9, done + late + 0.02, thread=thread)
        done += late
        host.kernel(done + 0.02, at + 19.9, launch=(done, done + 0.01), op=OP)
        if hidden:
            host.kernel(at + 0.02, at + 19.9, stream=8)

    return Host().trained(9, 20, step)


def artifact(host: Host) -> Allocations:
    return inputs(host).of(Allocations)


@pytest.mark.near_miss("different")
def test_a_library_that_sets_itself_up_does_not_run_out_of_memory() -> None:
    assert judge(RULE, training(names=(FREE, FREE), steps=[3])) != NotApplicable(rule.NO_CALLS)

    host = Host()

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.02, at + 6, launch=(at, at + 0.01), thread="python3")
        if at == 60:
            host.event("cuInit", at + 6, at + 6.01, thread="python3")
            host.event(FREE, at + 6.1, at + 10, thread="python3")
        host.kernel(at + 11, at + 19.9, launch=(at + 10, at + 10.1), thread="python3")

    assert judge(RULE, host.trained(9, 20, step)) == NotApplicable(rule.NO_CALLS)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "kind"),
    [
        (training(0.12, 0.07), Passed),
        (training(0.13, 0.08), Found),
        (training(hidden=True), NotApplicable),
        (training(names=("cudaMemGetInfo", "cuMemcpyPeerAsync")), NotApplicable),
        (training(thread="checkpoints"), NotApplicable),  # it launches nothing, so it holds nobody up
        *(
            (training(names=(name, name)), Found)
            for name in (
                "cuMemAlloc_v2",
                "cuMemHostAlloc",
                "cudaMallocAsync",
                "cudaFreeHost",
                "hipExtMallocWithFlags",
                "hipHostFree",
            )
        ),
    ],
)
def test_which_calls_count(host: Host, kind: type) -> None:
    assert isinstance(judge(RULE, host), kind)


@pytest.mark.parametrize(
    ("steps", "sentence"), [((3,), rule.IN_ONE_STEP), (range(3), rule.IN_SOME_STEPS), (range(6), "")]
)
def test_what_lies_in_few_steps_is_said_to(steps: Sequence[int], sentence: str) -> None:
    """All of it lies in these steps: nothing in any other."""
    found, by_step = fires(RULE, training(steps=steps)), artifact(training(steps=steps)).by_step

    assert by_step == tuple((n, 5_000_000 * (n in steps)) for n in range(8))
    assert found.confidence == ("medium" if sentence else "high")
    assert [s for s in (rule.IN_ONE_STEP, rule.IN_SOME_STEPS) if says(found, s)] == [sentence] * bool(
        sentence
    )
    assert ("at most 0 ms in any other" in found.summary) == bool(sentence)


def test_a_call_inside_a_call_counts_once() -> None:
    host = training(names=("DeviceMemAllocator::Free", "DeviceMemAllocator::Alloc"))
    each(9, 20, lambda at: host.event("hipFree", at + 6.5, at + 8))

    calls = {"DeviceMemAllocator::Free": 1, "DeviceMemAllocator::Alloc": 1}
    assert {name: round(number, 3) for name, number in artifact(host).calls} == calls


def test_waiting_for_launches_beside_them_is_a_finding_of_its_own() -> None:
    outcome = run_rules((RULE, kernel_launch_bound.RULE), inputs(training(late=4)))
    saved = {f.id: f.saving.ns for f in outcome.findings if f.saving}

    assert saved["allocator-stalls"] == 5_000_000
    assert 4_000_000 <= saved["kernel-launch-bound"] < 4_200_000


@pytest.mark.parametrize(
    ("name", "sentence"), [("cudaFree", rule.FREES_AGAIN), ("cudaMalloc", rule.ALLOCATES)]
)
def test_a_program_without_a_framework_has_no_pool(name: str, sentence: str, tmp_path: Path) -> None:
    export = Export()
    for number in range(12):
        at = 10 * MS * number + number**2 * MS
        export.call(name, at, at + 5 * MS)
        export.launch(at + 5 * MS, at + 5 * MS + 10_000, at + 9 * MS)
    found = inputs_of_run((export.trace(tmp_path),)).call(RULE.judge)

    assert isinstance(found, Found) and says(found, sentence)
