"""Reports on request: computed in the background, once for all who ask, and remembered on disk.

Worker threads do the work of ``ReportService``; everyone who asks for the same content with the same
options waits for the same job. Finished reports are kept as JSON, the arrays beside them as NPZ, in the
user's cache directory under a key made of everything that they depend on, so nothing stale is ever shown.
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
import zipfile
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, is_dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from tfperf_plugin import runs
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.report import model
from tfperf_plugin.report.build import Analysis, Progress, analyse
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.render import to_json
from tfperf_plugin.report.timeline import Arrays
from tfperf_plugin.version import __version__

Build = Callable[[runs.Run, Options, Progress], Analysis]

HASHED_BYTES = 1 << 16
"""Of each file this much of its head and of its tail goes into the cache key, beside size and mtime."""
MAX_JOBS = 32
"""Jobs that are remembered in memory; the oldest finished ones are dropped first."""
MAX_ARRAYS = 2
"""Reports whose arrays are kept in memory: those that were asked for last."""
WORKERS = 2
MAX_CACHE_BYTES = 256 << 20
"""The reports and arrays on disk take at most this much; the least recently used ones are deleted."""

_log = logging.getLogger(__name__)
_T = typing.TypeVar("_T")
# What reading a damaged file of the cache raises.
_BROKEN = (
    OSError, EOFError, ValueError, TypeError, KeyError, AttributeError, RecursionError, NotImplementedError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip


class ReportCache:
    """Reports as JSON and their arrays as NPZ in one directory. What goes wrong here costs only time."""

    def __init__(self, directory: Path | None = None, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._directory = directory or default_cache_directory()
        self._max_bytes = max_bytes

    def get(self, key: str) -> model.Report | None:
        """The report stored under ``key``; None if there is none that can be read and understood."""
        return self._read(f"{key}.json", lambda path: from_json(json.loads(path.read_bytes())))

    def arrays(self, key: str) -> Arrays | None:
        """The arrays stored under ``key``; None if there are none that can be read."""
        return self._read(f"{key}.npz", _load_arrays)

    def put(self, key: str, analysis: Analysis) -> None:
        """Stores both: readable for the user only, and each either whole or not at all."""
        text = json.dumps(to_json(analysis.report), allow_nan=False).encode()
        self._write(f"{key}.json", lambda file: file.write(text))
        self._write(f"{key}.npz", lambda file: _save_arrays(file, analysis.arrays))
        self._shrink()

    def _read(self, name: str, parse: Callable[[Path], _T]) -> _T | None:
        if self._directory is None:
            return None
        path = self._directory / name
        try:
            found = parse(path)
            os.utime(path)
        except FileNotFoundError:
            return None
        except _BROKEN as error:
            _log.info("The cached file %s is not used: %s", path, error)
            return None
        return found

    def _write(self, name: str, write: Callable[[IO[bytes]], object]) -> None:
        if self._directory is None:
            return
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._directory, prefix=".new-")  # mode 0600
            try:
                with os.fdopen(handle, "wb") as file:
                    write(file)
                Path(temporary).replace(self._directory / name)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except (OSError, ValueError) as error:
            _log.info("%s could not be cached in %s: %s", name, self._directory, error)

    def _shrink(self) -> None:
        if self._directory is None:
            return
        with contextlib.suppress(OSError):  # another process shrinks it as well
            found = [p for p in self._directory.iterdir() if p.suffix in (".json", ".npz")]
            files = [(path, path.stat()) for path in found]
            total = sum(status.st_size for _, status in files)
            for path, status in sorted(files, key=lambda item: item[1].st_mtime):
                if total <= self._max_bytes:
                    return
                path.unlink(missing_ok=True)
                total -= status.st_size


def _save_arrays(file: IO[bytes], arrays: Arrays) -> None:
    if any(array.dtype.hasobject for array in arrays.values()):
        raise ValueError("arrays of objects are not stored")
    members: dict[str, Any] = dict(arrays)
    np.savez(file, **members)


def _load_arrays(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as stored:
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise ValueError("not an archive of arrays")
        return dict(stored)


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


class _Job(typing.Generic[_T]):
    """One report, or its arrays, being made. Any number of threads may wait for it."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self._running = Running("xspace", 0.0)
        self._result: _T | None = None
        self._error: Exception | None = None

    def run(self, work: Callable[[Progress], _T]) -> None:
        try:
            self._result = work(self._set_progress)
        except Exception as error:
            self._error = error
        finally:
            self.done.set()

    def wait(self, seconds: float) -> _T | Running:
        if not self.done.wait(seconds):
            return self._running
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def _set_progress(self, stage: str, share: float) -> None:
        self._running = Running(stage, min(max(share, 0.0), 1.0))


