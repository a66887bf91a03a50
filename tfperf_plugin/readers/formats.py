"""The formats of profiles. TensorBoard's start imports this module, so decoders are imported when needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfperf_plugin.readers.base import Reader, RunFiles
from tfperf_plugin.readers.content import Data

if TYPE_CHECKING:
    from tfperf_plugin.readers.xspace import Anomalies
    from tfperf_plugin.readers.xspace.host_trace import Parts
    from tfperf_plugin.trace.model import HostTrace

HEAD_BYTES: Final = 64


class XSpaceReader:
    """Protobuf messages of TensorFlow's and JAX's profiler: ``plugins/profile/RUN/HOST.xplane.pb``."""

    suffix: Final = ".xplane.pb"
    expected = "plugins/profile/RUN/HOST.xplane.pb at any depth"

    def runs_in(self, folder: tuple[str, ...], files: tuple[str, ...]) -> Iterator[RunFiles]:
        """A folder in ``plugins/profile`` is a run, which the profile plugin calls by what lies above."""
        *above, plugins, profile, run = ("", "", "", *folder)
        hosts = [(file.removesuffix(self.suffix), file) for file in files if file.endswith(self.suffix)]
        if (plugins, profile) == ("plugins", "profile") and (named := [h for h in hosts if h[0]]):
            yield RunFiles((*filter(None, above), run), tuple(named))

    def takes(self, head: bytes) -> bool:
        """Always: the format has no mark of its own, so it comes last."""
        return True

    def decode(self, data: Data, anomalies: Anomalies) -> Parts:
        """What a trace needs of each plane. Raises UnreadableInput."""
        from tfperf_plugin.readers.xspace.host_trace import read_parts

        return read_parts(data, anomalies)

    def trace(self, host: str, decoded: Parts, anomalies: Anomalies) -> HostTrace:
        """The planes joined. Raises NotJudgeable."""
        from tfperf_plugin.readers.xspace.host_trace import join

        return join(host, decoded, anomalies)


READERS: Final[tuple[Reader, ...]] = (XSpaceReader(),)
"""In the order in which they are asked; the last one takes everything."""


def reader_of(data: Data) -> Reader:
    """Who reads a file of this content."""
    head = data[0:HEAD_BYTES]
    return next(reader for reader in READERS if reader.takes(head))
