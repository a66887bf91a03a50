"""An op of the step runs on the CPU while the GPU waits."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, finding, fires, inputs, passes, value
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import excessive_memcpy
from tfperf_plugin.judging.rules.one_gpu.host_op_in_step import RULE

UNIQUE = "model/match/Unique:Unique"


def training(
    op: float,
    steps: int = 6,
    steps_with_op: int = 6,
    hidden: bool = False,
    name: str = UNIQUE,
    copy: float = 0,
) -> Host:
    """Steps of 100 ms; after 40 ms an op runs on the CPU, and only then the second kernel is launched."""

    def step(host: Host, at: float) -> None:
        pause = op if at < 100 * steps_with_op else 0
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        host.event("model/relu:Relu", at, at + 0.006)
        begin = at + 40 + copy
        if pause:
            host.event(name, begin, begin + pause, thread="tf_Compute/1")
        if copy:
            host.copy("D2H", at + 40, begin, size=1_000, op=name)
        launched = begin + pause
        host.kernel(launched + 0.01, at + 100, launch=(launched, launched + 0.005))

    host = Host().trained(steps, 100, step)
    if hidden:
        each(steps, 100, lambda at: host.kernel(at, at + 100, stream=8))
    return host


def test_the_op_that_the_gpu_waits_for_is_the_finding() -> None:
    found = finding(RULE, training(op=20))

    assert found.saving and (found.severity, found.saving.ns) == ("critical", 20_010_000)
    assert f"the CPU runs {UNIQUE}," in found.summary
    assert (value(found, "pauses for such ops"), value(found, "longest pause")) == (1, 20_010_000)
    assert value(found, f"of it during {UNIQUE}") == 20_000_000
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (40, 60.01)


@pytest.mark.near_miss("below")
def test_less_than_one_percent_is_no_finding() -> None:
    passes(RULE, training(op=0.9))
    assert sum(fires(RULE, training(op=1)).claims.values()) == 1_010_000


@pytest.mark.near_miss("hidden")
def test_an_op_that_a_kernel_hides_costs_nothing() -> None:
    passes(RULE, training(op=20, hidden=True))


def test_an_op_in_one_step_is_no_part_of_the_step() -> None:
    passes(RULE, training(op=40, steps_with_op=1))
    assert fires(RULE, training(op=40, steps_with_op=3)).claims["idle.host_op"] > 0


def test_ops_that_only_pass_tensors_on_and_tf_data_are_not_blamed() -> None:
    passes(RULE, training(op=20, name="model/identity:Identity"))
    host = training(op=0)
    each(6, 100, lambda at: host.event("map/Decode:DecodeJpeg", at, at + 90, thread="tf_data_private/1"))

    passes(RULE, host)


def test_an_op_that_covers_less_of_the_pause_is_not_blamed() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        host.event(UNIQUE, at + 40, at + 55, thread="tf_Compute/1")  # 15 of 20 ms
        host.kernel(at + 60.01, at + 100, launch=(at + 60, at + 60.005))

    host = Host().trained(6, 100, step)

    passes(RULE, host)


@pytest.mark.parametrize(
    ("op", "copy", "found"),
    [
        (20, 5, {"host-op-in-step": ["excessive-memcpy"]}),
        (4, 15, {"excessive-memcpy": [], "host-op-in-step": []}),  # copies that take longer come first
    ],
)
def test_copies_of_an_op_that_takes_longer_belong_to_it(
    op: float, copy: float, found: dict[str, list[str]]
) -> None:
    outcome = run_rules([RULE, excessive_memcpy.RULE], inputs(with_copies(op, copy)))

    assert [(f.id, [e.id for e in f.explains]) for f in outcome.findings] == list(found.items())


def with_copies(op: float, copy: float) -> Host:
    """As ``training``; the op's input is copied to the host first, by a launch of its own."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.01, at + 40, launch=(at, at + 0.005))
        details = "kind_src:device kind_dst:pinned size:1000 dest:0 async:1"
        stats = {"memcpy_details": details}
        host.kernel(
            at + 40, at + 40 + copy, name="MemcpyD2H", stream=20, op=f"{UNIQUE.partition(':')[0]}/_7:_Send",
            launch=(at + 0.01, at + 0.015), stats=dict(stats),
        )  # fmt: skip
        done = at + 40 + copy + op
        host.event(UNIQUE, at + 40 + copy, done, thread="tf_Compute/1")
        host.kernel(done + 0.01, at + 100, launch=(done, done + 0.005))

    return Host().trained(6, 100, step)
