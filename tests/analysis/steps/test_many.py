"""A recording may have more steps and GPUs than are judged; what is judged stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from demo.xspace_writer import SpaceBuilder
from tests.strategies import GEMM, Recording
from tfperf_plugin.analysis.finding_steps import find as module
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE
from tfperf_plugin.readers.tables import MAX_GPUS


def recording(count: int) -> Recording:
    made = Recording(2)
    for number in range(count):
        begin = number * 100
        for gpu in range(2):
            made.launch(gpu, GEMM, (begin + 10, begin + 12), begin + 20, begin + 80)
        made.step(number, begin, begin + 90)
    return made


def test_of_too_many_steps_the_first_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    every = recording(10).analyse().steps
    monkeypatch.setattr(module, "MAX_GPU_STEPS", 12)

    found = recording(10).analyse().steps

    assert (len(every), every.later_count) == (10, 0)
    assert (len(found), found.later_count) == (6, 4)
    for name in ("number", "begin_ns", "end_ns", "complete", "judged"):
        np.testing.assert_array_equal(getattr(found, name), getattr(every, name)[:6])
    for mine, all_of_them in zip(found.device_step, every.device_step, strict=True):
        np.testing.assert_array_equal(mine, np.where(all_of_them < 6, all_of_them, -1))


def test_of_too_many_gpus_the_first_are_read() -> None:
    space, anomalies = SpaceBuilder("host"), Anomalies()
    for gpu in range(MAX_GPUS + 3):
        space.plane(f"/device:GPU:{gpu}", gpu).line(7, "Stream #7(Compute)").event(GEMM, 100, 50)

    host = XSPACE.trace("host", XSPACE.decode(space.to_bytes(), anomalies), anomalies)

    assert [d.ordinal for d in host.devices] == list(range(MAX_GPUS))
    assert [(a.name, a.count) for a in anomalies.rows()] == [("gpus-left-out", 3)]
