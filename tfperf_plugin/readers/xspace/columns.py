"""Stats of a plane as columns with one value for each event."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.arrays.unique import Numbers
from tfperf_plugin.readers.xspace import Plane


def int_column(plane: Plane, stat: str, absent: int) -> Numbers:
    """An integer stat as int32 or int64, ``absent`` (a small number) where an event has none."""
    column = plane.ints(stat)
    if column is None:
        return np.broadcast_to(np.int32(absent), len(plane.start_ns))
    if column.present.strides == (0,):
        return column.values
    return np.where(column.present, column.values, column.values.dtype.type(absent))


def flag_column(plane: Plane, stat: str) -> Ints:
    """A yes/no stat that collectors write as an integer or as text: 1, 0, or −1 where absent."""
    flags = int_column(plane, stat, -1).astype(np.int64)
    texts = plane.texts(stat)
    if texts is not None and texts.strings:
        yes = np.array([s.lower() == "true" for s in texts.strings])
        flags = np.where(texts.codes >= 0, yes[np.maximum(texts.codes, 0)].astype(np.int64), flags)
    return flags
