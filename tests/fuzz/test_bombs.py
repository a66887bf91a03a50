"""Files made to hurt: an answer, in bounded memory and time."""

from __future__ import annotations

import atexit
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.fuzz.bombs import bombs
from tests.fuzz.corpus import starts
from tests.fuzz.oracles import check_reader, check_whole_path
from tests.pace import pace

BOMBS = bombs()
MEMORY_BYTES, BYTES_A_BYTE = 200e6, 60
"""What a report may take: so much for a file of up to 1 MB; of a larger one 60 MB and so many bytes a byte."""
SHARED_BYTES = 8e6
"""What a process that is forked shares with the one before, so that it does not count as its own."""
PROCESSOR_S = 3
"""For a file of up to 1 MB on a calm machine; beside other work a processor needs up to twice as long."""
REPORTS = """
import os, sys
from tfperf_plugin.cli import main

main(["report", sys.argv[1], "--no-cache"])
print(sum(os.times()[:2]), file=sys.stderr, flush=True)
for line in sys.stdin:
    place, answer = line.rstrip().split("\\t")
    if child := os.fork():
        spent = os.wait4(child, 0)[2]
        print(spent.ru_utime + spent.ru_stime, file=sys.stderr, flush=True)
        continue
    said = os.open(answer, os.O_WRONLY | os.O_CREAT)
    os.dup2(said, 1)
    os.dup2(said, 2)
    main(["report", place, "--no-cache"])
    sys.stdout.flush()
    print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), flush=True)
    os._exit(0)
"""
"""Makes a first report, then another one for each line, in a process of its own that has the program loaded."""


@cache
def reports() -> tuple[subprocess.Popen[str], float]:
    """The process that makes reports, and the processor time of its start and first report."""
    with tempfile.TemporaryDirectory() as folder:
        place = profile(Path(folder), starts()[0])
        process = subprocess.Popen(
            [sys.executable, "-c", REPORTS, str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        atexit.register(process.kill)
        return process, answer_of(process)


def answer_of(process: subprocess.Popen[str]) -> float:
    """The processor seconds that the process tells."""
    assert process.stderr
    line = process.stderr.readline()
    assert re.fullmatch(r"[\d.]+\n", line), line + process.stderr.read()
    return float(line)


def profile(folder: Path, data: bytes) -> Path:
    """The log directory with one run of this profile."""
    path = folder / "plugins" / "profile" / "run" / "host.xplane.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_gets_an_answer_in_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    check_reader(data)
    check_whole_path(tmp_path / "here", data)
    if sys.platform != "linux":
        return  # only Linux says what memory a program took at most
    peak_bytes, processor_s = cost_of_a_report(profile(tmp_path / "apart", data))

    assert peak_bytes < max(MEMORY_BYTES, BYTES_A_BYTE * len(data) + 60e6), f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S * max(1, len(data) / 1e6)


def cost_of_a_report(place: Path) -> tuple[float, float]:
    """Peak memory in bytes of ``tfperf report`` in a process of its own, and the processor time of the start, of
    this process and of its workers if the machine were calm."""
    process, start_s = reports()
    assert process.stdin
    with tempfile.NamedTemporaryFile() as answer:
        before = pace()
        print(place, answer.name, sep="\t", file=process.stdin, flush=True)
        spent_s = start_s + answer_of(process)
        said = answer.read().decode()
    assert "Traceback" not in said, said
    return (int(said.splitlines()[-1]) << 10) + SHARED_BYTES, spent_s / max(before, pace())
