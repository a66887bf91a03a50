"""What threads do is what one after another does."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.profiles import write_profile
from tfperf_plugin.arrays import threads
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.serialize import to_json


def test_results_keep_their_order_and_the_first_error_counts() -> None:
    def work(number: int) -> tuple[int, str]:
        if number < 0:
            raise ValueError(str(number))
        return number, threading.current_thread().name

    found = threads.each(work, range(50), threads.WORTH_BYTES)

    assert [number for number, _ in found] == list(range(50))
    assert all(name.startswith("tfperf-part") for _, name in found)
    assert {name for _, name in threads.each(work, range(9), 0)} == {threading.current_thread().name}
    with pytest.raises(ValueError, match="-7"):
        threads.each(work, [1, -7, 2, -8], threads.WORTH_BYTES)


def test_a_report_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plugins" / "profile" / "run" / "host.xplane.pb"
    path.parent.mkdir(parents=True)
    write_profile(path, 20_000)
    (run,) = find_runs(str(tmp_path))
    found = []
    for worth_bytes in (1 << 60, 0):
        monkeypatch.setattr(threads, "WORTH_BYTES", worth_bytes)
        found.append(analyze_run(run))
    (alone, alone_arrays), (together, together_arrays) = (
        ({**to_json(each.report), "timing": None}, each.arrays) for each in found
    )

    assert together == alone
    assert together_arrays.keys() == alone_arrays.keys()
    assert all(np.array_equal(together_arrays[name], alone_arrays[name]) for name in alone_arrays)
