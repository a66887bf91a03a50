"""The GPUs of a report in short, and which of many come first."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Host, inputs
from tests.logdirs import add_run
from tests.strategies import Recording
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.gpus import FEW, summarize_gpus
from tfperf_plugin.report.panels.ledger import slowest_first
from tfperf_plugin.report.render.html import to_html


def devices_of(*hosts: Host) -> Devices:
    return inputs(*hosts).of(Devices)


def row(device: int, own_ns: int, wait_ns: int) -> model.DeviceAccounts:
    """A GPU whose step is its own work and waiting for others."""
    accounts = (model.Account("compute", own_ns, 0.5), model.Account("communication.wait", wait_ns, 0.5))
    return model.DeviceAccounts("host", f"GPU:{device}", own_ns + wait_ns, accounts)


def test_gpus_whose_recording_failed_are_not_said_to_have_run_nothing() -> None:
    at_work, used, silent = Host("a", gpus=3), Host("b", gpus=2), Host("c")
    starting = Host("d", gpus=3)  # the second GPU has its data at the end of the recording
    for thread in ("py_xla_execute/1", "py_xla_execute/2"):
        at_work.event("ThunkExecutor::Execute", 0, 1, thread=thread)
    for host in (at_work, used, starting):
        host.kernel(0, 1)
    starting.steps(1, 3)
    starting.copy("H2D", 2, 3, gpu=1, size=4)

    short = summarize_gpus(devices_of(at_work, used, silent, starting))

    assert [(gpu.host, gpu.device) for gpu in short.idle] == [("b", "GPU:1")]
    assert [(gpu.host, gpu.device) for gpu in short.unrecorded] == [
        ("a", "GPU:1"),
        ("a", "GPU:2"),
        ("c", "GPU:0"),
        ("d", "GPU:1"),
        ("d", "GPU:2"),
    ]
    assert (short.idle_total, short.unrecorded_total) == (1, 5)


def test_waiting_makes_no_gpu_slow() -> None:
    waits, works = row(FEW, 10, 990), row(FEW + 1, 600, 0)
    rows = (*(row(n, 500, 500) for n in range(FEW)), waits, works)

    ordered = slowest_first(rows)

    assert (ordered[0], ordered[-1]) == (works, waits)
    assert ordered[1:-1] == rows[:FEW]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=FEW + 1, max_size=3 * FEW))
def test_every_gpu_keeps_its_row(times: list[tuple[int, int]]) -> None:
    rows = tuple(row(n, own, wait) for n, (own, wait) in enumerate(times))

    ordered = slowest_first(rows)

    assert sorted(ordered, key=rows.index) == list(rows)
    own = [times[rows.index(found)][0] for found in ordered]
    assert own == sorted(own, reverse=True)


def test_a_report_of_many_gpus_begins_with_those_that_work_longest(tmp_path: Path) -> None:
    count = FEW + 4
    recording = Recording(gpus=count)
    for step in range(3):
        begin = step * 1_000_000
        recording.step(step, begin, begin + 900_000)
        for gpu in range(count):
            works = begin + 300_000 + 1000 * (gpu * 7 % count)
            recording.run(gpu, "kernel", begin, works)
            recording.run(gpu, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", works, begin + 800_000)
    (add_run(tmp_path, "run", "worker") / "worker.xplane.pb").write_bytes(recording.to_bytes())

    report = build_report(resolve(str(tmp_path)))

    assert report.ledger
    rows = report.ledger.devices
    assert report.gpus.total == report.ledger.devices_total == len(rows) == count
    assert [row.device for row in rows] == [
        f"GPU:{gpu}" for gpu in sorted(range(count), key=lambda gpu: -(gpu * 7 % count))
    ]
    page = to_html(report)
    assert "The GPUs that work longest" in page
    assert "4 more GPUs in the JSON report." in page
