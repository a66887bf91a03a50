"""The text of a trace, cut into blocks of whole events, so that only a few megabytes of it are in memory.

A block ends between two events, as far as a look at the text tells. If it does not, or if the text is
damaged, decoding the block fails; ``Repair`` then reads its events in smaller parts, down to single ones.

Damaged are traces with bytes that are no UTF-8, control characters, ``N/A`` and ``nan`` as numbers, or bare
backslashes and quotes inside of texts. The last block of any trace goes on with what follows the events.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tfperf_plugin.arrays.threads import ahead
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.kineto.files import BOM, GZIP
from tfperf_plugin.readers.kineto.form import LEFT_OUT, PHASES, Decoder

BLOCK_BYTES: Final = 1 << 20
MOST_EVENT: Final = 1 << 20
"""Real events take some hundred bytes, with shapes of thousands of tensors a hundred times as much."""
MOST_INFLATED: Final = 128
"""Real traces take 10 to 60 times as much as their gzip; a file that takes more is none."""
MOST_OUTSIDE: Final = 1 << 22
"""What a trace says beside its events takes some kilobytes, with thousands of ranks some megabytes."""
BOMB: Final = (
    "The file inflates to more than a trace can hold, so it is damaged or no trace. Capture a new one."
)

_FIRST: Final = rb'\{\s*"(?:ph|name|cat|pid|tid|ts|dur|args|id|bp|s)"\s*:'
_BETWEEN: Final = re.compile(rb"\}\s*,\s*(?=" + _FIRST + rb")")
_BETWEEN_ANY: Final = re.compile(rb'\}\s*,\s*(?=\{\s*")')
_BEGIN_OF_EVENT: Final = re.compile(rb"\s*" + _FIRST)
_GAP: Final = b" \t\r\n,"
_EVENTS: Final = re.compile(rb'"traceEvents"\s*:\s*\[|\A(?:' + BOM + rb")?\s*\[")
_PART_BYTES: Final = 1 << 12
_MOST_SLOW: Final = 12
"""Limit of the bytes that are read event by event, for each byte of the file; an event counts
``_EVENT_BYTES`` more."""
_EVENT_BYTES: Final = 200
_CLEAN: Final = 2
"""Bytes that are cleaned in the time in which one byte is read event by event."""

_DAMAGED_EVENTS: Final = "Damaged events were left out."
_DAMAGED_ARGUMENTS: Final = "Damaged arguments of events were left out."
_TOO_DAMAGED: Final = "The file is damaged in more places than can be read one by one; the rest was left out."

_DAMAGED, _GOES_ON = -1, -2
_LEADING: Final = re.compile(rb"[\s,]*")
_END: Final = re.compile(rb'\]\s*(?=\Z|\}|,\s*")')
_LAST: Final = re.compile(rb'\}(?=\s*\]\s*(?:\}|,\s*"))')
_ESCAPES: Final = {bytes([code]): b"\\%c" % letter for code, letter in enumerate(b'\\"/bfnrt')}
"""What stands for each escape while others are looked for: control characters, which a text has no more."""
_UNICODE: Final = re.compile(rb"\\(?=u(?![dD][89a-fA-F])[0-9a-fA-F]{4})")
_NO_NUMBER: Final = re.compile(rb"(?<=[:,\[ ])-?(?:N/A|NaN|nan|Infinity|inf)(?= *[,}\]])")
_CONTROLS: Final = bytes.maketrans(bytes(range(32)), b" " * 32)
_JSON: Final = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=str)


class Text:
    """The events of a trace, block by block; ``before`` and ``after`` are what stands around their list.

    ``is_last``: no block follows; ``has_ended``: the end of the list was seen; ``between``: what seems to
    stand between two events. Programs that write traces anew may begin an event with any field.
    """

    def __init__(self, data: Data) -> None:
        self._data, self._rest = data, b""
        self.before, self.after = b"", b""
        self.is_last = self.has_ended = False
        self.between = _BETWEEN

    def blocks(self) -> Iterator[bytes]:
        """Texts of the form ``{…}, {…}``, each of whole events as far as one sees; the last one may go on."""
        pieces = ahead(_pieces(self._data))
        text = self._begin(pieces)
        for piece in pieces:
            at = self._last_between(text)
            if at >= 0 or len(text) > MOST_EVENT:
                at = at if at >= 0 else len(text)
                yield text[:at].lstrip(_GAP)
                text, self._rest = self._rest + text[at:], b""
            text += piece
            if self.has_ended:
                break
        if not self.has_ended:
            self.is_last = True
            yield text.lstrip(_GAP)
            text = self._rest
        for piece in pieces:
            if len(text) > MOST_OUTSIDE:
                break
            text += piece
        self.after = text

    def goes_on(self, rest: bytes) -> None:
        """Says what of a block belongs to the next one."""
        self._rest = rest

    def ends(self, rest: bytes) -> None:
        """Says what of a block follows the end of the list of events."""
        self._rest, self.has_ended = rest, True

    def _begin(self, pieces: Iterator[bytes]) -> bytes:
        """Reads up to the list of events; returns what was read of the list."""
        text = b""
        for piece in pieces:
            text += piece
            if begin := _EVENTS.search(text):
                self.before = text[: begin.end() - 1].removeprefix(BOM).strip()
                text = text[begin.end() :]
                self.between = _BETWEEN if _BEGIN_OF_EVENT.match(text) else _BETWEEN_ANY
                return text
            if len(text) > MOST_OUTSIDE:
                break
        self.ends(b"")
        return b""

    def _last_between(self, text: bytes) -> int:
        """Where the last event ends that another one follows, −1 if none does."""
        reach = 1 << 12
        while True:
            begin = max(0, len(text) - reach)
            last = -1
            for match in self.between.finditer(text, begin):
                last = match.start() + 1
            if last >= 0 or not begin:
                return last
            reach *= 8


def _pieces(data: Data) -> Iterator[bytes]:
    if data[0:2] != GZIP:
        for at in range(0, len(data), BLOCK_BYTES):
            yield data[at : min(at + BLOCK_BYTES, len(data))]
        return
    most, inflated = MOST_INFLATED * len(data) + BLOCK_BYTES, 0
    unpack = zlib.decompressobj(wbits=31)
    at, rest = 0, b""
    while at < len(data) or rest:
        if not rest:
            rest = data[at : min(at + BLOCK_BYTES // 8, len(data))]
            at += len(rest)
        try:
            piece = unpack.decompress(rest, BLOCK_BYTES)
        except zlib.error as error:
            if not inflated:
                raise UnreadableInput(
                    "The file is damaged: its gzip cannot be inflated. Copy it again."
                ) from error
            return  # what was inflated so far ends in the middle of an event, which is said
        inflated += len(piece)
        if inflated > most:
            raise UnreadableInput(BOMB)
        rest = unpack.unconsumed_tail
        if unpack.eof:  # files may be several that were put one behind the other
            rest, unpack = unpack.unused_data, zlib.decompressobj(wbits=31)
        if piece:
            yield piece


def cleaned(text: bytes) -> bytes:
    """The same text without what JSON does not have."""
    text = text.translate(_CONTROLS).decode("utf-8", "replace").encode()
    if b"\\" in text:
        text = _with_good_escapes(text)
    return _NO_NUMBER.sub(b"null", text)


def _with_good_escapes(text: bytes) -> bytes:
    """Backslashes that begin no escape, or half of a character, become texts themselves."""
    for code, escape in _ESCAPES.items():
        text = text.replace(escape, code)
    text = _UNICODE.sub(b"\x1f", text).replace(b"\\", rb"\\").replace(b"\x1f", b"\\")
    for code, escape in _ESCAPES.items():
        text = text.replace(code, escape)
    return text


class Repair:
    """Reads damaged blocks of one trace. ``size``: of its file, which limits how much is read one by one."""

    def __init__(self, text: Text, decoder: Decoder, anomalies: Anomalies, size: int) -> None:
        self._text, self._decoder, self._anomalies = text, decoder, anomalies
        self._left = _MOST_SLOW * size + MOST_EVENT

    def events(self, block: bytes) -> list[Any]:
        """The events of a block; tells ``Text`` what of the block belongs to the next one, or is no event."""
        found: list[Any] = []
        at = 0
        while at < len(block):
            between = self._text.between.search(block, at + _PART_BYTES)
            until = between.start() + 1 if between else len(block)
            part = block[_gap(block, at) : until]
            events = self._decoder.of(part)
            if events is None and self._has(len(part) // _CLEAN):
                events = self._decoder.of(cleaned(part))
            found += events or ()
            at = until if events is not None else self._one_by_one(block, at, until, found)
        return found

    def _one_by_one(self, block: bytes, at: int, until: int, events: list[Any]) -> int:
        """Appends the events from ``at`` on to ``events``; returns where the next one begins."""
        while (at := _gap(block, at)) < until:
            if _END.match(block, at):
                self._text.ends(block[at + 1 :])
                return len(block)
            stop, seen = _value(block, at)
            if not self._has(seen - at + _EVENT_BYTES):
                self._anomalies.add("damaged-file", _TOO_DAMAGED, severity="data_loss")
                self._text.ends(b"")
                return len(block)
            more = not self._text.is_last and len(block) - at <= MOST_EVENT
            if stop == _DAMAGED or (stop == _GOES_ON and not more):
                following = self._text.between.search(block, at) or (
                    self._text.is_last and _LAST.search(block, at)
                )
                stop = following.start() + 1 if following else _GOES_ON
            if stop == _GOES_ON:
                self._leave(block[at:], more)
                return len(block)
            events += self._single(block[at:stop])
            at = stop
        return at

    def _has(self, size: int) -> bool:
        """Takes ``size`` bytes of what may be read one by one; whether they were left."""
        self._left -= size
        return self._left >= 0

    def _leave(self, rest: bytes, more: bool) -> None:
        """Keeps what is left of a block for the next one, if there may be ``more`` of the event in that."""
        if more:
            self._text.goes_on(rest)
        elif not self._text.is_last:  # that the file ends there is said elsewhere
            self._anomalies.add("damaged-event", _DAMAGED_EVENTS, severity="data_loss")

    def _single(self, text: bytes) -> Sequence[Any]:
        """An event, without its arguments if these are damaged; none if all of it is."""
        text = cleaned(text)
        if found := self._decoder.of(text) or self._decoder.of(_plain(text)):
            return found
        outer, damaged, _ = text.partition(b'"args"')
        if damaged and (found := self._decoder.of(_plain(outer.rstrip(b", ") + b"}"))):
            self._anomalies.add("damaged-arguments", _DAMAGED_ARGUMENTS, severity="error")
            return found
        self._anomalies.add("damaged-event", _DAMAGED_EVENTS, severity="data_loss")
        return ()


def _gap(text: bytes, at: int) -> int:
    found = _LEADING.match(text, at)
    return found.end() if found else at


def _value(text: bytes, at: int) -> tuple[int, int]:
    """Where the value that begins here ends, negative if it does not; and how far one had to look."""
    for size in (_PART_BYTES, len(text)):  # errors take time in proportion to the text
        chars = text[at : at + size].decode("latin-1")  # characters have the places of bytes
        try:
            stop = at + _JSON.raw_decode(chars)[1]
        except json.JSONDecodeError as error:
            if error.pos < len(chars) and not error.msg.startswith("Unterminated"):
                return _DAMAGED, at + error.pos
        except (ValueError, RecursionError):
            return _DAMAGED, at + len(chars)
        else:
            return stop, stop
    return _GOES_ON, len(text)


def _plain(text: bytes) -> bytes:
    """An event whose fields have the types that they should have; nothing if it is none."""
    try:
        event = _JSON.decode(text.decode())
    except (ValueError, RecursionError):
        return b""
    if not isinstance(event, dict):
        return b""
    kept = {key: str(event[key]) for key in ("name", "cat", "pid", "tid") if event.get(key) is not None}
    times = {key: event[key] for key in ("ts", "dur") if isinstance(event.get(key), int | str)}
    args = {"args": event["args"]} if isinstance(event.get("args"), dict) else {}
    ph = event.get("ph")
    phase = ph if isinstance(ph, str) and len(ph) == 1 and ph in PHASES else LEFT_OUT
    return json.dumps({"ph": phase, **kept, **times, **args}).encode()
