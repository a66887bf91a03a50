"""The interface of a reader, which is the only code that knows a particular profile format.

A reader groups the files in a folder into runs, recognizes its files by their content, and converts a file
into the columns of one host. ``CONTRIBUTING.md`` lists what a ``HostTrace`` must hold and what it may omit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tfperf_plugin.readers.content import Data
from tfperf_plugin.records import Record

if TYPE_CHECKING:  # TensorBoard imports this module at startup, when NumPy must not be loaded
    from tfperf_plugin.readers.anomalies import Anomalies
    from tfperf_plugin.trace.model import HostTrace


Head = Callable[[str], bytes]
"""Returns at most ``HEAD_BYTES`` from the start of a file in the folder; none if it cannot be read."""


class RunFiles(NamedTuple):
    """The files of one run in a folder: the parts of the run's name, and (host, file name) for each host.

    ``begin_ns``: when the capture began, in ns since the epoch, if its files say so.
    """

    name: tuple[str, ...]
    hosts: tuple[tuple[str, str], ...]
    begin_ns: int | None = None


class Source(Record, frozen=True):
    """What recorded the profiles of a format, and the program that shows all of their events."""

    recorder: str
    viewer: Literal["XProf", "Perfetto", "Nsight Systems"]


class Reader(Record, frozen=True):
    """A profile format: how its files are found and recognized, and the module that reads them."""

    source: Source  #: Who wrote the files, as reports name them.
    expected: str  #: Where files of this format are stored; shown to users who named another folder.
    #: How names of files end that may have this format; others are not looked into.
    suffixes: tuple[str, ...]
    #: From the parts of a folder's path below the log directory, and the sorted names of its files, to the
    #: runs in it. Looks into files only where names do not tell enough.
    runs_in: Callable[[tuple[str, ...], tuple[str, ...], Head], Iterable[RunFiles]]
    #: Whether a file that begins with these bytes (at most ``HEAD_BYTES``) may have this format.
    takes: Callable[[bytes], bool]
    #: Name of the module with the functions ``decode`` and ``trace``, which is imported when a file is read.
    module: str
    #: Whether files in a folder of this name may be of a run in the folder above; there they are FOLDER/FILE.
    is_rank_folder: Callable[[str], object] = lambda _: False

    def decode(self, data: Data, anomalies: Anomalies) -> Any:
        """Decodes a file into any form; ``data`` cannot be read any more afterwards.

        Adds to ``anomalies`` what it skips or repairs. Raises UnreadableInput.
        """
        return import_module(self.module).decode(data, anomalies)

    def trace(self, host: str, decoded: Any, anomalies: Anomalies) -> HostTrace:
        """Converts the result of ``decode`` into columns, times mended. Raises NotJudgeable."""
        found: HostTrace = import_module(self.module).trace(host, decoded, anomalies)
        mended: HostTrace = import_module("tfperf_plugin.readers.times").mended(found, anomalies)
        return mended
