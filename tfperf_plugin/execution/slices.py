"""From a run to a slice of one of its hosts: in this process, or in a worker's (``pool.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.execution.analyze import Progress
from tfperf_plugin.execution.hosts import decode
from tfperf_plugin.readers.logdirs.runs import MOST_NAMED, Run
from tfperf_plugin.report.slice.choose import Cut
from tfperf_plugin.report.slice.chrome import Slice, write_slice
from tfperf_plugin.version import __version__

_SHARES: Final = {"read": 0.0, "trace": 0.5, "steps": 0.8, "report": 0.9}


def only_host(run: Run, name: str) -> Run:
    """The run with just the host of this name; "" stands for the only one. Raises BadOptionError."""
    found = [file for file in run.hosts if name in (file.host, "")]
    if len(found) == 1:
        return replace(run, hosts=tuple(found), records=())
    names = ", ".join(file.host for file in run.hosts[:MOST_NAMED])
    others = f" and {len(run.hosts) - MOST_NAMED} others" if len(run.hosts) > MOST_NAMED else ""
    what = f"has no host {name!r:.100}" if name else "has several hosts"
    raise BadOptionError(f"Run {run.name} {what}; name one of {names}{others}.")


def slice_run(run: Run, cut: Cut, progress: Progress) -> Slice:
    """The slice of a run's only host.

    Raises UnreadableInput, NotJudgeable, and BadOptionError if the range holds nothing.
    """
    decoded = decode(run.hosts[0], lambda stage: progress(stage, _SHARES[stage]))
    progress("report", _SHARES["report"])
    about = {"run": run.name, "recorded_by": decoded.source.recorder, "written_by": f"tfperf {__version__}"}
    return write_slice(decoded.trace, decoded.steps, cut, about)


def make_slice(run: Run, cut: Cut, progress: Progress, build: Callable[[Run, Cut, Progress], Slice]) -> Slice:
    """What ``build`` makes of a run with only one host. Raises TfperfError."""
    try:
        return build(run, cut, progress)
    except MemoryError as error:
        raise UnreadableInput(
            f"Host {run.hosts[0].host} needs more memory than there is. Capture fewer steps."
        ) from error
