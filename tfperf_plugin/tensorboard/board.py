"""The rows of the board, from reports that are there. Others are begun, a bounded number at once.

A row costs the decoding of a report, so rows are kept: those of the same files are never made twice.
"""

from __future__ import annotations

import logging
import threading
import time
import typing
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.compare.board import Against, Board, BoardRow, Outline, against, outline
from tfperf_plugin.errors import Busy, Canceled, TfperfError
from tfperf_plugin.execution.pipeline import identity
from tfperf_plugin.readers.logdirs.runs import Run, recorded
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.serialize import from_bytes
from tfperf_plugin.tensorboard.jobs import WORKERS, ReportService, Running

MAX_ROWS: Final = 50
"""Runs in one request."""
ANSWER_S: Final = 0.3
"""After this time the rows that are still to be read are left for the next request."""
MAX_KEPT: Final = 20_000
"""The number of rows, of failures and of comparisons in memory; a row takes a kilobyte or two."""

_DEFAULT: Final = Options()
_log = logging.getLogger(__name__)
_T = typing.TypeVar("_T")


class _Kept(OrderedDict[str, _T]):
    """The newest ``MAX_KEPT`` entries."""

    def keep(self, key: str, value: _T) -> _T:
        self[key] = value
        while len(self) > MAX_KEPT:
            self.popitem(last=False)
        return value


class RunsBoard:
    """Makes rows; see the module's description."""

    def __init__(self, service: ReportService) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._outlines: _Kept[Outline] = _Kept()
        self._against: _Kept[Against] = _Kept()
        self._failed: _Kept[str] = _Kept()
        self._missed: _Kept[None] = _Kept()
        self._base: tuple[str, Report] | None = None

    def show(self, runs: Sequence[Run], base: Run | None = None) -> Board:
        """The rows of ``runs`` beside ``base``, as far as they are known within ``ANSWER_S``.

        Analyses begin in the order of ``runs``, those of the baseline first, one after the other: the other
        worker is free for what somebody opens.
        """
        end = time.monotonic() + ANSWER_S
        with self._lock:
            key, waits = self._read_base(base) if base else ("", False)
            rows = [
                self._row(run, base, key) if time.monotonic() < end else BoardRow(run.name, recorded(run))
                for run in runs
            ]
        waits = waits or any(not row.error and row.outline is None for row in rows)
        return Board(tuple(rows), not waits)

    def _read_base(self, base: Run) -> tuple[str, bool]:
        """The identity of the baseline if its report is there, else ""; and whether it will be."""
        try:
            key = identity(base, _DEFAULT)
            if self._base is None or self._base[0] != key:
                report = self._report(base, key)
                if isinstance(report, Running):
                    return "", True
                self._base = key, report
        except Exception:  # its own row says why
            return "", False
        return key, False

    def _row(self, run: Run, base: Run | None, base_key: str) -> BoardRow:
        row = BoardRow(run.name, recorded(run))
        try:
            key = identity(run, _DEFAULT)
            pair = f"{base_key}\n{key}"
            found, beside = self._outlines.get(key), self._against.get(pair)
            if found is None or (base_key and beside is None):
                report = self._report(run, key)
                if isinstance(report, Running):
                    waiting = report.stage == "waiting"
                    return replace(row, stage=report.stage, share=None if waiting else report.share)
                found = self._outlines.keep(key, outline(report))
                if base_key and base and self._base:
                    same = run.name == base.name
                    beside = Against("base") if same else against(self._base[1], report)
                    self._against.keep(pair, beside)
        except TfperfError as error:
            return replace(row, error=str(error))
        except Exception:
            _log.exception("The row of run %s could not be made.", run.name)
            return replace(row, error="tfperf failed on this profile; TensorBoard's log says why.")
        return replace(row, outline=found, against=beside if base_key else None)

    def _report(self, run: Run, key: str) -> Report | Running:
        """The report, if it is there; else its analysis begins, if not too many are running."""
        try:
            found = self._service.look(run, _DEFAULT, in_cache=key not in self._missed)
            if found is None:
                self._missed.keep(key, None)
                if key in self._failed:
                    raise TfperfError(self._failed[key])
                if self._service.unfinished >= WORKERS - 1:
                    return Running("waiting", 0.0)
                found = self._service.content(run, _DEFAULT, 0)
        except (Canceled, Busy):
            raise
        except TfperfError as error:
            self._failed.keep(key, str(error))
            raise
        return found if isinstance(found, Running) else from_bytes(found)
