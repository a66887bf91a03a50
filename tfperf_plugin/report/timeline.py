"""The timeline of one step, from arrays that are kept beside a report: merged to what a screen can show."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tfperf_plugin.artifacts.lanes import Lanes

Arrays = Mapping[str, npt.NDArray[np.generic]]
"""Arrays beside a report, by names like ``timeline/begin_ns``. No objects: they are stored without pickle."""


def timeline_arrays(lanes: Lanes) -> dict[str, npt.NDArray[np.generic]]:
    """``lanes`` as flat arrays.

    ``timeline/begin_ns``, ``end_ns``, ``code``: the pieces of all rows; row ``i`` has those from
    ``timeline/row_first[i]`` up to ``row_first[i + 1]``. ``timeline/row_host``, ``row_name``, ``row_gpu``:
    per row. ``timeline/step_*``: per step of each host, in time order. Hosts are indices into the report's.
    """
    rows, steps = lanes.lanes, lanes.steps
    return {
        "timeline/begin_ns": _joined([r.begin_ns for r in rows], np.int64),
        "timeline/end_ns": _joined([r.end_ns for r in rows], np.int64),
        "timeline/code": _joined([r.code for r in rows], np.int16),
        "timeline/row_first": np.cumsum([0, *(len(r.code) for r in rows)]),
        "timeline/row_host": np.array([r.host for r in rows], np.int64),
        "timeline/row_name": np.array([r.name for r in rows], np.str_),
        "timeline/row_gpu": np.array([r.is_gpu for r in rows], np.bool_),
        "timeline/step_host": np.repeat(np.arange(len(steps)), [len(s) for s in steps]),
        "timeline/step_number": _joined([s.number for s in steps], np.int64),
        "timeline/step_shared": _joined(lanes.shared, np.int64),
        "timeline/step_nth": _joined(lanes.nth, np.int64),
        "timeline/step_begin_ns": _joined([s.begin_ns for s in steps], np.int64),
        "timeline/step_end_ns": _joined([s.end_ns for s in steps], np.int64),
    }


def _joined(parts: object, kind: type[np.generic]) -> npt.NDArray[np.generic]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)  # type: ignore[misc]
