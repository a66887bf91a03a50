"""The profile formats. TensorBoard imports this module at startup, so decoders are imported when needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.readers.base import Head, Reader, RunFiles, Source
from tfperf_plugin.readers.content import HEAD_BYTES, Data
from tfperf_plugin.readers.kineto import files as json_files
from tfperf_plugin.readers.nsight import files as sqlite_files

_XPLANE: Final = ".xplane.pb"


def _runs_of_xspace(folder: tuple[str, ...], files: tuple[str, ...], _: Head) -> Iterator[RunFiles]:
    """A folder in ``plugins/profile`` is a run, named as in the profile plugin by the folders above."""
    *above, plugins, profile, run = ("", "", "", *folder)
    hosts = [(file.removesuffix(_XPLANE), file) for file in files if file.endswith(_XPLANE)]
    if (plugins, profile) == ("plugins", "profile") and (named := [host for host in hosts if host[0]]):
        yield RunFiles((*filter(None, above), run), tuple(named))


KINETO: Final = Reader(
    source=Source("PyTorch profiler", "Perfetto"),
    expected="*.json or *.json.gz of PyTorch's profiler",
    suffixes=json_files.SUFFIXES,
    runs_in=json_files.runs_in,
    takes=lambda head: json_files.head_of(head) is not None,
    module="tfperf_plugin.readers.kineto.host_trace",
    is_rank_folder=json_files.RANK_FOLDER.fullmatch,
)
NSIGHT: Final = Reader(
    source=Source("Nsight Systems", "Nsight Systems"),
    expected="*.sqlite of nsys export --type sqlite",
    suffixes=sqlite_files.SUFFIXES,
    runs_in=sqlite_files.runs_in,
    takes=sqlite_files.is_sqlite,  # whether the tables are Nsight's is known once they are read
    module="tfperf_plugin.readers.nsight.host_trace",
)
XSPACE: Final = Reader(
    source=Source("TensorFlow or JAX profiler", "XProf"),
    expected="plugins/profile/RUN/HOST.xplane.pb at any depth",
    suffixes=(_XPLANE,),
    runs_in=_runs_of_xspace,
    takes=lambda _: True,  # the format has no signature, so this reader comes last
    module="tfperf_plugin.readers.xspace.host_trace",
)
READERS: Final = (KINETO, NSIGHT, XSPACE)
"""All readers, in the order in which they are tried. The last one accepts every file."""


def reader_of(data: Data) -> Reader:
    """Returns the reader for a file with this content."""
    head = data[0:HEAD_BYTES]
    return next(reader for reader in READERS if reader.takes(head))
