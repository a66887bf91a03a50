"""Reads what is damaged: the events of a block in smaller parts, down to single events.

Damaged are traces with bytes that are no UTF-8, control characters, ``N/A`` and ``nan`` as numbers, or bare
backslashes and quotes inside of texts. The last block of any trace goes on with what follows the events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.kineto.blocks import MOST_EVENT, Text
from tfperf_plugin.readers.kineto.form import LEFT_OUT, PHASES, Decoder

_PART_BYTES: Final = 1 << 12
_MOST_SLOW: Final = 12
"""Limit of the bytes that are read event by event, for each byte of the file; an event counts
``_EVENT_BYTES`` more."""
_EVENT_BYTES: Final = 200
_CLEAN: Final = 2
"""Bytes that are cleaned in the time in which one byte is read event by event."""

DAMAGED: Final = "Damaged events were left out."
DAMAGED_ARGUMENTS: Final = "Damaged arguments of events were left out."
TOO_DAMAGED: Final = "The file is damaged in more places than can be read one by one; the rest was left out."

_DAMAGED, _GOES_ON = -1, -2
_GAP: Final = re.compile(rb"[\s,]*")
_END: Final = re.compile(rb'\]\s*(?=\Z|\}|,\s*")')
_LAST: Final = re.compile(rb'\}(?=\s*\]\s*(?:\}|,\s*"))')
_ESCAPES: Final = {bytes([code]): b"\\%c" % letter for code, letter in enumerate(b'\\"/bfnrt')}
"""What stands for each escape while others are looked for: control characters, which a text has no more."""
_UNICODE: Final = re.compile(rb"\\(?=u(?![dD][89a-fA-F])[0-9a-fA-F]{4})")
_NO_NUMBER: Final = re.compile(rb"(?<=[:,\[ ])-?(?:N/A|NaN|nan|Infinity|inf)(?= *[,}\]])")
_CONTROLS: Final = bytes.maketrans(bytes(range(32)), b" " * 32)
_JSON: Final = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=str)


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
                self._anomalies.add("damaged-file", TOO_DAMAGED, severity="data_loss")
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
            self._anomalies.add("damaged-event", DAMAGED, severity="data_loss")

    def _single(self, text: bytes) -> Sequence[Any]:
        """An event, without its arguments if these are damaged; none if all of it is."""
        text = cleaned(text)
        if found := self._decoder.of(text) or self._decoder.of(_plain(text)):
            return found
        outer, damaged, _ = text.partition(b'"args"')
        if damaged and (found := self._decoder.of(_plain(outer.rstrip(b", ") + b"}"))):
            self._anomalies.add("damaged-arguments", DAMAGED_ARGUMENTS, severity="error")
            return found
        self._anomalies.add("damaged-event", DAMAGED, severity="data_loss")
        return ()


def _gap(text: bytes, at: int) -> int:
    found = _GAP.match(text, at)
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
