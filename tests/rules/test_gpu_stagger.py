"""GPUs start the step one after another."""

from __future__ import annotations

from tests.builders import ALL_REDUCE, Host, each, finding, fires, judge, value
from tfperf_plugin.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.rules.gpu_stagger import RULE


def training(
    late: float, launch_late: float | None = None, thread: str = "python3", late_steps: int = 5
) -> Host:
    """Steps of 100 ms: GPU 1 starts ``late`` ms after GPU 0, both compute 60 ms, then exchange gradients."""
    host = Host(gpus=2)
    host.steps(5, 100)

    def step(at: float) -> None:
        after = late if at < late_steps * 100 else 0
        host.kernel(at, at + 60, 0, launch=(at, at + 0.01), thread=thread)
        host.kernel(at + 60, at + 100, 0, ALL_REDUCE)
        begin = at + (after if launch_late is None else launch_late)
        host.kernel(at + after, at + 60 + after, 1, launch=(begin, begin + 0.01), thread=thread)
        host.kernel(at + 60 + after, at + 100, 1, ALL_REDUCE)

    each(5, 100, step)
    return host


def test_what_a_late_start_costs_each_gpu_adds_up_to_the_spread() -> None:
    found = finding(RULE, training(late=30))

    # GPU 1 is idle for 30 ms, then GPU 0 waits for it in AllReduce for 30 ms: 15 + 15 on average.
    assert found.saving is not None
    assert found.saving.ns == 30_000_000
    assert fires(RULE, training(late=30)).claims == {
        "idle.stagger": 15_000_000,
        "communication.wait": 15_000_000,
    }
    assert found.severity == "critical"
    assert found.confidence == "high"
    assert value(found, "start spread") == 30_000_000
    assert value(found, "launch spread") == 30_000_000
    assert "GPU 1 starts its first kernel 30.0 ms after GPU 0, always in the same order" in found.summary
    assert [(p.begin_ms, p.end_ms, p.device) for p in found.where[:2]] == [
        (0, 30, "GPU:1"),
        (100, 130, "GPU:1"),
    ]


def test_launches_that_are_less_late_are_not_blamed() -> None:
    found = fires(RULE, training(late=30, launch_late=23.9))  # less than 80 % of 30 ms

    assert found.confidence == "medium"
    assert "not that far apart; the cause is not recorded" in found.summary
    assert "launches them that far apart" in fires(RULE, training(late=30, launch_late=24)).summary


def test_a_thread_mode_that_is_set_is_never_advised() -> None:
    shared, private = fires(RULE, training(30)), fires(RULE, training(30, thread="tf_gpu_private_0/1"))

    assert shared.fix is not None
    assert private.fix is not None
    assert any("TF_GPU_THREAD_MODE" in action for action in shared.fix.actions)
    assert not any("TF_GPU_THREAD_MODE" in text for text in (*private.fix.actions, private.fix.summary))
    assert not any("TF_GPU_THREAD_MODE" in snippet.code for snippet in private.fix.snippets)
    assert "already has its own launch threads" in private.summary


def test_jitter_is_no_stagger() -> None:
    assert isinstance(judge(RULE, training(late=1.9)), Passed)
    assert value(fires(RULE, training(late=2)), "start spread") == 2_000_000


def test_one_late_step_of_four_does_not_make_a_median() -> None:
    assert isinstance(judge(RULE, training(late=30, late_steps=1)), Passed)


def test_a_rotating_order_is_told_apart_from_a_fixed_one() -> None:
    host = Host(gpus=3)
    host.steps(7, 100)
    for number in range(7):
        for gpu in range(3):
            late = 10 * ((gpu + number) % 3)
            host.kernel(100 * number + late, 100 * number + 70 + late, gpu)

    assert "in rotating order" in fires(RULE, host).summary


def test_one_gpu_has_nobody_to_be_late_for() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 100))

    assert isinstance(judge(RULE, host), NotApplicable)


def test_without_kernels_it_cannot_be_judged() -> None:
    host = Host(gpus=2)
    host.steps(5, 100)

    assert isinstance(judge(RULE, host), Missing)
