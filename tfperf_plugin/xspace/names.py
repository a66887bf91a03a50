"""The table of names that a plane's events, or their stats, refer to by number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.xspace.wire import Ints


class Names:
    """Distinct texts and the codes of the metadata ids that stand for them.

    ``by_id`` is the table of the file. Several ids may share a name; they share its code, its place in
    ``texts``.
    """

    def __init__(self, by_id: Mapping[int, str]) -> None:
        codes: dict[str, int] = {}
        self.by_id = by_id
        self._ids = np.array(sorted(by_id), np.int64)
        self._codes = np.array([codes.setdefault(by_id[id], len(codes)) for id in sorted(by_id)], np.int32)
        self.texts = tuple(codes)

    def codes_of(self, ids: Ints) -> NDArray[np.int32]:
        """The code of each id, -1 where it is not in the table."""
        if not self._ids.size:
            return np.full(ids.size, -1, np.int32)
        at = np.minimum(np.searchsorted(self._ids, ids), self._ids.size - 1)
        codes: NDArray[np.int32] = np.where(self._ids[at] == ids, self._codes[at], np.int32(-1))
        return codes
