"""When each GPU starts and ends its steps."""

from __future__ import annotations

from tests.strategies import ALL_REDUCE, GEMM, MS, Recording
from tfperf_plugin.analysis.artifacts.communication.step_starts import HostStarts, Starts


def _starts(recording: Recording) -> HostStarts:
    (found,) = recording.analyse().inputs().of(Starts).hosts
    return found


def test_what_each_gpu_loses_in_each_step_adds_up_to_the_cost() -> None:
    recording = Recording(2)
    recording.steps(3, 50 * MS)
    for begin in range(0, 150 * MS, 50 * MS):
        for gpu, late in ((0, 0), (1, 8)):
            recording.run(gpu, GEMM, begin + late * MS, begin + (20 + late) * MS)
            recording.run(gpu, ALL_REDUCE, begin + (20 + late) * MS, begin + 50 * MS, "20")
    found = _starts(recording)

    assert found.idle_ns.tolist() == [[0, 0], [8 * MS, 8 * MS]]
    assert found.waiting_ns.tolist() == [[8 * MS, 8 * MS], [0, 0]]
    assert (found.cost_ns, found.wait_ns) == (4 * MS, 4 * MS)
