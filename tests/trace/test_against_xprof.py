"""Kernel durations and counts agree with XProf's kernel statistics, which are right."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demo.build import build
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE
from tfperf_plugin.trace.roles import Role, uses_tensor_cores


def _ours(file: Path) -> tuple[Counter[str], Counter[str]]:
    host = XSPACE.trace("host", XSPACE.decode(file.read_bytes(), Anomalies()), Anomalies())
    count: Counter[str] = Counter()
    time_ns: Counter[str] = Counter()
    for device in host.devices:
        for row in (device.role <= Role.COLLECTIVE).nonzero()[0].tolist():
            name = device.names[device.name[row]]
            count[name] += 1
            time_ns[name] += int(device.end_ns[row] - device.start_ns[row])
    return count, time_ns


def _table(file: Path, folder: Path) -> list[dict[str, Any]]:
    """XProf's table, asked on a link in a folder of its own: it writes caches beside what it reads."""
    convert = pytest.importorskip("xprof.convert.raw_to_tool_data")
    folder.mkdir()
    link = folder / file.name
    link.symlink_to(file)
    data, _ = convert.xspace_to_tool_data([str(link)], "kernel_stats", {})
    table = json.loads(data)
    ids = [column["id"] for column in table["cols"]]
    return [dict(zip(ids, (cell["v"] for cell in row["c"]), strict=True)) for row in table["rows"]]


def _xprof(file: Path, folder: Path) -> tuple[Counter[str], Counter[str]]:
    count: Counter[str] = Counter()
    time_ns: Counter[str] = Counter()
    for cells in _table(file, folder):
        count[cells["kernel_name"]] += round(cells["occurrences"])
        time_ns[cells["kernel_name"]] += round(cells["total_duration_us"] * 1000)
    return count, time_ns


def _on_tensor_cores(file: Path, folder: Path) -> set[str]:
    """Kernels that XProf takes to use Tensor Cores."""
    return {cells["kernel_name"] for cells in _table(file, folder) if cells["is_kernel_using_tensor_core"]}


def _assert_same(file: Path, folder: Path) -> None:
    count, time_ns = _ours(file)
    their_count, their_time_ns = _xprof(file, folder)
    assert their_count == count
    for name, ns in time_ns.items():
        # Each of our durations is rounded to a whole nanosecond, theirs to a thousandth of a microsecond.
        assert abs(their_time_ns[name] - ns) <= 2 * count[name], name


@pytest.mark.parametrize("name", ["gpu_stagger", "healthy_single_gpu"])
def test_kernels_of_demo_runs(name: str, tmp_path: Path) -> None:
    (file,) = build(tmp_path / "logdir", [name])
    _assert_same(file, tmp_path / "private")


@pytest.mark.parametrize("name", ["healthy_single_gpu", "tensor_cores_unused", "mixed_precision_off"])
def test_tensor_cores_of_demo_runs(name: str, tmp_path: Path) -> None:
    (file,) = build(tmp_path / "logdir", [name])
    ours = {kernel for kernel in _ours(file)[0] if uses_tensor_cores(kernel)}

    theirs = _on_tensor_cores(file, tmp_path / "private")

    # XProf's list knows cuDNN's "xmma_implicit_gemm", but not with the direction in between.
    assert theirs == {kernel for kernel in ours if not re.search("xmma_(fprop|dgrad|wgrad)_", kernel)}
    assert bool(ours) == (name == "healthy_single_gpu")


def test_kernels_of_a_real_profile(real_profile: Callable[[str], Path], tmp_path: Path) -> None:
    (file,) = real_profile("GPU-multi-worker").iterdir()
    _assert_same(file, tmp_path / "private")
