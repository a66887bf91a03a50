"""From a run to its report: cached under a hash of everything it depends on, else computed and cached."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.cache import Analysis, ReportCache
from tfperf_plugin.execution.stages import Progress
from tfperf_plugin.readers import remote
from tfperf_plugin.readers.logdirs import files
from tfperf_plugin.readers.logdirs.runs import HostFile, RecordFile, Run
from tfperf_plugin.readers.scalars import event_files, states_of
from tfperf_plugin.report import model
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.timeline.arrays import Arrays
from tfperf_plugin.version import __version__

Build = Callable[[Run, Options, Progress], Analysis]


HASHED_BYTES = 1 << 19
"""Bytes that a run's cache key takes from the heads of all its files together, and again from their tails;
``MAX_HASHED_BYTES`` is the limit for one file. The key also covers sizes, mtimes and ctimes.

Reading more would delay the answer. A change in the middle of a large file shows in its ctime, which no
program can set: neither ``touch`` nor a copy that preserves times."""
MAX_HASHED_BYTES = 1 << 16


def analyze_here(run: Run, options: Options, progress: Progress, **limits: Any) -> Analysis:
    """As in ``pool``, which is imported only if no cached report answers: that imports all rules."""
    from tfperf_plugin.execution import pool

    return pool.analyze_here(run, options, progress, **limits)


_WITHOUT_ARRAYS: Final[Build] = functools.partial(analyze_here, with_arrays=False)


def make_report(
    run: Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = _WITHOUT_ARRAYS,
    cache: ReportCache | None,
) -> model.Report:
    """The cached report of ``run``, else a new one, which is cached. Raises TfperfError.

    By default without arrays: only the tab needs them, and ``make_arrays`` computes missing ones.
    """
    found = cached_report(run, options, cache) if cache else None
    return make(run, options, progress, build, cache).report if found is None else found


def cached_report(run: Run, options: Options, cache: ReportCache) -> model.Report | None:
    """The cached report of ``run``, if there is one. Raises UnreadableInput."""
    return cache.get(cache_key(_request_key(run, options)))


def make_analysis(
    run: Run, options: Options, progress: Progress, *, build: Build, cache: ReportCache | None
) -> Analysis:
    """The cached report of ``run`` and its arrays, else new ones. Raises TfperfError."""
    report = cached_report(run, options, cache) if cache else None
    arrays = cache.arrays(cache_key(_request_key(run, options))) if cache and report else None
    return Analysis(report, arrays) if report and arrays else make(run, options, progress, build, cache)


def make_arrays(
    run: Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = analyze_here,
    cache: ReportCache | None,
) -> Arrays:
    """The cached arrays of the report of ``run``, else new ones. Raises TfperfError."""
    found = cache.arrays(cache_key(_request_key(run, options))) if cache else None
    return make(run, options, progress, build, cache).arrays if found is None else found


def make(run: Run, options: Options, progress: Progress, build: Build, cache: ReportCache | None) -> Analysis:
    """Analyzes a run whose files do not change meanwhile, and caches the result. Raises TfperfError."""
    for _ in range(2):
        # Reads a part of every file, so that an unreadable file is named, with or without a cache.
        before = _request_key(run, options)
        try:
            analysis = build(run, options, progress)
        except MemoryError as error:
            raise UnreadableInput(
                f"Run {run.name} needs more memory than there is. Capture fewer steps."
            ) from error
        if _request_key(run, options) == before:
            if cache:
                cache.put(cache_key(before), analysis)
            return analysis
    raise UnreadableInput(
        f"Run {run.name} changes while it is read: it is still being written. Ask again when it is complete."
    )


def identity(run: Run, options: Options) -> str:
    """What identifies a request without reading a file: names, sizes, times and options."""
    profiles = [_status(host) for host in run.hosts]
    records = [(record.name, _record_status(record)) for record in run.records]
    growing = states_of((*event_files(run), *(file.path for file in run.resources)))
    return json.dumps([run.name, str(run.path), profiles, records, growing, to_builtins(options)])


def content_key(run: Run, identity: str) -> str:
    """A hash of a request: its ``identity``, and the head and tail of each file."""
    digest = hashlib.sha256(identity.encode())
    length = min(HASHED_BYTES // (len(run.hosts) + len(run.records)), MAX_HASHED_BYTES)
    for host in run.hosts:
        try:
            digest.update(files.ends(host, length))
        except Exception as error:  # each remote file system raises errors of its own
            raise _unreadable(host, error) from error
    for record in run.records:
        with contextlib.suppress(Exception):  # the report lists unreadable records
            digest.update(files.ends(record, length))
    return digest.hexdigest()


def _request_key(run: Run, options: Options) -> str:
    return content_key(run, identity(run, options))


def cache_key(content_key: str) -> str:
    """The name under which a report is cached: a hash of its content key and of tfperf's own code."""
    return hashlib.sha256(json.dumps([content_key, __version__, code_version()]).encode()).hexdigest()


@functools.cache
def code_version() -> str:
    """A hash of names, sizes and times of this package's sources, pages and tables, so that other versions
    never share reports."""
    return hashlib.sha256(json.dumps(sorted(_sources(Path(__file__).parents[1]))).encode()).hexdigest()


def _sources(folder: str | Path) -> Iterator[tuple[str, int, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _sources(entry.path)
            elif entry.name.endswith((".py", ".md", ".json")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _status(host: HostFile) -> tuple[str, tuple[int, int, int]]:
    try:
        return host.host, files.state_of(host.path)
    except Exception as error:  # each remote file system raises errors of its own
        raise _unreadable(host, error) from error


def _record_status(record: RecordFile) -> tuple[int, int, int] | None:
    """Size and times; None if the file cannot be read: an unreadable record fails no report."""
    try:
        return files.state_of(record.path)
    except Exception:  # each remote file system raises errors of its own
        return None


def _unreadable(host: HostFile, error: Exception) -> UnreadableInput:
    place = str(host.path)
    reason = remote.reason(place, error).rstrip(".") if remote.scheme_of(place) else files.reason(error)
    return UnreadableInput(f"The profile of host {host.host} cannot be read: {reason}.")
