"""The profile formats. TensorBoard imports this module at startup, so decoders are imported when needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfperf_plugin.readers.base import Head, Reader, RunFiles, Source
from tfperf_plugin.readers.content import HEAD_BYTES, Data
from tfperf_plugin.readers.kineto import files
from tfperf_plugin.readers.nsight import files as sqlite_files

if TYPE_CHECKING:
    from tfperf_plugin.readers.anomalies import Anomalies
    from tfperf_plugin.readers.kineto.events import Decoded
    from tfperf_plugin.readers.nsight.host_trace import Recording
    from tfperf_plugin.readers.xspace.host_trace import Parts
    from tfperf_plugin.trace.model import HostTrace


class XSpaceReader:
    """Reads the protobuf files of TensorFlow's and JAX's profiler: ``plugins/profile/RUN/HOST.xplane.pb``."""

    source = Source("TensorFlow or JAX profiler", "XProf")
    suffixes: tuple[str, ...] = (".xplane.pb",)
    expected: str = "plugins/profile/RUN/HOST.xplane.pb at any depth"

    def runs_in(self, folder: tuple[str, ...], files: tuple[str, ...], head: Head) -> Iterator[RunFiles]:
        """A folder in ``plugins/profile`` is a run, named as in the profile plugin by the folders above."""
        *above, plugins, profile, run = ("", "", "", *folder)
        hosts = [(file.removesuffix(".xplane.pb"), file) for file in files if file.endswith(self.suffixes)]
        if (plugins, profile) == ("plugins", "profile") and (named := [h for h in hosts if h[0]]):
            yield RunFiles((*filter(None, above), run), tuple(named))

    def takes(self, head: bytes) -> bool:
        """Always true: the format has no signature, so this reader comes last."""
        return True

    def decode(self, data: Data, anomalies: Anomalies) -> Parts:
        """Decodes what a trace needs of each plane. Raises UnreadableInput."""
        from tfperf_plugin.readers.xspace.host_trace import read_parts

        return read_parts(data, anomalies)

    def trace(self, host: str, decoded: Parts, anomalies: Anomalies) -> HostTrace:
        """Joins the planes into columns. Raises NotJudgeable."""
        from tfperf_plugin.readers.xspace.host_trace import join

        return join(host, decoded, anomalies)


class KinetoReader:
    """Reads the JSON of PyTorch's profiler, of any name, in any folder."""

    source = Source("PyTorch profiler", "Perfetto")
    suffixes: tuple[str, ...] = files.SUFFIXES
    expected: str = "*.pt.trace.json or *.pt.trace.json.gz in any folder"

    def runs_in(self, folder: tuple[str, ...], names: tuple[str, ...], head: Head) -> Iterator[RunFiles]:
        """Ranks that were profiled together are a run."""
        return files.runs_in(folder, names, head)

    def takes(self, head: bytes) -> bool:
        """Whether the file begins as PyTorch's traces do."""
        return files.head_of(head) is not None

    def decode(self, data: Data, anomalies: Anomalies) -> Decoded:
        """Decodes all events into columns. Raises UnreadableInput."""
        from tfperf_plugin.readers.kineto.events import decode

        return decode(data, anomalies)

    def trace(self, host: str, decoded: Decoded, anomalies: Anomalies) -> HostTrace:
        """Joins the columns. Raises NotJudgeable."""
        from tfperf_plugin.readers.kineto.host_trace import build

        return build(host, decoded, anomalies)


class NsightReader:
    """Reads SQLite exports of Nsight Systems, in any folder."""

    source = Source("Nsight Systems", "Nsight Systems")
    suffixes: tuple[str, ...] = sqlite_files.SUFFIXES
    expected: str = "*.sqlite of nsys export --type sqlite in any folder"

    def runs_in(self, folder: tuple[str, ...], names: tuple[str, ...], head: Head) -> Iterator[RunFiles]:
        """Each file is a run; it may hold several processes."""
        return sqlite_files.runs_in(folder, names, head)

    def takes(self, head: bytes) -> bool:
        """Whether SQLite wrote the file; whether the tables are Nsight's is known once they are read."""
        return sqlite_files.is_sqlite(head)

    def decode(self, data: Data, anomalies: Anomalies) -> Recording:
        """Reads the tables. Raises UnreadableInput."""
        from tfperf_plugin.readers.nsight.host_trace import read

        return read(data, anomalies)

    def trace(self, host: str, decoded: Recording, anomalies: Anomalies) -> HostTrace:
        """Joins the tables. Raises NotJudgeable."""
        from tfperf_plugin.readers.nsight.host_trace import join

        return join(host, decoded, anomalies)


READERS: Final[tuple[Reader, ...]] = (KinetoReader(), NsightReader(), XSpaceReader())
"""All readers, in the order in which they are tried. The last one accepts every file."""


def reader_of(data: Data) -> Reader:
    """Returns the reader for a file with this content."""
    head = data[0:HEAD_BYTES]
    return next(reader for reader in READERS if reader.takes(head))
