"""Files made to hurt: an answer, in bounded memory and time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.bombs import bombs
from tests.fuzz.oracles import check_reader, check_whole_path
from tests.pace import pace

BOMBS = bombs()
MEMORY_BYTES, BYTES_A_BYTE = 200e6, 60
"""What a report may take: so much for a file of up to 1 MB; of a larger one 60 MB and so many bytes a byte."""
PROCESSOR_S = 3
"""For a file of up to 1 MB on a calm machine; beside other work a processor needs up to twice as long."""
REPORT = """
import sys
from tfperf_plugin.cli import main
main(sys.argv[1:])
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_gets_an_answer(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    check_reader(data)
    check_whole_path(tmp_path, data)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory a program took at most")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    path = tmp_path / "plugins" / "profile" / "run" / "host.xplane.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)

    peak_bytes, processor_s = cost_of_a_report(tmp_path)

    assert peak_bytes < max(MEMORY_BYTES, BYTES_A_BYTE * len(data) + 60e6), f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S * max(1, len(data) / 1e6)


def cost_of_a_report(place: Path) -> tuple[int, float]:
    """Peak memory in bytes of ``tfperf report`` in a process of its own, and the processor time of this process
    and its workers if the machine were calm."""
    before, spent_s = pace(), processor_s()
    command = [sys.executable, "-c", REPORT, "report", str(place), "--no-cache"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr, run.stderr
    kilobytes, spent_s = int(run.stderr.splitlines()[-1]), processor_s() - spent_s
    return kilobytes << 10, spent_s / max(before, pace())


def processor_s() -> float:
    """What the processes that this one started, and awaited, took of the processors."""
    times = os.times()
    return times.children_user + times.children_system
