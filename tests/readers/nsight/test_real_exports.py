"""Real exports: a whole recording of one GPU, and two that were cut to 0.3 s of two GPUs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import REPOSITORY
from tests.readers.nsight.writer import trace
from tfperf_plugin.arrays.intervals import union
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.render.text import to_text
from tfperf_plugin.trace.model import HostTrace
from tfperf_plugin.trace.roles import Role

FOLDER = REPOSITORY.parent / "shared" / "corpus" / "data" / "nsys"
WORK = " UNION ALL ".join(
    f"SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_{table}"
    for table in ("KERNEL", "MEMCPY", "MEMSET")
)


def real(name: str) -> Path:
    path = FOLDER / f"{name}.sqlite"
    if not path.is_file():
        pytest.skip("the real exports are not beside this repository")
    return path


def asked(path: Path, query: str) -> list[tuple[int, ...]]:
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if "CUPTI_ACTIVITY_KIND_MEMSET" not in tables:
        query = query.replace(" UNION ALL SELECT deviceId, start, end FROM CUPTI_ACTIVITY_KIND_MEMSET", "")
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


each = pytest.mark.parametrize("name", ["mock", "mfu_2gpu_before", "mfu_2gpu_after"])


@each
def test_gpus_are_busy_when_their_tables_say_so(name: str) -> None:
    path = real(name)

    for gpu in trace(path).devices:
        begin, end = np.array(
            asked(path, f"SELECT start, end FROM ({WORK}) WHERE deviceId = {gpu.ordinal}")
        ).T
        assert gpu.busy(*set(Role) - {Role.NO_WORK}).total_ns == union(begin, end).total_ns


@each
def test_every_launch_that_the_file_holds_is_found(name: str) -> None:
    path = real(name)
    joined = asked(
        path,
        "SELECT k.start, min(r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
        "ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24 GROUP BY k.rowid",
    )

    found = trace(path)

    kernels = [
        (int(start), int(found.events.start_ns[launch]))
        for gpu in found.devices
        for start, launch, kernel in zip(gpu.start_ns, gpu.launch, gpu.is_kernel(), strict=True)
        if kernel and launch >= 0
    ]
    assert sorted(kernels) == sorted(joined)


@each
def test_host_events_are_nested_and_in_order(name: str) -> None:
    events = trace(real(name)).events

    rows = np.lexsort((-events.end_ns, events.start_ns, events.thread))
    assert (rows == np.arange(len(rows))).all()
    inner = np.flatnonzero(events.parent >= 0)
    outer = events.parent[inner]
    assert (events.thread[outer] == events.thread[inner]).all()
    assert (events.start_ns[outer] <= events.start_ns[inner]).all()
    assert (events.end_ns[outer] >= events.end_ns[inner]).all()


def test_pytorchs_ranges_name_the_ops() -> None:
    found = trace(real("mfu_2gpu_before"))

    assert len(found.events.names) < 200
    for gpu in found.devices:
        launched = (gpu.role == Role.KERNEL) & (gpu.launch >= 0)
        assert (gpu.op[launched] >= 0).all()
        assert {"forward/aten::addmm", "forward/flash_attn::_flash_attn_forward"} <= {
            gpu.ops[op] for op in np.unique(gpu.op[launched])
        }


@each
def test_the_report_says_how_busy_the_gpus_were_and_names_no_other_framework(name: str) -> None:
    path = real(name)

    report = analyze_run(resolve(str(path))).report

    for gpu in report.devices:
        begin, end = np.array(
            asked(path, f"SELECT start, end FROM ({WORK}) WHERE deviceId = {gpu.device[4:]}")
        ).T
        assert gpu.busy_ratio == pytest.approx(union(begin, end).total_ns / span(trace(path)), abs=0.05)
    text = to_text(report, color=False)
    assert "tf.data" not in text
    assert "Keras" not in text
    assert "jax" not in text.lower()


def span(found: HostTrace) -> int:
    """Length of the recording."""
    begin = min(int(found.events.start_ns.min()), *(int(gpu.start_ns.min()) for gpu in found.devices))
    return max(int(found.events.end_ns.max()), *(int(gpu.end_ns.max()) for gpu in found.devices)) - begin
