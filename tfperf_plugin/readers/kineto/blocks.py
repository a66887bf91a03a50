"""The text of a trace, cut into blocks of whole events, so that only a few megabytes of it are in memory.

A block ends between two events, as far as a look at the text tells. If it does not, or if the text is
damaged, decoding the block fails; ``repair`` then reads its events in smaller parts.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

from tfperf_plugin.arrays.threads import ahead
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.kineto.files import BOM, GZIP

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
