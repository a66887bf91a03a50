"""The protobuf wire format, twice: for one message at a time, and for a hundred thousand at once.

``fields`` walks the few outer messages of a file one by one. ``Rounds`` walks many small messages in step:
the first field of all of them, then the second of all that have one, and so on, each round a handful of
NumPy operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.content import MAX_PROFILE_BYTES, Data

Ints = NDArray[np.int64]

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {FIXED64: 8, FIXED32: 4}
MAX_FIELDS = 1 << 21
"""More than this in one message that is walked field by field is no profile."""

# Loads reach 10 bytes (the longest varint) beyond a position, so a window carries that many more.
_MARGIN = 16
_CHUNK_MESSAGES, _CHUNK_BYTES = 1 << 14, 1 << 22
_NO_STOP_BYTE = np.uint64(0)
_CONTINUATION_BITS = np.uint64(0x8080808080808080)
_ONE = np.uint64(1)


class WireError(ValueError):
    """The bytes do not follow the wire format; ``str(error)`` says in which way."""


class Field(NamedTuple):
    """One field of a message. Of a length-delimited one ``value`` and ``end`` bound the content."""

    number: int
    wire_type: int
    value: int
    end: int


def read_varint(data: Data, at: int, end: int) -> tuple[int, int]:
    """Returns the unsigned 64-bit number at ``at`` and the position behind it."""
    value = shift = 0
    for position in range(at, min(at + 10, end)):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, position + 1
        shift += 7
    raise WireError("it ends inside a number" if end < at + 10 else "it holds an impossible number")


def signed(value: int) -> int:
    """The int64 that an unsigned 64-bit number stands for."""
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data: Data, at: int, end: int) -> Iterator[Field]:
    """The fields of the message in ``data[at:end]``, in the order of the file. Raises WireError."""
    for _ in range(MAX_FIELDS):
        if at == end:
            return
        key, at = read_varint(data, at, end)
        number, wire_type = key >> 3, key & 7
        if number == 0 or number >= 1 << 29:
            raise WireError("it holds an impossible field number")
        value = at
        if wire_type == VARINT:
            value, at = read_varint(data, at, end)
        elif wire_type == BYTES:
            length, value = read_varint(data, at, end)
            at = value + length
        elif wire_type in _FIXED_SIZES:
            at = value + _FIXED_SIZES[wire_type]
        else:
            raise WireError("it holds an unknown kind of field")
        if at > end:
            cut = at - end < MAX_PROFILE_BYTES
            raise WireError(f"{at - end} bytes are missing" if cut else "it holds an impossible length")
        yield Field(number, wire_type, value, at)
    raise WireError(f"it holds more than {MAX_FIELDS} parts")


class Window:
    """A part of the file, prepared for reading numbers at many positions at once.

    Positions are relative to ``start``, the window's place in the file.
    """

    def __init__(self, data: Data, start: int, end: int) -> None:
        self.start = start
        self.raw = data[start : end + _MARGIN]
        if end + _MARGIN > len(data):
            self.raw = self.raw[: end - start] + bytes(_MARGIN)
        self.bytes = np.frombuffer(self.raw, np.uint8)
        self._words: NDArray[np.uint64] = np.ndarray(
            (self.bytes.size - 7,), "<u8", self.bytes.data, strides=(1,)
        )

    def words(self, at: Ints) -> NDArray[np.uint64]:
        """The eight bytes at each position as little-endian numbers."""
        words: NDArray[np.uint64] = self._words[at]
        return words

    def varints(self, at: Ints) -> tuple[NDArray[np.uint64], Ints]:
        """The number at each position and its length in bytes, 0 where it is longer than ten bytes."""
        first = self.bytes[at]
        if first.max(initial=0) < 0x80:  # ids, lengths: most fields of most events
            return first.astype(np.uint64), np.ones(at.size, np.int64)
        words = self._words[at]
        stops = ~words & _CONTINUATION_BITS
        stops &= ~stops + _ONE  # the lowest stop bit alone
        long = np.flatnonzero(stops == _NO_STOP_BYTE)
        # 2**(8 * length - 1) as a double has the exponent 8 * length - 1.
        lengths = ((stops.astype(np.float64).view(np.int64) >> 52) - 1022) >> 3
        words &= stops ^ (stops - _ONE)
        # Close the gaps of the continuation bits: between bytes, then pairs, then halves.
        words = (words & np.uint64(0x007F007F007F007F)) | ((words & np.uint64(0x7F007F007F007F00)) >> _ONE)
        words = (words & np.uint64(0x00003FFF00003FFF)) | (
            (words & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
        )
        words = (words & np.uint64(0x000000000FFFFFFF)) | (
            (words & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4)
        )
        if long.size:
            ninth = self.bytes[at[long] + 8].astype(np.uint64)
            tenth = self.bytes[at[long] + 9].astype(np.uint64)
            words[long] |= (ninth & np.uint64(0x7F)) << np.uint64(56)
            is_ten = ninth >= 0x80
            words[long] |= np.where(is_ten, tenth << np.uint64(63), 0).astype(np.uint64)
            lengths[long] = np.where(is_ten, np.where(tenth < 0x80, 10, 0), 9)
        return words, lengths


def chunks(
    data: Data, starts: NDArray[np.uint32], ends: NDArray[np.uint32]
) -> Iterator[tuple[slice, Window, Ints, Ints]]:
    """Cuts many messages into chunks small enough for the processor's cache.

    ``starts`` and ``ends`` (uint32) are the messages' bounds in ``data``, ascending. Yields which messages a
    chunk holds, its window, and the bounds in that window.
    """
    first = 0
    while first < starts.size:
        at = starts[first : first + _CHUNK_MESSAGES].astype(np.int64)
        at = at[: max(1, int(np.searchsorted(at, at[0] + _CHUNK_BYTES)))]
        chunk = slice(first, first + at.size)
        end = ends[chunk].astype(np.int64)
        window = Window(data, int(at[0]), int(end[-1]))
        at -= window.start
        end -= window.start
        yield chunk, window, at, end
        first = chunk.stop


class Round(NamedTuple):
    """The n-th field of every message that has one.

    ``keys`` is ``number << 3 | wire type``; ``values`` is the number itself, or the position (in the window)
    of the ``lengths`` bytes of a length-delimited field.
    """

    rows: Ints
    keys: Ints
    values: Ints
    lengths: Ints


class Rounds:
    """Iterates over the fields of many messages in step.

    ``at`` and ``end`` bound each message inside ``window``. Messages that break the format, or have more than
    ``limit`` fields, are marked in ``damaged`` when the iteration is over; their earlier fields were yielded.
    """

    def __init__(self, window: Window, at: Ints, end: Ints, limit: int) -> None:
        self.damaged: NDArray[np.bool_] = np.zeros(at.size, np.bool_)
        self._window, self._at, self._end, self._limit = window, at, end, limit

    def __iter__(self) -> Iterator[Round]:
        rows = np.flatnonzero(self._at < self._end)
        at, end = self._at[rows], self._end[rows]
        for _ in range(self._limit):
            if not rows.size:
                return
            found, following, good = self._step(rows, at, end)
            yield found
            if not good.all():
                self.damaged[rows[~good]] = True
            going_on = np.flatnonzero(good & (following < end))
            if going_on.size == rows.size:
                at = following
            else:
                rows, at, end = rows[going_on], following[going_on], end[going_on]
        self.damaged[rows] = True

    def _step(self, rows: Ints, at: Ints, end: Ints) -> tuple[Round, Ints, NDArray[np.bool_]]:
        window = self._window
        keys = window.bytes[at].astype(np.int64)
        value_at = at + 1
        long_key = keys >= 0x80
        good = (keys >= 8) | long_key
        if long_key.any():
            raw, length = window.varints(at)
            keys = np.minimum(raw, np.uint64(1 << 32)).astype(np.int64)
            value_at = at + length
            good = (keys >= 8) & (keys < 1 << 32) & (length > 0)
        wire_type = keys & 7
        raw, length = window.varints(np.minimum(value_at, end))
        following = value_at + length
        key_good = good
        good = key_good & (length > 0)
        values, lengths = raw.view(np.int64), np.zeros(rows.size, np.int64)
        is_bytes = wire_type == BYTES
        if is_bytes.any():
            # Lengths are clipped to just beyond the message, so that no sum can overflow.
            lengths = np.where(is_bytes, np.minimum(raw, (end - at + 1).view(np.uint64)).view(np.int64), 0)
            values = np.where(is_bytes, following, values)
            following = following + lengths
        is_fixed = (wire_type == FIXED64) | (wire_type == FIXED32)
        if is_fixed.any():
            chosen = np.flatnonzero(is_fixed)
            start = np.minimum(value_at[chosen], end[chosen])
            size = np.where(wire_type[chosen] == FIXED64, 8, 4)
            values[chosen] = window.words(start).view(np.int64)
            following[chosen] = value_at[chosen] + size
            good[chosen] = key_good[chosen]
        # Groups (3, 4) are in no profile; 6 and 7 are undefined.
        good &= (following <= end) & ((wire_type <= BYTES) | (wire_type == FIXED32))
        if good.all():
            return Round(rows, keys, values, lengths), following, good
        return Round(rows[good], keys[good], values[good], lengths[good]), following, good
