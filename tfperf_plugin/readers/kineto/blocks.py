"""The text of a trace, cut into blocks of whole events, so that only some megabytes of it are in memory.

A block ends between two events, as far as a look at the text tells. If it does not, or if the text is
damaged, decoding the block fails; then its events are read one by one.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from typing import Final

from tfperf_plugin.arrays.threads import ahead
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.kineto.files import GZIP

BLOCK_BYTES: Final = 1 << 22
MOST_INFLATED: Final = 64
"""Real traces take 10 to 30 times as much as their gzip; a file that takes more is none."""
MOST_OUTSIDE: Final = 1 << 24
"""What a trace says beside its events takes some kilobytes, with thousands of ranks some megabytes."""

_EVENTS: Final = re.compile(rb'"traceEvents"\s*:\s*\[|\A\s*\[')
_BETWEEN: Final = re.compile(rb"\}\s*,\s*\{")
_BAD_ESCAPE: Final = re.compile(r'\\(?!["\\/bfnrtu])')
_NOT_AVAILABLE: Final = re.compile(r":\s*N/A\b")
_NEXT: Final = re.compile(r"\s*,?\s*(\{|\]|\Z)?")
_LENIENT: Final = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_BOMB: Final = (
    "The file inflates to more than a trace can hold, so it is damaged or no trace. Capture a new one."
)


class Text:
    """The events of a trace, block by block; afterwards ``outside`` is what the trace says beside them."""

    def __init__(self, data: Data, anomalies: Anomalies) -> None:
        self._data, self._anomalies = data, anomalies
        self._before, self._after = b"", b""

    @property
    def outside(self) -> dict[str, object]:
        """The fields beside ``traceEvents``; none if they are damaged."""
        text = self._before + b"null" + self._after if self._before else b"{}"
        try:
            found = _LENIENT.decode(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            # What follows the events of a file that was cut is missing.
            try:
                found = _LENIENT.decode(self._before.decode("utf-8", "replace") + "null}")
            except (ValueError, RecursionError):
                return {}
        return found if isinstance(found, dict) else {}

    def blocks(self) -> Iterator[bytes]:
        """Texts of the form ``{…}, {…}``, each of whole events as far as one sees; the last one may go on."""
        pieces, text = ahead(_pieces(self._data, self._anomalies)), b""
        for piece in pieces:
            text += piece
            if begin := _EVENTS.search(text):
                break
            if len(text) > MOST_OUTSIDE:
                return
        else:
            return
        self._before = text[: begin.end() - 1].strip()
        text = text[begin.end() :]
        for piece in pieces:
            if (at := _last_between(text)) >= 0:
                yield text[: at + 1]
                text = text[at + 1 :].lstrip(b" \t\r\n,")
            text += piece
        yield text

    def end(self, after: str) -> None:
        """Says what follows the last event; empty if the file ends in the middle."""
        self._after = after.encode()
        self._anomalies.add(
            "cut-off",
            "The file ends in the middle: the job was killed, or a copy failed. It was read up to there.",
            0 if after else 1,
            "data_loss",
        )


def one_by_one(block: bytes, anomalies: Anomalies) -> Iterator[tuple[str, str]]:
    """The events of a damaged or of the last block, each as clean JSON; then "" and what follows them.

    What follows is empty if the block does not hold the end of the list.
    """
    text = _NOT_AVAILABLE.sub(": null", _BAD_ESCAPE.sub(r"\\\\", block.decode("utf-8", "replace")))
    at = 0
    while True:
        found = _NEXT.match(text, at)
        at = found.end() if found else len(text)
        if found is None or found[1] != "{":
            yield "", text[at:] if found and found[1] == "]" else ""
            return
        try:
            event, at = _LENIENT.raw_decode(text, at - 1)
        except (ValueError, RecursionError):
            after = re.compile(r"\}\s*,\s*(?=\{)").search(text, at)
            if after is None:
                yield "", ""
                return
            anomalies.add("damaged-event", "Damaged events were left out.", severity="data_loss")
            at = after.end()
            continue
        yield json.dumps(event), ""


def _last_between(text: bytes) -> int:
    """Where the last event that another one follows ends, −1 if none does."""
    reach = 1 << 12
    while True:
        begin = max(0, len(text) - reach)
        last = -1
        for match in _BETWEEN.finditer(text, begin):
            last = match.start()
        if last >= 0 or not begin:
            return last
        reach *= 8


def _pieces(data: Data, anomalies: Anomalies) -> Iterator[bytes]:
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
            raise UnreadableInput(_BOMB)
        rest = unpack.unconsumed_tail
        if unpack.eof:  # files may be several that were put one behind the other
            rest, unpack = unpack.unused_data, zlib.decompressobj(wbits=31)
        if piece:
            yield piece
