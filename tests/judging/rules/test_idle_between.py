"""The training stands between its steps."""

from __future__ import annotations

import pytest

from tests.builders import fires, passes, value
from tests.watched import training, watched
from tfperf_plugin.judging.rules.machine.idle_between import RULE
from tfperf_plugin.recording.resources import Recorded

BUSY, IDLE = [0.9], [0.0]


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "recorded",
    [
        watched({"gpu.busy 0": (BUSY * 200 + IDLE) * 3}),
        watched({"gpu.busy 0": (BUSY * 9 + IDLE * 4) * 9}, row_s=0.2),
        watched({"gpu.busy 0": IDLE * 50 + BUSY * 100 + IDLE * 50}),
        watched({"gpu.busy 0": (BUSY * 10 + IDLE * 10) * 5, "gpu.busy 1": (IDLE * 10 + BUSY * 10) * 5}),
    ],
    ids=["rarely", "short", "a late start and end", "another GPU works"],
)
def test_what_is_no_pause(recorded: Recorded) -> None:
    passes(RULE, training(), recorded=recorded)


def test_a_merged_row_tells_for_how_long_it_stood() -> None:
    """Rows of ten seconds, of which one holds 4 s without steps."""
    recorded = watched({"gpu.busy 0": [0.9, 0.9, 0.54, 0.9, 0.9]}, row_s=10)
    (host,) = recorded.hosts
    host.series[0].low[2] = 0.0

    found = fires(RULE, training(), recorded=recorded)

    assert value(found, "longest pause") == pytest.approx(4e9)
