"""The reports of demo runs, each made once in a process, or once for all processes of a run of tests."""

from __future__ import annotations

import fcntl
import functools
import os
import tempfile
from pathlib import Path

from demo.build import RUN, build
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report import serialize
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options, OtherThreshold

SHARED = "TFPERF_DEMO_REPORTS"
"""A variable of the environment: the folder in which processes share their reports."""


@functools.cache
def demo_report(name: str, *tried: OtherThreshold) -> Report:
    """What is said about the demo run of a scenario, with other thresholds if some are given."""
    folder = os.environ.get(SHARED)
    if folder is None or tried:
        return made(name, *tried)
    path = Path(folder, f"{name}.gz")
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return serialize.from_bytes(path.read_bytes())
        report = made(name)
        content = serialize.to_bytes(report)
        assert serialize.from_bytes(content) == report
        path.write_bytes(content)
        return report


def made(name: str, *tried: OtherThreshold) -> Report:
    """The same, analyzed anew."""
    return build_report(resolve(demo_logdir(name), f"{name}/{RUN}"), Options(tried=tried))


@functools.cache
def demo_logdir(name: str) -> str:
    """A folder with this demo run among others; it goes when the process ends."""
    build(Path(_folder().name), [name])
    return _folder().name


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()
