"""What rules say of programs of PyTorch."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, says
from tfperf_plugin.analysis.artifacts.host.idle import Idle, IdleAccount
from tfperf_plugin.judging.rules.input import input_bound
from tfperf_plugin.judging.rules.one_gpu import kernel_launch_bound


@pytest.mark.parametrize(
    ("iterator", "sentence"),
    [("_SingleProcess", input_bound.ALONE), ("_MultiProcessing", input_bound.TOO_SLOW)],
)
def test_the_iterator_tells_whether_the_loader_has_workers(iterator: str, sentence: str) -> None:
    host = Host().steps(5, 100)

    def step(at: float) -> None:
        host.event(f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__", at, at + 40)
        host.kernel(at + 41, at + 99, launch=(at + 40.5, at + 40.6))

    each(5, 100, step)
    found = fires(input_bound.RULE, host)

    assert says(found, sentence)
    assert found.advice == ("the DataLoader has no workers" if sentence == input_bound.ALONE else "")


def test_ops_that_launch_late_are_those_of_pytorch() -> None:
    claims = {"idle.dispatch": 10_000_000}
    seen = IdleAccount(
        "idle.dispatch", 10_000_000, 10_000_000, None, 0, 1.0, (("before aten::mm", 9_000_000),)
    )

    unnamed = kernel_launch_bound._doing(claims, Idle((), ()), of_torch=True)
    named = kernel_launch_bound._doing(claims, Idle((seen,), ()), of_torch=True)

    assert unnamed == "Running Python and PyTorch's ops up to their launches takes 10.0 ms of that."
    assert named.endswith("takes 10.0 ms of that, 9.0 ms of it before aten::mm.")