class ReportService:
    """Makes reports in the background; see the module's description.

    ``build`` makes an analysis from a run, options and a function to tell the progress. Without
    ``cache`` nothing is kept on disk.
    """

    def __init__(self, build: Build = analyse, cache: ReportCache | None = None) -> None:
        self._build = build
        self._cache = cache
        self._lock = threading.Lock()
        self._reports: OrderedDict[str, _Job[model.Report]] = OrderedDict()
        self._arrays: OrderedDict[str, _Job[Arrays]] = OrderedDict()
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._workers = 0

    def request(self, run: runs.Run, options: Options, wait_s: float) -> model.Report | Running:
        """The report; if it takes longer than ``wait_s`` seconds, how far it is: ask again for more.

        Raises UnreadableInput if a file vanished, and whatever the analysis raised, after which asking
        again tries again.
        """
        key = _identity(run, options)

        def work(progress: Progress) -> model.Report:
            found = make_analysis(run, options, progress, build=self._build, cache=self._cache)
            if isinstance(found, Analysis):
                self._keep_arrays(key, found.arrays)
                return found.report
            return found

        return self._wait(self._reports, MAX_JOBS, key, work, wait_s)

    def arrays(self, run: runs.Run, options: Options, wait_s: float) -> Arrays | Running:
        """The arrays beside the report, or how far they are; raises as ``request`` does."""
        key = _identity(run, options)
        report = self.request(run, options, wait_s)
        if isinstance(report, Running):
            return report

        def work(progress: Progress) -> Arrays:
            return make_arrays(run, options, progress, build=self._build, cache=self._cache)

        return self._wait(self._arrays, MAX_ARRAYS, key, work, wait_s)

    def _keep_arrays(self, key: str, arrays: Arrays) -> None:
        job: _Job[Arrays] = _Job()
        job.run(lambda _: arrays)
        with self._lock:
            self._arrays[key] = job
            _forget_old(self._arrays, MAX_ARRAYS)

    def _wait(
        self,
        jobs: OrderedDict[str, _Job[_T]],
        most: int,
        key: str,
        work: Callable[[Progress], _T],
        wait_s: float,
    ) -> _T | Running:
        with self._lock:
            job = jobs.get(key)
            if job is None:
                job = jobs[key] = _Job()
                self._start(job, work)
            jobs.move_to_end(key)
            _forget_old(jobs, most)
        try:
            return job.wait(wait_s)
        except Exception:
            with self._lock:
                if jobs.get(key) is job:
                    del jobs[key]
            raise

    def _start(self, job: _Job[_T], work: Callable[[Progress], _T]) -> None:
        self._queue.put(lambda: job.run(work))
        if self._workers < WORKERS:
            # Daemons, unlike those of a ThreadPoolExecutor: a large profile never delays the exit.
            self._workers += 1
            threading.Thread(target=self._work, name="tfperf-report", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._queue.get()()


def _forget_old(jobs: OrderedDict[str, _Job[_T]], most: int) -> None:
    finished = [key for key, job in jobs.items() if job.done.is_set()]
    for key in finished[: max(0, len(jobs) - most)]:
        del jobs[key]


def make_report(
    run: runs.Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = analyse,
    cache: ReportCache | None,
) -> model.Report:
    """The report of ``run`` from the cache, else made now and stored there. Raises TfperfError."""
    found = make_analysis(run, options, progress, build=build, cache=cache)
    return found.report if isinstance(found, Analysis) else found


def make_arrays(
    run: runs.Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = analyse,
    cache: ReportCache | None,
) -> Arrays:
    """The arrays beside the report of ``run``, from the cache, else made now. Raises TfperfError."""
    key = _content_key(run, options)
    found = cache.arrays(key) if cache else None
    return _make(key, run, options, progress, build, cache).arrays if found is None else found


def make_analysis(
    run: runs.Run, options: Options, progress: Progress, *, build: Build, cache: ReportCache | None
) -> Analysis | model.Report:
    """The report of ``run`` from the cache, else the analysis, made now and stored there."""
    # Reads a bit of every file, so that one that cannot be read is named, with or without a cache.
    key = _content_key(run, options)
    report = cache.get(key) if cache else None
    return _make(key, run, options, progress, build, cache) if report is None else report


def _make(
    key: str, run: runs.Run, options: Options, progress: Progress, build: Build, cache: ReportCache | None
) -> Analysis:
    try:
        analysis = build(run, options, progress)
    except MemoryError as error:
        raise UnreadableInput(
            f"Run {run.name} needs more memory than there is. Capture fewer steps."
        ) from error
    if cache:
        cache.put(key, analysis)
    return analysis


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
