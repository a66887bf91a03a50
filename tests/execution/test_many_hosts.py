"""What many hosts cost is in proportion to their number."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.logdirs import many_hosts
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.execution import hosts
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.places import resolve


def test_each_kept_host_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = 0

    def ten_bytes(_: Any) -> int:
        nonlocal measured
        measured += 1
        return 10

    monkeypatch.setattr(hosts, "_size", ten_bytes)
    decoded: Any = SimpleNamespace(file_state=(1, 2, 3))
    try:
        for path in [*map(str, range(100)), "99"]:
            hosts._keep(path, decoded, 500)
        assert [path for path, _ in hosts._kept] == [str(number) for number in range(50, 100)]
        assert measured == 101
    finally:
        hosts.forget()


def test_steps_are_looked_at_in_proportion_to_the_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0
    whole = HostSteps._whole.fget  # type: ignore[attr-defined]

    def counted(steps: HostSteps) -> Any:
        nonlocal looked
        looked += 1
        return whole(steps)

    def looks(count: int) -> int:
        nonlocal looked
        run = resolve(str(many_hosts(tmp_path / str(count), count)))
        looked = 0
        analyze_run(run)
        return looked

    monkeypatch.setattr(HostSteps, "_whole", property(counted))
    assert looks(32) < 4.5 * looks(8)
