"""Reports on request: computed in the background, once for all who ask, and remembered on disk.

Worker threads do the work of ``ReportService``; everyone who asks for the same content with the same
options waits for the same job. Finished reports are kept as JSON in the user's
cache directory under a key made of everything that they depend on, so nothing stale is ever shown.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
import os
import queue
import tempfile
import threading
import types
import typing
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from tfperf_plugin import runs
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.report import model
from tfperf_plugin.report.build import Progress, build_report
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render import to_json
from tfperf_plugin.version import __version__

Build = Callable[[runs.Run, Options, Progress], model.Report]

HASHED_BYTES = 1 << 16
"""Of each file this much of its head and of its tail goes into the cache key, beside size and mtime."""
MAX_JOBS = 32
"""Jobs that are remembered in memory; the oldest finished ones are dropped first."""
WORKERS = 2
MAX_CACHE_BYTES = 256 << 20
"""The reports on disk take at most this much; the least recently used ones are deleted."""

_log = logging.getLogger(__name__)


class ReportCache:
    """Reports as JSON files in one directory. Whatever goes wrong here costs time, never a report."""

    def __init__(self, directory: Path | None = None, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._directory = directory or default_cache_directory()
        self._max_bytes = max_bytes

    def get(self, key: str) -> model.Report | None:
        """The report stored under ``key``; None if there is none that can be read and understood."""
        if self._directory is None:
            return None
        path = self._directory / f"{key}.json"
        try:
            report = from_json(json.loads(path.read_bytes()))
            os.utime(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            _log.info("The cached report %s is not used: %s", path, error)
            return None
        return report

    def put(self, key: str, report: model.Report) -> None:
        """Stores ``report``: readable for the user only, and either whole or not at all."""
        if self._directory is None:
            return
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._directory, prefix=".new-")  # mode 0600
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(to_json(report), file, allow_nan=False)
                Path(temporary).replace(self._directory / f"{key}.json")
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            self._shrink()
        except (OSError, ValueError) as error:
            _log.info("The report could not be cached in %s: %s", self._directory, error)

    def _shrink(self) -> None:
        assert self._directory is not None
        files = [(path, path.stat()) for path in self._directory.glob("*.json")]
        total = sum(status.st_size for _, status in files)
        for path, status in sorted(files, key=lambda item: item[1].st_mtime):
            if total <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            total -= status.st_size


def default_cache_directory() -> Path | None:
    """``$XDG_CACHE_HOME/tfperf``, else ``~/.cache/tfperf``; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if Path(base).is_absolute():
        return Path(base) / "tfperf"
    try:
        return Path.home() / ".cache" / "tfperf"
    except RuntimeError:
        return None


@dataclass(frozen=True)
class Running:
    """How far a job is: the stage it is in and the share 0..1 of the whole that is done."""

    stage: str
    share: float


