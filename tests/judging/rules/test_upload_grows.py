"""Each upload is larger than the one before."""

from __future__ import annotations

import pytest

from tests.builders import fires, judge, passes, value
from tests.watched import training, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.upload_grows import RULE
from tfperf_plugin.recording.resources import Recorded

MB = 1e6


def sent(*seconds: int, apart: int = 60, running: float = 0.9, name: str = "network.out eth0") -> Recorded:
    """Uploads of so many seconds at 100 MB/s, where else 1 MB/s is sent; the GPU is as busy meanwhile."""
    rates, used = [MB] * apart, [0.9] * apart
    for length in seconds:
        rates += [100 * MB] * length + [MB] * apart
        used += [running] * length + [0.9] * apart
    return watched({name: rates, "gpu.busy 0": used})


def test_steps_that_wait_for_uploads_make_it_severe() -> None:
    found = fires(RULE, training(), recorded=sent(5, 10, 15, 20, 25, running=0.0))

    assert found.severity == "warning"
    assert found.impact_ratio == pytest.approx(75 / 435)
    assert found.fix is not None and any("during 75.0 s of uploads" in one for one in found.fix.actions)
    assert "no step ran" in found.summary


def test_a_pause_of_seconds_does_not_divide_an_upload() -> None:
    rates = [MB] * 30
    for length in range(2, 8):
        rates += ([100 * MB] * length + [MB] * 3) * 2 + [MB] * 30

    assert value(fires(RULE, training(), recorded=watched({"network.out eth0": rates})), "uploads") == 6


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(sent(2, 4, 6, 8), id="four"),
        pytest.param(sent(5, 5, 5, 5, 5, 5), id="as large as before"),
        pytest.param(sent(10, 11, 12, 13, 14), id="a little larger"),
        pytest.param(sent(8, 1, 6, 2, 9, 3, 7), id="in no order"),
        pytest.param(sent(9, 8, 7, 6, 5, 4), id="smaller"),
        pytest.param(sent(1, 20, 2, 20, 3, 20, 4, 20), id="checkpoints between"),
        pytest.param(sent(), id="none"),
        pytest.param(sent(60, 62, 64, 66, 68, 120, apart=20), id="a link that is always in use"),
        pytest.param(watched({"network.out eth0": ([1e3] * 30 + [9e5]) * 9}), id="below a megabyte a second"),
    ],
)
def test_uploads_that_do_not_ascend_are_fine(recorded: Recorded) -> None:
    passes(RULE, training(), recorded=recorded)


def test_what_is_received_is_no_upload() -> None:
    assert isinstance(
        judge(RULE, training(), recorded=sent(1, 2, 3, 4, 5, 6, name="network.in eth0")), NotApplicable
    )
