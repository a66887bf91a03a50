"""GPUs take turns: while one computes the others wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, fires, inputs, passes, says, value
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.rules.several_gpus import gpus_run_serially as rule
from tfperf_plugin.judging.rules.several_gpus.gpus_run_serially import RULE

TO_THE_OTHER: list[Stats] = [
    {"memcpy_details": f"kind_src:device kind_dst:device size:8 dest:{1 - gpu} async:1"} for gpu in range(2)
]


def training(*spans: tuple[float, float]) -> Host:
    """Steps of 100 ms in which each GPU computes during its span."""
    host = Host(gpus=len(spans)).steps(5, 100)
    for gpu, (begin, end) in enumerate(spans):
        for number in range(5):
            host.kernel(100 * number + begin, 100 * number + end, gpu)
    return host


def handed_over(draw: Callable[[Host, float], None], steps_with: int = 5, name: str = "worker") -> Host:
    """Steps of 100 ms: GPU 0 computes for 45 ms, GPU 1 is launched at 47 ms and computes from 50 ms on."""
    host = Host(name, gpus=2).steps(5, 100)
    for number in range(5):
        at = 100 * number
        host.kernel(at, at + 45, 0)
        host.kernel(at + 50, at + 100, 1, launch=(at + 47, at + 47.1), thread="tf_Compute/1")
        if number < steps_with:
            draw(host, at)
    return host


def copy(host: Host, at: float) -> None:
    host.copy("P2P", at + 45, at + 50, 0, size=8)


def wait(host: Host, at: float) -> None:
    host.event("cuStreamSynchronize", at + 1, at + 46, thread="tf_Compute/1")


def stages(copy_ms: float, back: bool) -> Host:
    """Steps of 100 ms: one GPU computes, copies to the other one, which computes, and may copy back."""
    each = (100 - copy_ms * (2 if back else 1)) / 2
    host = training((0, each), (each + copy_ms, 2 * each + copy_ms))
    for at in range(0, 500, 100):
        host.kernel(at + each, at + each + copy_ms, 0, "MemcpyP2P", stream=21, stats=TO_THE_OTHER[0])
        if back:
            host.kernel(at + 100 - copy_ms, at + 99.9, 1, "MemcpyP2P", stream=21, stats=TO_THE_OTHER[1])
            host.kernel(at + 99.9, at + 100, 0)
    return host


@pytest.mark.parametrize(
    ("host", "wasted_ms"),
    [
        # However the batch is split, the copies take 50 ms; under them each GPU computes for 25 ms.
        (stages(50, back=False), 50),
        (stages(10, back=True), 59.9),  # the first GPU computes for 40.1 of 100 ms
    ],
)
def test_copies_between_stages_run_under_compute_once_all_work(host: Host, wasted_ms: float) -> None:
    found = fires(RULE, host)

    assert value(found, "extent in which") == 1
    assert sum(found.claims.values()) == wasted_ms * 1_000_000
    assert found.basis == rule.BASIS_COPY


def late_copy(host: Host, at: float) -> None:
    """Where clocks of GPUs differ: it seems to end 0.3 ms after the kernel that waits for it has begun."""
    host.kernel(at + 45, at + 50.3, 0, "MemcpyP2P", stream=21, stats=TO_THE_OTHER[0])


def collective(host: Host, at: float) -> None:
    host.kernel(at + 45, at + 50, 0, ALL_REDUCE)


@pytest.mark.parametrize(
    ("host", "said", "case", "behind", "share"),
    [
        (handed_over(copy), rule.BY_COPY, "copies order the GPUs", "a copy", 1),
        (handed_over(late_copy), rule.BY_COPY, "copies order the GPUs", "a copy", 1),
        (handed_over(collective), rule.BY_COLLECTIVE, "a collective orders the GPUs", "a collective", 1),
        (handed_over(wait), rule.BY_HOST, "the host orders the GPUs", "a wait", 1),
        # Less than four fifths of the hand-overs: not named.
        (handed_over(copy, steps_with=3), rule.BY_UNKNOWN, "", "a copy", 0.75),
        (handed_over(copy, steps_with=0), rule.BY_UNKNOWN, "", "a copy", 0),
    ],
)
def test_what_orders_the_gpus_is_named(host: Host, said: str, case: str, behind: str, share: float) -> None:
    found = fires(RULE, host)

    assert said in found.summary
    assert found.advice == case
    assert (behind.removeprefix("a ") in found.cause) == bool(case)
    assert value(found, f"hand-overs behind {behind}") == share


def launched_in_turn(gpus: int, pause: float, begin: float = 25) -> Host:
    """One thread launches for one GPU after another, slowly, and waits for none: kernels of 3 ms."""
    host = Host(gpus=gpus).steps(5, 100)
    for number in range(5):
        for gpu in range(gpus):
            for kernel in range(5):
                at = 100 * number + begin * gpu + (3 + pause) * kernel
                host.kernel(at, at + 3, gpu, launch=(at, at + 0.01), thread="tf_Compute/1")
    return host


def fed(waits: bool = True, early: float = 0, turn: float = 15, pause: float = 0.5) -> Host:
    """Steps of 100 ms on four GPUs: each computes for ``turn`` ms once one host thread has launched for it,
    and then all sum and update for 35 ms.

    The thread ``waits`` for a GPU's work before it launches for the next one, ``early`` ms before its end.
    """
    host = Host(gpus=4).steps(5, 100)
    for number in range(5):
        at = 100.0 * number
        for gpu in range(4):
            begin = at + gpu * (turn + pause)
            host.kernel(
                begin + 0.2 - early, begin + turn, gpu, launch=(begin + 0.1 - early, begin + 0.15 - early)
            )
            if waits:
                host.event("cuStreamSynchronize", begin + 0.3, begin + turn + 0.1)
        together = at + 4 * (turn + pause)
        for gpu in range(4):
            host.kernel(at + gpu * (turn + pause) + turn, together + 3, gpu, ALL_REDUCE, stream=9)
            host.kernel(together + 3, together + 35, gpu, launch=(together, together + 0.1))
    return host


def test_gpus_that_one_thread_feeds_one_by_one_are_serial_though_they_update_together() -> None:
    outcome = run_rules(RULES, inputs(fed()))
    found = outcome.findings[0]

    assert found.id == RULE.id
    assert found.saving and found.saving.ns == pytest.approx(46.5e6, rel=0.03)
    assert says(found, rule.BY_HOST)
    assert found.action == "Launch for all GPUs before waiting for any"
    assert "gpu-stagger" not in [f.id for f in outcome.findings]


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "said"),
    [
        (training((0, 50), (39, 89)), rule.OVERLAPS),  # more than a fifth at the same time
        (training((0, 90), (5, 95)), rule.OVERLAPS),
        (training((0, 20), (60, 80)), rule.NO_TURNS),  # late starts with gaps
        (training((0, 39), (61, 100)), rule.NO_TURNS),  # 78 of 100 ms are filled
        (launched_in_turn(gpus=2, pause=1, begin=60), rule.NO_TURNS),
        (launched_in_turn(gpus=2, pause=3, begin=4), rule.OVERLAPS),  # slow launches that overlap
        (fed(waits=False), rule.OVERLAPS),  # one thread that waits for none
        (fed(early=8), rule.OVERLAPS),
        (fed(turn=3, pause=12), rule.OVERLAPS),  # between the waits GPUs hardly work
    ],
)
def test_what_is_no_turns(host: Host, said: str) -> None:
    passed = passes(RULE, host)

    assert says(passed, said)


def test_gpus_that_hand_over_again_and_again_in_a_step_are_told_by_their_kernels() -> None:
    host = Host(gpus=2).steps(5, 100)
    for at in range(0, 500, 20):
        host.kernel(at, at + 10, 0)
        host.kernel(at + 10, at + 20, 1)
    found = fires(RULE, host)

    assert found.basis == rule.BASIS_KERNELS
    assert sum(found.claims.values()) == 50_000_000
