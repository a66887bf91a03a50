"""The reports of demo runs, each made once in a process."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from demo.build import RUN, build
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options, Trial


@functools.cache
def demo_report(name: str, *trials: Trial) -> Report:
    """What is said about the demo run of a scenario, with other thresholds if some are given."""
    return build_report(resolve(demo_logdir(name), f"{name}/{RUN}"), Options(tried=trials))


@functools.cache
def demo_logdir(name: str) -> str:
    """A folder with this demo run among others; it goes when the process ends."""
    build(Path(_folder().name), [name])
    return _folder().name


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()
