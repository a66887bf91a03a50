"""Random XSpaces for property tests."""

from __future__ import annotations

import gzip
from typing import Any

from hypothesis import strategies as st

from demo.xspace_writer import XSpaceMessage

_IDS = st.one_of(st.integers(0, 8), st.sampled_from([127, 128, 1 << 20, (1 << 63) - 1, -1]))
_TEXTS = st.one_of(st.sampled_from(["", "a", "MatMul", "ünïcode 𝄞"]), st.text(max_size=200))
_INT64 = st.one_of(st.integers(-3, 300), st.integers(-(1 << 63), (1 << 63) - 1))
_UINT64 = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))
# 2**60 ps are 13 days; times must stay apart from those the reader refuses.
_TIMES_PS = st.one_of(st.integers(0, 5000), st.integers(-(1 << 60), 1 << 60))


@st.composite
def _stats(draw: st.DrawFn) -> dict[str, Any]:
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "double_value": st.floats(),
        "uint64_value": _UINT64,
        "int64_value": _INT64,
        "str_value": _TEXTS,
        "bytes_value": st.binary(max_size=20),
        "ref_value": st.integers(0, 9),
        "compressed_str_value": _TEXTS.map(lambda text: gzip.compress(text.encode())),
    }
    kind = draw(st.sampled_from([*kinds, None]))
    stat: dict[str, Any] = {"metadata_id": draw(_IDS)}
    if kind is not None:
        stat[kind] = draw(kinds[kind])
    return stat


@st.composite
def _events(draw: st.DrawFn) -> dict[str, Any]:
    event = {"metadata_id": draw(_IDS), "stats": draw(st.lists(_stats(), max_size=5))}
    if draw(st.booleans()) or draw(st.booleans()):
        return event | {"offset_ps": draw(_TIMES_PS), "duration_ps": draw(_TIMES_PS)}
    if draw(st.booleans()):
        return event | {"num_occurrences": draw(st.integers(0, 9)), "duration_ps": draw(_TIMES_PS)}
    return event | {"metadata_id": 1}


_LINES = st.fixed_dictionaries(
    {
        "id": _INT64,
        "name": _TEXTS,
        "display_name": _TEXTS,
        "display_id": _INT64,
        "timestamp_ns": st.one_of(st.just(0), st.integers(-(1 << 60), 1 << 60)),
        "duration_ps": _INT64,
        "events": st.lists(_events(), max_size=12),
    }
)
_PLANES = st.fixed_dictionaries({"id": _INT64, "name": _TEXTS, "lines": st.lists(_LINES, max_size=4)})


@st.composite
def spaces(draw: st.DrawFn) -> bytes:
    """A file with at least one named plane, and everything the format allows."""
    planes = draw(st.lists(_PLANES, min_size=1, max_size=3))
    planes[0]["name"] = planes[0]["name"] or "/host:CPU"
    message = XSpaceMessage(
        planes=planes,
        errors=draw(st.lists(_TEXTS, max_size=2)),
        warnings=draw(st.lists(_TEXTS, max_size=2)),
        hostnames=draw(st.lists(_TEXTS, max_size=2)),
    )
    for plane in message.planes:
        for id, name in draw(st.dictionaries(_IDS, _TEXTS, max_size=8)).items():
            plane.stat_metadata[id].name = name
        for id, name in draw(st.dictionaries(_IDS, _TEXTS, max_size=8)).items():
            plane.event_metadata[id].name = name
            plane.event_metadata[id].display_name = draw(_TEXTS)
    data: bytes = message.SerializeToString()
    return data
