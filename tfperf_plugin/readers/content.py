"""The bytes of a profile, whole or read piece by piece, and what they may make their reader compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, overload

AHEAD_BYTES: Final = 1 << 16
MAX_PROFILE_BYTES: Final = (1 << 31) - 1
"""Protocol buffers hold no larger messages."""
TOO_LARGE: Final = "The file is larger than 2 GiB, the limit of its format. Capture fewer steps."
HEAD_BYTES: Final = 1 << 14
"""How much of a file is read to tell its format."""


class Content:
    """The bytes of a file, which are read when they are asked for: ``content[3]``, ``content[at:end]``.

    A slice needs both ends. Single bytes are read ahead, and are of one thread. ``path``: of a local file,
    for libraries that open files themselves.
    """

    def __init__(self, size: int, read: Callable[[int, int], bytes], path: str = "") -> None:
        self._size, self._read, self.path = size, read, path
        self._begin, self._ahead = 0, b""

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> bytes: ...
    def __getitem__(self, place: int | slice) -> int | bytes:
        if isinstance(place, slice):
            return self._read(place.start, min(place.stop, self._size))
        if not 0 <= place - self._begin < len(self._ahead):
            self._begin, self._ahead = place, self[place : place + AHEAD_BYTES]
        return self._ahead[place - self._begin]


Data = bytes | Content


class Budget:
    """What a file may make its reader compute beyond one pass over its bytes.

    Windows, graphs, sets of sizes and inputs of ops can ask for far more work than they take bytes. Whatever
    loops over them draws on one budget for each host; what it no longer covers is not judged. ``left``: steps
    of about a microsecond; a host gets one for each byte of its programs or its file.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def draw(self, steps: int) -> bool:
        """Takes ``steps``; False, and nothing is taken, if fewer are left."""
        if steps > self.left:
            return False
        self.left -= steps
        return True