class _Job:
    """One report being made. Any number of threads may wait for it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self._running = Running("xspace", 0.0)
        self._report: model.Report | None = None
        self._error: Exception | None = None

    def run(self, work: Callable[[Progress], model.Report]) -> None:
        try:
            self._report = work(self._set_progress)
        except Exception as error:
            self._error = error
        finally:
            self.done.set()

    def wait(self, seconds: float) -> model.Report | Running:
        if not self.done.wait(seconds):
            return self._running
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report

    def _set_progress(self, stage: str, share: float) -> None:
        self._running = Running(stage, min(max(share, 0.0), 1.0))


class ReportService:
    """Makes reports in the background; see the module's description.

    ``build`` makes a report from a run, options and a function to tell the progress. Without
    ``cache`` nothing is kept on disk.
    """

    def __init__(self, build: Build = build_report, cache: ReportCache | None = None) -> None:
        self._build = build
        self._cache = cache
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._workers = 0

    def request(self, run: runs.Run, options: Options, wait_s: float) -> model.Report | Running:
        """The report; if it takes longer than ``wait_s`` seconds, how far it is: ask again for more.

        Raises UnreadableInput if a file vanished, and whatever the analysis raised, after which asking
        again tries again.
        """
        key = _identity(run, options)
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = _Job()
                self._start(job, run, options)
            self._jobs.move_to_end(key)
            self._forget_old_jobs()
        try:
            return job.wait(wait_s)
        except Exception:
            with self._lock:
                if self._jobs.get(key) is job:
                    del self._jobs[key]
            raise

    def _start(self, job: _Job, run: runs.Run, options: Options) -> None:
        def work(progress: Progress) -> model.Report:
            return make_report(run, options, progress, build=self._build, cache=self._cache)

        self._queue.put(lambda: job.run(work))
        if self._workers < WORKERS:
            # Daemons, unlike those of a ThreadPoolExecutor: a large profile never delays the exit.
            self._workers += 1
            threading.Thread(target=self._work, name="tfperf-report", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._queue.get()()

    def _forget_old_jobs(self) -> None:
        finished = [key for key, job in self._jobs.items() if job.done.is_set()]
        for key in finished[: max(0, len(self._jobs) - MAX_JOBS)]:
            del self._jobs[key]


def make_report(
    run: runs.Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = build_report,
    cache: ReportCache | None,
) -> model.Report:
    """The report of ``run`` from the cache, else made now and stored there. Raises TfperfError."""
    # Reads a bit of every file, so that one that cannot be read is named, with or without a cache.
    key = _content_key(run, options)
    report = cache.get(key) if cache else None
    if report is None:
        try:
            report = build(run, options, progress)
        except MemoryError as error:
            raise UnreadableInput(
                f"Run {run.name} needs more memory than there is. Capture fewer steps."
            ) from error
        if cache:
            cache.put(key, report)
    return report


def _identity(run: runs.Run, options: Options) -> str:
    """What tells requests apart without reading a file: names, sizes, times and options."""
    profiles = [_status(host) for host in run.hosts]
    records = [(record.name, _status_of_record(record)) for record in run.records]
    return json.dumps([run.name, str(run.path), profiles, records, astuple(options)])


def _content_key(run: runs.Run, options: Options) -> str:
    """The name under which a report is cached: a hash of everything that goes into it."""
    digest = hashlib.sha256(json.dumps([_identity(run, options), __version__, code_version()]).encode())
    for host in run.hosts:
        try:
            _hash_ends(digest, host)
        except Exception as error:  # each remote file system raises errors of its own
            raise _unreadable(host, error) from error
    for record in run.records:
        with contextlib.suppress(Exception):  # the report tells that it cannot be read
            _hash_ends(digest, record)
    return digest.hexdigest()


def _hash_ends(digest: hashlib._Hash, file: runs.HostFile | runs.RecordFile) -> None:
    size, _ = runs.size_and_time(file.path)
    with file.path.open("rb") as content:
        digest.update(content.read(HASHED_BYTES))
        content.seek(max(0, size - HASHED_BYTES))
        digest.update(content.read(HASHED_BYTES))


@functools.cache
def code_version() -> str:
    """A hash of this package's sources: reports of other rules, or of another analysis, are not ours."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _status(host: runs.HostFile) -> tuple[str, int, int]:
    try:
        return (host.host, *runs.size_and_time(host.path))
    except Exception as error:  # each remote file system raises errors of its own
        raise _unreadable(host, error) from error


def _status_of_record(record: runs.RecordFile) -> tuple[int, int] | None:
    """Size and time; None if it cannot be read, for which no report fails."""
    try:
        return runs.size_and_time(record.path)
    except Exception:  # each remote file system raises errors of its own
        return None


def _unreadable(host: runs.HostFile, error: Exception) -> UnreadableInput:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return UnreadableInput(f"The profile of host {host.host} cannot be read: {reason}.")


def from_json(value: Any) -> model.Report:
    """The report that ``to_json`` made ``value`` of. Raises ValueError if it is no such value."""
    report = _typed(value, model.Report)
    if not isinstance(report, model.Report):
        raise ValueError("not a report")
    return report


def _typed(value: Any, kind: Any) -> Any:
    """``value``, as read from JSON, as the type ``kind`` of the report's model."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            raise ValueError(f"not a {kind.__name__}")
        return kind(**{field.name: _typed(value[field.name], hints[field.name]) for field in fields(kind)})
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(item, arguments[0]) for item in value)
    if origin is dict and isinstance(value, dict):
        return {_typed(key, arguments[0]): _typed(item, arguments[1]) for key, item in value.items()}
    if origin in (typing.Union, types.UnionType):
        for choice in arguments:
            try:
                return _typed(value, choice)
            except ValueError:
                continue
    elif origin is Literal:
        if value in arguments:
            return value
    elif isinstance(kind, type) and (type(value) is kind or (kind is float and type(value) is int)):
        return value
    raise ValueError(f"{value!r:.80} is not {kind}")
