"""The training stands between its steps."""

from __future__ import annotations

import pytest

from tests.builders import passes
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
