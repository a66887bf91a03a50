"""A report as compressed JSON, and back from it; what a cache or a saved file holds is checked by key.

It is stored twice, one after the other: its outline, which the tab draws first and which is mostly a small
part of it, and the whole.
"""

from __future__ import annotations

import functools
import gzip
import json
import types
import typing
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal

from tfperf_plugin.records import dataclass
from tfperf_plugin.report import model
from tfperf_plugin.report.gpus import FEW
from tfperf_plugin.report.render import to_json


def from_json(value: Any) -> model.Report:
    """The report that ``to_json`` made ``value`` of. Raises ValueError if it is no such value."""
    report: model.Report = _reader(model.Report)(value)
    return report


MAX_JSON_BYTES = 64 << 20
"""No report is as large; what would unfold to more was not written here."""
_LEVEL = 3
"""A higher one takes twice the time and saves a seventh."""


TABLES: Final[dict[str, tuple[str, ...]]] = {
    "devices": (),
    "steps": ("items", "columns"),
    "allreduce": ("devices", "steps", "sizes", "calls"),
    "input": (),
    "by_host": (),
    "ops": (),
    "kernels": (),
    "host_ops": (),
    "memory": (),
    "launches": (),
    "training": (),
}
"""What an outline lacks of a report: these keys of a key's object, or all of it."""


def outline(value: dict[str, Any]) -> dict[str, Any]:
    """The report that ``to_json`` made ``value`` of without its tables, and with few rows of its ledger."""
    kept = {key: part for key, part in value.items() if TABLES.get(key) != ()}
    for key, lists in TABLES.items():
        if lists and kept[key] is not None:
            kept[key] = {name: part for name, part in kept[key].items() if name not in lists}
    if ledger := kept["ledger"]:
        kept["ledger"] = {**ledger, "devices": ledger["devices"][:FEW]}
    return kept


@dataclass(frozen=True)
class Content:
    """A report's outline and the whole of it, each as JSON that is compressed with gzip."""

    outline: bytes
    whole: bytes


def to_content(report: model.Report) -> Content:
    """The report as it is sent."""
    value = to_json(report)
    return Content(_packed(outline(value)), _packed(value))


def to_bytes(report: model.Report) -> bytes:
    """The report as it is stored."""
    content = to_content(report)
    return content.outline + content.whole


def split(stored: bytes) -> Content:
    """What ``to_bytes`` put together. Raises ValueError, zlib.error if the outline is none; the whole is not
    looked at."""
    whole = _unfolded(stored)[1]
    return Content(stored[: len(stored) - len(whole)], whole)


def from_bytes(stored: bytes) -> model.Report:
    """The report that ``to_bytes`` made ``stored`` of. Raises ValueError, zlib.error if it is no such."""
    return _from_whole(split(stored).whole)


def _from_whole(content: bytes) -> model.Report:
    text, rest = _unfolded(content)
    if rest:
        raise ValueError("there is more than a report")
    return from_json(json.loads(text))


def _packed(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode(), _LEVEL, mtime=0)


def _unfolded(content: bytes) -> tuple[bytes, bytes]:
    """The first of what was compressed, and what comes after it."""
    unfolding = zlib.decompressobj(zlib.MAX_WBITS | 16)
    text = unfolding.decompress(content, MAX_JSON_BYTES)
    if not unfolding.eof:
        raise ValueError("it is cut, or too large for a report")
    return text, unfolding.unused_data


class Stored:
    """A report, and what is sent of it: each is made of the other when somebody asks for it.

    Most who ask want what is sent alone, and a cache holds nothing else.
    """

    def __init__(self, report: model.Report | None = None, content: Content | None = None) -> None:
        self._report = report
        self._content = content

    @property
    def report(self) -> model.Report:
        """Raises ValueError if the content is of no report."""
        if self._report is None:
            assert self._content is not None
            self._report = _from_whole(self._content.whole)
        return self._report

    @property
    def content(self) -> Content:
        """The report as it is sent."""
        if self._content is None:
            self._content = to_content(self.report)
        return self._content


def prepare() -> None:
    """Learns the types of all parts of a report, so that no report has to wait for it."""
    known: set[type] = set()
    waiting: list[Any] = [model.Report]
    while waiting:
        kind = waiting.pop()
        waiting.extend(typing.get_args(kind))
        if is_dataclass(kind) and isinstance(kind, type) and kind not in known:
            known.add(kind)
            _readers(kind)
            waiting.extend(_types(kind).values())


_Reader = Callable[[Any], Any]
"""Makes a value of some type of one that was read from JSON. Raises ValueError if it is none."""


@functools.cache
def _types(kind: type) -> dict[str, Any]:
    """Those of a dataclass's fields by name: telling them takes longer than all else here."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@functools.cache
def _readers(kind: type) -> dict[str, _Reader]:
    return {name: _reader(of_field) for name, of_field in _types(kind).items()}


@functools.cache
def _reader(kind: Any) -> _Reader:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return functools.partial(_read_object, kind)
    if origin is tuple:
        return functools.partial(_read_rows, _reader(arguments[0]))
    if origin is dict:
        return functools.partial(_read_table, *map(_reader, arguments))
    if origin in (typing.Union, types.UnionType):
        return functools.partial(_read_choice, tuple(map(_reader, arguments)))
    if origin is Literal:
        return functools.partial(_read_one_of, arguments)
    return functools.partial(_read_plain, (float, int) if kind is float else (kind,))


def _read_object(kind: Any, value: Any) -> Any:
    readers = _readers(kind)
    if type(value) is not dict or value.keys() != readers.keys():
        raise ValueError(f"not a {kind.__name__}")
    return kind(*[read(value[name]) for name, read in readers.items()])


def _read_rows(read: _Reader, value: Any) -> tuple[Any, ...]:
    if type(value) is not list:
        raise ValueError(f"{value!r:.80} are no rows")
    return tuple([read(item) for item in value])


def _read_table(read_key: _Reader, read: _Reader, value: Any) -> dict[Any, Any]:
    if type(value) is not dict:
        raise ValueError(f"{value!r:.80} is no table")
    return {read_key(key): read(item) for key, item in value.items()}


def _read_choice(choices: tuple[_Reader, ...], value: Any) -> Any:
    for read in choices:
        try:
            return read(value)
        except ValueError:
            continue
    raise ValueError(f"{value!r:.80} is of no type that may be here")


def _read_one_of(values: tuple[Any, ...], value: Any) -> Any:
    if value not in values:
        raise ValueError(f"{value!r:.80} is none of {values}")
    return value


def _read_plain(kinds: tuple[type, ...], value: Any) -> Any:
    if type(value) not in kinds:
        raise ValueError(f"{value!r:.80} is not of {kinds}")
    return value
