"""From a run to its report: from the cache, else made and kept there, under a key of content and rules."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import to_builtins

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.analyze import Analysis, Progress
from tfperf_plugin.execution.cache import ReportCache as ReportCache
from tfperf_plugin.execution.pool import analyze_here
from tfperf_plugin.readers import logdir, remote
from tfperf_plugin.report import model
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.panels.timeline import Arrays
from tfperf_plugin.version import __version__

Build = Callable[[logdir.Run, Options, Progress], Analysis]


HASHED_BYTES = 1 << 19
"""Of the heads of all files of a run together this much goes into its cache key, and as much of their tails,
beside size, mtime and ctime; of one file at most ``MAX_HASHED_BYTES``.

More would take longer to read than the answer may. What changes in the middle of a large file alone shows in
ctime, which nobody can set: not by ``touch``, not by a copy that keeps times."""


MAX_HASHED_BYTES = 1 << 16


_WITHOUT_ARRAYS: Final[Build] = functools.partial(analyze_here, with_arrays=False)


def make_report(
    run: logdir.Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = _WITHOUT_ARRAYS,
    cache: ReportCache | None,
) -> model.Report:
    """The report of ``run`` from the cache, else made now and stored there. Raises TfperfError.

    Arrays are only for the tab: it makes those of a report that was made without when it asks for them.
    """
    found = cache.get(cache_key(content_key(run, identity(run, options)))) if cache else None
    return make(run, options, progress, build, cache).report if found is None else found


def make_arrays(
    run: logdir.Run,
    options: Options,
    progress: Progress,
    *,
    build: Build = analyze_here,
    cache: ReportCache | None,
) -> Arrays:
    """The arrays beside the report of ``run``, from the cache, else made now. Raises TfperfError."""
    found = cache.arrays(cache_key(content_key(run, identity(run, options)))) if cache else None
    return make(run, options, progress, build, cache).arrays if found is None else found


def make(
    run: logdir.Run, options: Options, progress: Progress, build: Build, cache: ReportCache | None
) -> Analysis:
    """The analysis of a run that does not change meanwhile, kept in the cache. Raises TfperfError."""
    for _ in range(2):
        # Reads a bit of every file, so that one that cannot be read is named, with or without a cache.
        before = content_key(run, identity(run, options))
        try:
            analysis = build(run, options, progress)
        except MemoryError as error:
            raise UnreadableInput(
                f"Run {run.name} needs more memory than there is. Capture fewer steps."
            ) from error
        if content_key(run, identity(run, options)) == before:
            if cache:
                cache.put(cache_key(before), analysis)
            return analysis
    raise UnreadableInput(
        f"Run {run.name} changes while it is read: it is still being written. Ask again when it is complete."
    )


def identity(run: logdir.Run, options: Options) -> str:
    """What tells requests apart without reading a file: names, sizes, times and options."""
    profiles = [_status(host) for host in run.hosts]
    records = [(record.name, _status_of_record(record)) for record in run.records]
    return json.dumps([run.name, str(run.path), profiles, records, to_builtins(options)])


def content_key(run: logdir.Run, identity: str) -> str:
    """A hash of what is asked: its identity, and a bit of each file."""
    digest = hashlib.sha256(identity.encode())
    length = min(HASHED_BYTES // (len(run.hosts) + len(run.records)), MAX_HASHED_BYTES)
    for host in run.hosts:
        try:
            digest.update(logdir.ends(host, length))
        except Exception as error:  # each remote file system raises errors of its own
            raise _unreadable(host, error) from error
    for record in run.records:
        with contextlib.suppress(Exception):  # the report tells that it cannot be read
            digest.update(logdir.ends(record, length))
    return digest.hexdigest()


def cache_key(content_key: str) -> str:
    """The name under which a report is cached: a hash of everything that goes into it."""
    return hashlib.sha256(json.dumps([content_key, __version__, code_version()]).encode()).hexdigest()


@functools.cache
def code_version() -> str:
    """A hash of this package's sources: reports of other rules, or of another analysis, are not ours."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _status(host: logdir.HostFile) -> tuple[str, tuple[int, int, int]]:
    try:
        return host.host, logdir.state_of(host.path)
    except Exception as error:  # each remote file system raises errors of its own
        raise _unreadable(host, error) from error


def _status_of_record(record: logdir.RecordFile) -> tuple[int, int, int] | None:
    """Size and times; None if it cannot be read, for which no report fails."""
    try:
        return logdir.state_of(record.path)
    except Exception:  # each remote file system raises errors of its own
        return None


def _unreadable(host: logdir.HostFile, error: Exception) -> UnreadableInput:
    place = str(host.path)
    reason = remote.reason(place, error).rstrip(".") if remote.scheme_of(place) else logdir.reason(error)
    return UnreadableInput(f"The profile of host {host.host} cannot be read: {reason}.")
