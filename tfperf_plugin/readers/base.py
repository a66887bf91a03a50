"""What a reader is: the one place that knows a format of profiles.

A reader groups the files of a folder into runs, recognizes its files by their content, and turns one file
into the columns of a host. ``CONTRIBUTING.md`` lists what a ``HostTrace`` must hold, and what may be absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tfperf_plugin.readers.content import Data

if TYPE_CHECKING:  # TensorBoard's start imports this module, but not NumPy
    from tfperf_plugin.readers.xspace import Anomalies
    from tfperf_plugin.trace.model import HostTrace


class RunFiles(NamedTuple):
    """The files of one run in a folder: the run's name, in parts, and (host, file name) of each host."""

    name: tuple[str, ...]
    hosts: tuple[tuple[str, str], ...]


class Reader(Protocol):
    """One format of profiles."""

    expected: str
    """Where this format's files lie, for those who gave another folder."""

    def runs_in(self, folder: tuple[str, ...], files: tuple[str, ...]) -> Iterable[RunFiles]:
        """The runs of a folder below the log directory, from the names of its files alone, sorted."""

    def takes(self, head: bytes) -> bool:
        """Whether a file that begins like this, with up to 64 bytes, may be of this format."""

    def decode(self, data: Data, anomalies: Anomalies) -> Any:
        """What a file holds, in whatever form: ``data`` cannot be read any more afterwards.

        What is skipped or repaired goes into ``anomalies``. Raises UnreadableInput.
        """

    def trace(self, host: str, decoded: Any, anomalies: Anomalies) -> HostTrace:
        """The columns of what ``decode`` has returned."""
