"""XSpace files to planes, lines and columns of events: the only place that knows the file format.

``reader`` goes through a file, with ``wire`` for protobuf, ``events``, ``stats`` and ``decoded`` for its
parts and ``compiled`` for speed; ``model`` is the result, and ``host_trace`` makes a ``HostTrace`` of it.
What programs of XLA compute: ``hlo`` finds them in a file and takes the sizes of collectives from them,
``program`` is one. ``work`` sums up each instruction from ``operations`` (with ``products``), the
bytes that it moves, and ``attention``. All of that draws on one ``Budget``.
"""

from tfperf_plugin.readers.xspace.model import Plane, XSpace
from tfperf_plugin.readers.xspace.reader import read, read_each

__all__ = ["Plane", "XSpace", "read", "read_each"]
