"""Stats: the named values that a profiler attaches to planes, event names and events."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.columns import Numbers, constant, smallest, unique, unique_inverse
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace.decoded import Counts, Names
from tfperf_plugin.readers.xspace.wire import (
    BYTES,
    FIXED64,
    VARINT,
    Ints,
    Rounds,
    Window,
    WireError,
    fields,
    signed,
)
from tfperf_plugin.records import Record

StatValue = int | float | str | bytes

# The members of XStat's oneof, by field number.
DOUBLE, UINT64, INT64, STR, RAW_BYTES, REF, COMPRESSED = 2, 3, 4, 5, 6, 7, 8
_WIRE_TYPES = {DOUBLE: FIXED64, **dict.fromkeys((UINT64, INT64, REF), VARINT)}
_WIRE_TYPES |= dict.fromkeys((STR, RAW_BYTES, COMPRESSED), BYTES)
_KIND_OF_KEY = np.zeros(256, np.uint8)
for _kind, _wire_type in _WIRE_TYPES.items():
    _KIND_OF_KEY[_kind << 3 | _wire_type] = _kind
_ID_KEY = 1 << 3 | VARINT

_MAX_STAT_FIELDS = 16
_MAX_DECOMPRESSED_BYTES = 64 << 20
"""Bound for all compressed texts of one plane together; the profiler compresses texts of some kilobytes."""

# A text in the file is packed as start << 31 | length; both are below 2 GiB.
_LENGTH_BITS = 31
LENGTH_MASK = (1 << _LENGTH_BITS) - 1
_TEXTS_AT_ONCE = 1 << 16
_PIECE_BYTES = 1 << 16
"""How much is inflated at once, and counted."""
MAX_TEXT_BYTES = 1 << 14
"""Longer texts are cut: the longest names of kernels have some kilobytes."""


class NumberColumn(Record, frozen=True):
    """A stat of all events of a plane: integers, or numbers as float64."""

    #: 0, or NaN, where ``present`` is False. Integers are int32 where all fit, else int64; an unsigned number
    #: above 2**63 - 1 is its two's complement, as on the wire.
    values: Numbers
    present: NDArray[np.bool_]


class TextColumn(Record, frozen=True):
    """A text stat of all events of a plane: ``codes`` (int32[n]) index ``strings``; -1 where it is absent."""

    codes: NDArray[np.int32]
    strings: tuple[str, ...]


class Piece(NamedTuple):
    """Values of one stat: which event (int32, in file order), which kind (uint8), and the value's 64 bits.

    ``events`` is None where each event from ``first`` on has exactly one. The bits are the number itself, as
    int32 where that suffices, or a double's pattern, or a packed place of a text. Columns in which all is the
    same take no memory.
    """

    events: NDArray[np.int32] | None
    kinds: NDArray[np.uint8]
    values: Numbers
    first: int = 0


def pack(starts: Ints, lengths: Ints) -> Ints:
    """Places of texts in the file, each as one number."""
    return starts << _LENGTH_BITS | lengths


def unpacked(data: bytes, packed: Ints) -> list[bytes]:
    """The bytes at packed places."""
    starts = packed >> _LENGTH_BITS
    ends = starts + (packed & LENGTH_MASK)
    return list(map(data.__getitem__, map(slice, starts.tolist(), ends.tolist())))


class _Found(NamedTuple):
    """Values of one stat with their rows (None: each row has one, in order)."""

    rows: NDArray[np.int32] | None
    kinds: NDArray[np.uint8]
    values: Numbers


class TextReader:
    """Turns bytes of a plane into texts; counts what does not decode."""

    def __init__(self, anomalies: Anomalies) -> None:
        self._anomalies = anomalies
        self._budget = _MAX_DECOMPRESSED_BYTES
        self._begins: list[int] = []
        self._blocks: list[bytes] = []

    def keep(self, begin: int, block: bytes) -> None:
        """Keeps a part of the file, behind all that are kept, for the texts in it."""
        self._begins.append(begin)
        self._blocks.append(block)

    def packed(self, packed: Ints) -> list[bytes]:
        """The bytes at packed places, in parts that are kept."""
        if len(self._blocks) == 1:
            return unpacked(self._blocks[0], packed - (self._begins[0] << _LENGTH_BITS))
        begins = np.array(self._begins, np.int64)
        block = np.searchsorted(begins, packed >> _LENGTH_BITS, "right") - 1
        starts = (packed >> _LENGTH_BITS) - begins[block]
        ends = starts + (packed & LENGTH_MASK)
        blocks = map(self._blocks.__getitem__, block.tolist())
        return list(map(bytes.__getitem__, blocks, map(slice, starts.tolist(), ends.tolist())))

    def text(self, raw: bytes) -> str:
        """``raw`` as UTF-8, cut if long, with a replacement character for each byte that is not."""
        if len(raw) > MAX_TEXT_BYTES:
            self._anomalies.add("long-text", "Texts of more than 16 KiB were cut.")
            return raw[:MAX_TEXT_BYTES].decode(errors="replace")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self._anomalies.add("invalid-utf8", "Texts that are not UTF-8 have replacement characters.")
            return raw.decode(errors="replace")

    def decompressed(self, raw: bytes) -> str | None:
        """A gzip-compressed text, or None where it is damaged or would exceed the plane's bound.

        What was inflated counts, whether or not a text came of it.
        """
        decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        content = b""
        try:
            while not decompressor.eof and self._budget >= 0:
                part = decompressor.decompress(raw, _PIECE_BYTES)
                raw = decompressor.unconsumed_tail
                if not part and not raw:  # it is cut off
                    break
                self._budget -= len(part)
                if len(content) <= MAX_TEXT_BYTES:
                    content += part
        except zlib.error:
            self._budget -= _PIECE_BYTES  # as much may have been inflated before the error
        if not decompressor.eof or self._budget < 0:
            self._anomalies.add(
                "unreadable-compressed-text",
                "Compressed texts that are damaged or exceed 64 MiB per plane were left out.",
                severity="data_loss",
            )
            return None
        return self.text(content)


def read_stat(texts: TextReader, data: bytes) -> tuple[int, int, StatValue | None]:
    """One XStat as (stat metadata id, kind, value); a reference is still a number. Raises WireError."""
    stat_id = kind = 0
    value: StatValue | None = None
    for field in fields(data, 0, len(data)):
        if field.number == 1 and field.wire_type == VARINT:
            stat_id = signed(field.value)
        elif _WIRE_TYPES.get(field.number) == field.wire_type:
            kind = field.number
            if kind == DOUBLE:
                value = float(np.frombuffer(data, "<f8", 1, field.value)[0])
            elif kind == INT64:
                value = signed(field.value)
            elif kind in (UINT64, REF):
                value = field.value
            else:
                raw = data[field.value : field.end]
                value = {STR: texts.text, COMPRESSED: texts.decompressed}.get(kind, bytes)(raw)
    return stat_id, kind, value


def read_stats(
    stats: Iterable[bytes], texts: TextReader, names: Mapping[int, str], anomalies: Anomalies
) -> dict[str, StatValue]:
    """XStats by name; of two with one name the first."""
    found: dict[str, StatValue] = {}
    for raw in stats:
        try:
            stat_id, kind, value = read_stat(texts, raw)
        except WireError:
            Counts(damaged_stats=1).add_to(anomalies)
            continue
        if kind == REF:
            value = names.get(value) if isinstance(value, int) else None
        if value is not None and stat_id in names:
            found.setdefault(names[stat_id], value)
        else:
            Counts(unknown_stats=1).add_to(anomalies)
    return found


class StatTable:
    """Wanted stats of all events of one plane, kept by stat and turned into columns when asked for.

    Others are left out; who asks for one gets a KeyError.
    ``add`` takes chunks in file order; ``finish`` says where each event of the file ended up.
    """

    def __init__(self, texts: TextReader, names: Names, anomalies: Anomalies, wanted: frozenset[str]) -> None:
        self._texts, self.names, self._anomalies = texts, names, anomalies
        self._left_out = frozenset(names.texts) - wanted
        self._pieces: dict[str, list[Piece]] = {}
        self._places: NDArray[np.int32] | None = None
        self._count = 0
        self._has_texts = False
        self._number_columns: dict[tuple[str, bool], NumberColumn | None] = {}
        self._text_columns: dict[str, TextColumn | None] = {}

    def add(self, window: Window, begin: int, events: Ints, at: Ints, end: Ints) -> None:
        """Adds the XStats in ``window`` at ``[at, end)``, each with its event's number in file order.

        ``begin`` is where in the file the window's bytes were read.
        """
        ids, kinds = np.zeros(at.size, np.int64), np.zeros(at.size, np.uint8)
        values = np.zeros(at.size, np.int64)
        rounds = Rounds(window, at, end, _MAX_STAT_FIELDS)
        for found in rounds:
            is_id = found.keys == _ID_KEY
            if is_id.all():
                ids[found.rows] = found.values
                continue
            ids[found.rows[is_id]] = found.values[is_id]
            kind = _KIND_OF_KEY[np.minimum(found.keys, 255)]
            is_bytes = (found.keys & 7) == BYTES
            value = np.where(is_bytes, pack(found.values + window.start + begin, found.lengths), found.values)
            if kind.all():
                kinds[found.rows], values[found.rows] = kind, value
            else:
                known = np.flatnonzero(kind)
                kinds[found.rows[known]], values[found.rows[known]] = kind[known], value[known]
        kinds[rounds.damaged] = 0
        codes = self.names.codes_of(ids)
        codes[kinds == 0] = -1
        is_unknown = (codes < 0) & ~rounds.damaged
        counted = (int(np.count_nonzero(rows)) for rows in (rounds.damaged, is_unknown))
        Counts(0, 0, 0, 0, 0, *counted).add_to(self._anomalies)
        self._store(codes, events.astype(np.int32), kinds, values)

    def _store(
        self, codes: NDArray[np.int32], events: NDArray[np.int32], kinds: NDArray[np.uint8], values: Ints
    ) -> None:
        # NumPy sorts 16-bit numbers in linear time.
        order = np.argsort(
            codes if codes.max(initial=0) >= 1 << 15 else codes.astype(np.int16), kind="stable"
        )
        codes, events, kinds, values = codes[order], events[order], kinds[order], values[order]
        firsts = np.flatnonzero(np.diff(codes, prepend=np.int32(-1)))
        for first, last in pairwise([*firsts.tolist(), codes.size]):
            piece = Piece(events[first:last], kinds[first:last], values[first:last])
            self.put(self.names.texts[codes[first]], piece)

    def put(self, stat: str, piece: Piece) -> None:
        """Adds values of a stat, behind those that are there, if it is wanted."""
        if stat in self._left_out:
            return
        kinds = constant(piece.kinds)
        known = set(unique(_few(kinds)).tolist())
        self._has_texts |= not known.isdisjoint((STR, RAW_BYTES, COMPRESSED))
        # Copies: a part would keep the values of all other stats.
        values = smallest(piece.values) if known <= {UINT64, INT64, REF} else piece.values.copy()
        events = None if piece.events is None else piece.events.copy()
        self._pieces.setdefault(stat, []).append(Piece(events, kinds, values, piece.first))

    def keep(self, begin: int, block: bytes) -> None:
        """The events that were added last lie in this block of the file."""
        if self._has_texts:
            self._texts.keep(begin, block)
            self._has_texts = False

    def finish(self, places: NDArray[np.int32] | None, count: int) -> None:
        """``places`` (int32, in file order) is each event's row among ``count``, or -1 if left out.

        None stands for all events, each where it was.
        """
        self._places, self._count = places, count

    def stat_names(self) -> frozenset[str]:
        """The names of all stats that events have."""
        return frozenset(self._pieces)

    def _joined(self, pieces: list[Piece]) -> Piece:
        """All values of a stat in one piece."""
        sizes = [piece.values.size for piece in pieces]
        firsts = [0, *np.cumsum(sizes).tolist()]
        in_order = all(
            p.events is None and p.first == first for p, first in zip(pieces, firsts, strict=False)
        )
        kinds = {int(p.kinds[0]) for p in pieces} if all(_is_uniform(p.kinds) for p in pieces) else set()
        event_count = self._count if self._places is None else self._places.size
        return Piece(
            None
            if in_order and firsts[-1] == event_count
            else np.concatenate(
                [
                    np.arange(p.first, p.first + size, dtype=np.int32) if p.events is None else p.events
                    for p, size in zip(pieces, sizes, strict=True)
                ]
            ),
            np.broadcast_to(np.uint8(kinds.pop()), firsts[-1])
            if len(kinds) == 1
            else np.concatenate([p.kinds for p in pieces]),
            constant(np.concatenate([p.values for p in pieces])),
        )

    def _select(self, stat: str, *kinds: int) -> _Found | None:
        """All values of ``stat`` of the given kinds, with rows for events; the first of an event last."""
        if stat in self._left_out:
            raise KeyError(stat)
        pieces = self._pieces.get(stat)
        if not pieces:
            return None
        if len(pieces) > 1 or pieces[0].events is None:
            pieces[:] = [self._joined(pieces)]
        piece = pieces[0]
        wanted = np.isin(_few(piece.kinds), kinds)
        if not wanted.any():
            return None
        places = self._places
        if wanted.all() and places is None:
            if piece.events is None:
                return _Found(None, piece.kinds, piece.values)
            return _Found(piece.events[::-1], piece.kinds[::-1], piece.values[::-1])
        rows = np.arange(piece.values.size, dtype=np.int32) if piece.events is None else piece.events
        rows = rows if places is None else places[rows]
        chosen = np.flatnonzero(wanted & (rows >= 0))[::-1]
        return _Found(rows[chosen], piece.kinds[chosen], piece.values[chosen]) if chosen.size else None

    def ints(self, stat: str) -> NumberColumn | None:
        """See Plane.ints."""
        return self._numbers(stat, False)

    def floats(self, stat: str) -> NumberColumn | None:
        """See Plane.floats."""
        return self._numbers(stat, True)

    def _numbers(self, stat: str, as_floats: bool) -> NumberColumn | None:
        if (stat, as_floats) not in self._number_columns:
            found = self._select(stat, *([DOUBLE] if as_floats else []), UINT64, INT64)
            made = found and (self._floats(found) if as_floats else self._ints(found))
            self._number_columns[stat, as_floats] = made
        return self._number_columns[stat, as_floats]

    def _ints(self, found: _Found) -> NumberColumn:
        if found.rows is None:
            return NumberColumn(found.values, np.broadcast_to(np.True_, self._count))
        column = NumberColumn(np.zeros(self._count, found.values.dtype), np.zeros(self._count, np.bool_))
        column.values[found.rows], column.present[found.rows] = found.values, True
        return column

    def _floats(self, found: _Found) -> NumberColumn:
        values = found.values.astype(np.int64)
        numbers = np.where(found.kinds == UINT64, values.view(np.uint64), values.astype(np.float64))
        numbers = np.where(found.kinds == DOUBLE, values.view(np.float64), numbers)
        rows = slice(None) if found.rows is None else found.rows
        column = NumberColumn(np.full(self._count, np.nan), np.zeros(self._count, np.bool_))
        column.values[rows], column.present[rows] = numbers, True
        return column

    def texts(self, stat: str) -> TextColumn | None:
        """See Plane.texts."""
        if stat not in self._text_columns:
            self._text_columns[stat] = self._make_texts(stat)
        return self._text_columns[stat]

    def _make_texts(self, stat: str) -> TextColumn | None:
        found = self._select(stat, STR, RAW_BYTES, REF, COMPRESSED)
        if found is None:
            return None
        interned: dict[str, int] = {}
        of_value = np.empty(found.values.size, np.int32)
        if _is_uniform(found.kinds):
            of_value[:] = self._intern(int(found.kinds[0]), found, interned)
        else:
            for kind in unique(found.kinds).tolist():
                chosen = np.flatnonzero(found.kinds == kind)
                rows = None if found.rows is None else found.rows[chosen]
                of_value[chosen] = self._intern(
                    kind, _Found(rows, found.kinds, found.values[chosen]), interned
                )
        if not interned:
            return None
        if found.rows is None:
            return TextColumn(of_value, tuple(interned))
        codes = np.full(self._count, -1, np.int32)
        is_text = of_value >= 0
        codes[found.rows[is_text]] = of_value[is_text]
        return TextColumn(codes, tuple(interned))

    def _intern(self, kind: int, found: _Found, interned: dict[str, int]) -> NDArray[np.int32]:
        """The code of each value, all of one kind; -1 where it is no text. Adds new texts to ``interned``."""

        def code(text: str | None) -> int:
            return -1 if text is None else interned.setdefault(text, len(interned))

        values = found.values
        if kind == REF:
            refs, of_value = unique_inverse(values)
            codes = np.array([code(self.names.by_id.get(ref)) for ref in refs.tolist()], np.int32)[of_value]
            Counts(unknown_stats=int(np.count_nonzero(codes < 0))).add_to(self._anomalies)
            return codes
        decode = self._texts.decompressed if kind == COMPRESSED else self._texts.text
        of_raw: dict[bytes, int] = {}
        codes = np.empty(values.size, np.int32)
        # Texts are numbered as they come in the last row first, however the events were stored.
        order = np.arange(values.size)[::-1] if found.rows is None else np.argsort(-found.rows, kind="stable")
        for first in range(0, values.size, _TEXTS_AT_ONCE):
            rows = order[first : first + _TEXTS_AT_ONCE]
            raws = self._texts.packed(values[rows])
            for raw in dict.fromkeys(raws):
                if raw not in of_raw:
                    of_raw[raw] = code(decode(raw))
            codes[rows] = np.fromiter(map(of_raw.__getitem__, raws), np.int32, len(raws))
        return codes


def _few(kinds: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One kind where it stands for all."""
    return kinds[:1] if _is_uniform(kinds) else kinds


def _is_uniform(kinds: NDArray[np.uint8]) -> bool:
    """Whether one kind stands for all, without looking at each."""
    return kinds.size <= 1 or kinds.strides == (0,)
