"""Processes of one machine, which PyTorch records in files of their own, are not called hosts."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from demo.build import training
from demo.formats import KINETO
from demo.simulator import simulate
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.kineto.events import machine
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.lines import hosts_words


def recorded(folder: Path, name: str, own_gpus: bool = True) -> Report:
    """The report on four ranks of which one is slow.

    ``name``: of a rank's file, as the file states it; ``own_gpus``: whether each rank has a GPU of its own.
    """
    files = simulate(replace(training("slow_host"), gpus=1), KINETO.encode).files
    for rank, (host, content) in enumerate(files.items()):
        stated = name.format(host=host, process=4000 + rank)
        text = gzip.decompress(content).replace(f"{host}.pt.trace.json".encode(), stated.encode())
        text = text.replace(b'"device": 0', f'"device": {rank if own_gpus else 0}'.encode())
        path = folder / KINETO.place.format(host=host)
        path.write_bytes(gzip.compress(text))
    (run,) = find_runs(str(folder))
    return build_report(run)


@pytest.mark.parametrize(
    ("name", "words", "title", "median"),
    [
        ("node_{process}.1767225600000.pt.trace.json", "4 processes on 1 host", "Straggler: rank-2",
         "median of the processes"),
        ("{host}_{process}.1767225600.pt.trace.json", "4 hosts", "Straggler host: rank-2",
         "median of the hosts"),
        ("trace_of_my_model.json", "4 hosts", "Straggler host: rank-2",
         "median of the hosts"),
    ],
)  # fmt: skip
def test_ranks_of_one_machine_are_processes(
    tmp_path: Path, name: str, words: str, title: str, median: str
) -> None:
    report = recorded(tmp_path, name)
    slow = next(f for f in report.findings if f.id == "slow-host")

    assert hosts_words(report) == words
    assert f"hardware: {words}," in to_agent(report)
    assert slow.title == title
    assert median in {each.label for each in slow.evidence}
    alone = report.machines_count == 1
    assert alone != any("out of the job" in action for action in slow.fix.actions)
    assert report.allreduce is None or report.allreduce.hosts_count == report.machines_count


def test_machines_of_one_name_whose_ranks_have_the_same_gpu_are_several(tmp_path: Path) -> None:
    report = recorded(tmp_path, "localhost_{process}.1767225600000.pt.trace.json", own_gpus=False)

    assert hosts_words(report) == "4 hosts"


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ("./trace/ip-172-31.internal_29220.1698955894936168439.pt.trace.json", "ip-172-31.internal"),
        (r"C:\logs\PC_7.1698955894936.pt.trace.json.gz", "PC"),
        ("worker0.1698955894936.pt.trace.json", ""),
        ("a_b.json", ""),
        (7, ""),
        (None, ""),
    ],
)  # fmt: skip
def test_the_machine_is_read_from_the_name_that_pytorch_gives(stated: object, found: str) -> None:
    assert machine({"traceName": stated}) == found
