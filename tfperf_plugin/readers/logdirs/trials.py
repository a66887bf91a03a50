"""Searches a log directory for the folders of ``tfperf try`` and ``tfperf tune``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tfperf_plugin.readers.logdirs.files import is_remote
from tfperf_plugin.readers.logdirs.finding import readable, visited
from tfperf_plugin.records import Record

VERDICT: Final = "verdict.json"
"""What a trial that came to an end has in its folder."""
TUNING: Final = "tune.json"
"""What a tuning has in its folder."""


class KeptTrial(Record, frozen=True):
    """The folder of a trial, or of a tuning with its trials. ``name``: as ``Run.name``, "." at the top."""

    name: str
    path: Path
    is_tuning: bool

    @property
    def file(self) -> Path:
        """What says how it ended, or how far it is."""
        return self.path / (TUNING if self.is_tuning else VERDICT)


def find_trials(logdir: str, place: str | None = None) -> Iterator[KeptTrial]:
    """The trials and tunings below ``logdir``, the nearest first; none if it is remote.

    Raises as ``finding.find_runs`` does.
    """
    tunings: set[tuple[str, ...]] = set()
    for folder, listing in () if is_remote(logdir) else visited(logdir, place):
        is_tuning = TUNING in listing.files
        if is_tuning:
            tunings.add(folder.parts)
        elif VERDICT not in listing.files or folder.parts[:-1] in tunings:  # a tuning tells of its trials
            continue
        yield KeptTrial(readable("/".join(folder.parts)) or ".", Path(folder.path), is_tuning)
