"""The table of names that a plane's events, or their stats, refer to by number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.xspace.wire import Ints

_DIRECT_IDS = 1 << 16
"""Names with a smaller id are found by index; profilers number them from 1."""


class Names:
    """Distinct texts and the codes of the metadata ids that stand for them.

    ``by_id`` is the table of the file. Several ids may share a name; they share its code, its place in
    ``texts``. ``ids`` (int64, ascending) and ``codes`` (int32) are the same table as columns.
    """

    def __init__(self, by_id: Mapping[int, str]) -> None:
        codes: dict[str, int] = {}
        self.by_id = by_id
        self.ids: Ints = np.array(sorted(by_id), np.int64)
        self.codes: NDArray[np.int32] = np.array(
            [codes.setdefault(by_id[id], len(codes)) for id in sorted(by_id)], np.int32
        )
        self.texts = tuple(codes)

    @cached_property
    def direct(self) -> NDArray[np.int32]:
        """The code of each id from 0 on, -1 where it is not in the table; as far as ids are small."""
        small = (self.ids >= 0) & (self.ids < _DIRECT_IDS)
        direct = np.full(int(self.ids[small].max(initial=-1)) + 1, -1, np.int32)
        direct[self.ids[small]] = self.codes[small]
        return direct

    def codes_of(self, ids: Ints) -> NDArray[np.int32]:
        """The code of each id, -1 where it is not in the table."""
        if not self.ids.size:
            return np.full(ids.size, -1, np.int32)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        codes: NDArray[np.int32] = np.where(self.ids[at] == ids, self.codes[at], np.int32(-1))
        return codes
