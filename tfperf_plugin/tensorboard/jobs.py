"""Reports on request: computed in the background, once for all requests, and cached on disk.

Threads of ``ReportService`` wait for worker processes (``execution/pool.py``). Requests for the same content
with the same options share one job. Finished reports and their arrays are cached (``execution/cache.py``)
under a hash of everything that they depend on, so no stale report is shown. If a file of the run changes
during an analysis, the run is analyzed once more; if it changes again, an error says that the run is still
being written.
"""

from __future__ import annotations

import queue
import threading
import typing
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as TimeoutError  # of Python 3.10 too
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from tfperf_plugin.errors import Busy, Canceled, OutOfTime
from tfperf_plugin.execution.cache import ReportCache as ReportCache
from tfperf_plugin.execution.pipeline import Build, cache_key, content_key, identity, make, make_arrays
from tfperf_plugin.execution.pool import AT_ONCE, IsolatedAnalyzer
from tfperf_plugin.execution.slices import make_slice, only_host
from tfperf_plugin.execution.stages import Progress
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.serialize import from_bytes, to_bytes
from tfperf_plugin.report.slice.choose import Cut
from tfperf_plugin.report.slice.chrome import Slice
from tfperf_plugin.report.timeline.arrays import Arrays

MAX_JOBS = 32
"""Jobs kept in memory. The oldest finished jobs are dropped first."""
MAX_WAITING = 64
"""Running and queued jobs together. A request for one more raises Busy."""
MAX_ARRAYS = 2
"""Reports whose arrays stay in memory: the most recently requested. As many slices stay."""
WORKERS = AT_ONCE
PREPARE_S = 10.0
"""A worker process starts this long after the list of runs was sent.

Its start keeps two processors busy for half a second. People open cached reports in the first seconds: a
start one second after the list delayed these by 15 ms or more."""

_T = typing.TypeVar("_T")


class Running(Record, frozen=True):
    """Progress of a job: its stage, the share 0..1 of the whole job that is done, and (hosts done, hosts) for
    runs of several hosts. ``waits_for``: the runs that are analyzed before a job begins."""

    stage: str
    share: float
    hosts: tuple[int, int] | None = None
    waits_for: tuple[str, ...] = ()


_WAITING: Final = Running("waiting", 0.0)


class _Job(Future[_T]):
    """One report of a run, its arrays or a slice, being made. Any number of threads may wait for it."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run_of = run
        self._running = _WAITING

    def make(self, work: Callable[[Progress], _T]) -> None:
        """Does the work, unless the job was stopped."""
        try:
            self._tell("read", 0.0)
            settle = partial(self.set_result, work(self._tell))
        except Exception as error:
            settle = partial(self.set_exception, error)
        with suppress(InvalidStateError):  # it was stopped meanwhile
            settle()

    def stop(self) -> None:
        """Wakes all waiting threads at once. The work ends when it next reports progress."""
        with suppress(InvalidStateError):
            self.set_exception(_canceled(self.run_of))

    def wait(self, seconds: float) -> _T | Running:
        """The result, or the progress after this time. Raises the error of the work."""
        try:
            self.exception(seconds)
        except TimeoutError:
            return self._running
        return self.result()

    def _tell(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if self.done():
            raise _canceled(self.run_of)
        self._running = Running(stage, min(max(share, 0.0), 1.0), hosts)


def _canceled(run: Run) -> Canceled:
    return Canceled(f"The analysis of run {run.name} was stopped. It can be started again.")


class ReportService:
    """Computes reports in the background; see the module's description.

    Args:
        build: makes an analysis from a run, options and a progress function, which raises once the job is
            stopped. By default, an ``IsolatedAnalyzer``.
        cache: without it, nothing is kept on disk.
    """

    def __init__(self, build: Build | None = None, cache: ReportCache | None = None) -> None:
        self._isolated = IsolatedAnalyzer()
        self._build = build or self._isolated
        self._cache = cache
        self._lock = threading.Lock()
        self._reports: OrderedDict[str, _Job[bytes]] = OrderedDict()
        self._arrays: OrderedDict[str, _Job[Arrays]] = OrderedDict()
        self._slices: OrderedDict[str, _Job[Slice]] = OrderedDict()
        self._queue: queue.SimpleQueue[tuple[_Job[Any], Callable[[Progress], Any]]] = queue.SimpleQueue()
        self._workers = 0
        self._begun: list[_Job[Any]] = []
        self._stopped: OrderedDict[str, str] = OrderedDict()

    def prepare(self, run: Run) -> None:
        """Starts a worker process after ``PREPARE_S``, ready for the first report of a run like this one."""
        if self._build is self._isolated:
            timer = threading.Timer(PREPARE_S, self._isolated.prepare, [run])
            timer.daemon = True
            timer.start()

    def cancel(self, run: Run) -> int:
        """Stops all unfinished jobs of ``run`` and returns their number.

        Later requests for them raise Canceled until one for the report sets ``again``. So do those for a job
        that took too much time: the page that asks again and again must not keep the others waiting.
        """
        with self._lock:
            every: tuple[OrderedDict[str, Any], ...] = (self._reports, self._arrays)
            stopped = [
                (jobs, key, job)
                for jobs in every
                for key, job in jobs.items()
                if not job.done() and (job.run_of.name, job.run_of.path) == (run.name, run.path)
            ]
            for jobs, key, job in stopped:
                del jobs[key]
                job.stop()
                self._stay_stopped(key, _canceled(run))
            return len(stopped)

    def _stay_stopped(self, key: str, error: Canceled) -> None:
        self._stopped[key] = str(error)
        while len(self._stopped) > MAX_JOBS:
            self._stopped.popitem(last=False)

    def request(
        self, run: Run, options: Options, wait_s: float, again: bool = False
    ) -> model.Report | Running:
        """The report, or its progress if it is not finished within ``wait_s`` seconds.

        Raises UnreadableInput if a file vanished, Canceled if the job was stopped and ``again`` is false, and
        the error of the analysis, which the next request starts anew.
        """
        found = self.content(run, options, wait_s, again)
        return found if isinstance(found, Running) else from_bytes(found)

    def content(self, run: Run, options: Options, wait_s: float, again: bool = False) -> bytes | Running:
        """As ``request``, but as the bytes that are stored."""
        key = identity(run, options)
        if again:
            with self._lock:
                for stopped in (key, _key_of_arrays(key)):
                    self._stopped.pop(stopped, None)

        def work(progress: Progress) -> bytes:
            content = self._cache.content(cache_key(content_key(run, key))) if self._cache else None
            if content is not None:
                return content
            made = make(run, options, progress, self._build, self._cache)
            self._keep_arrays(key, run, made.arrays)
            return to_bytes(made.report)

        return self._wait(self._reports, MAX_JOBS, key, run, work, wait_s)

    def look(self, run: Run, options: Options, in_cache: bool = True) -> bytes | Running | None:
        """The report as it is stored, or its progress; None if neither a job nor the cache has it.

        Starts nothing. Raises the error of a job that failed. ``in_cache``: whether to look there, too.
        """
        key = identity(run, options)
        with self._lock:
            if key in self._stopped:
                raise Canceled(self._stopped[key])
            job = self._reports.get(key)
        if job:
            return job.wait(0)
        return self._cache.content(cache_key(content_key(run, key))) if in_cache and self._cache else None

    @property
    def unfinished(self) -> int:
        """How many reports are being made, or wait for it."""
        with self._lock:
            return sum(not job.done() for job in self._reports.values())

    def arrays(self, run: Run, options: Options, wait_s: float) -> Arrays | Running:
        """The arrays of the report, or their progress. Raises as ``request`` does."""
        key = _key_of_arrays(identity(run, options))
        report = self.request(run, options, wait_s)
        if isinstance(report, Running):
            return report

        def work(progress: Progress) -> Arrays:
            return make_arrays(run, options, progress, build=self._build, cache=self._cache)

        return self._wait(self._arrays, MAX_ARRAYS, key, run, work, wait_s)

    def slice(self, run: Run, cut: Cut, wait_s: float) -> Slice | Running:
        """The slice of a host, or its progress. Raises as ``request`` does, and BadOptionError if the run has
        no such host, or the host nothing in the range."""
        one = only_host(run, cut.host)
        key = f"slice {cut} of {identity(one, Options())}"

        def work(progress: Progress) -> Slice:
            return make_slice(one, cut, progress, self._isolated.slice)

        return self._wait(self._slices, MAX_ARRAYS, key, one, work, wait_s)

    def _keep_arrays(self, key: str, run: Run, arrays: Arrays) -> None:
        job: _Job[Arrays] = _Job(run)
        job.set_result(arrays)
        with self._lock:
            self._arrays[_key_of_arrays(key)] = job
            _forget_old(self._arrays, MAX_ARRAYS)

    def _wait(
        self,
        jobs: OrderedDict[str, _Job[_T]],
        most: int,
        key: str,
        run: Run,
        work: Callable[[Progress], _T],
        wait_s: float,
    ) -> _T | Running:
        with self._lock:
            if key in self._stopped:
                raise Canceled(self._stopped[key])
            job = jobs.get(key)
            if job is None:
                if sum(not each.done() for each in jobs.values()) >= MAX_WAITING:
                    raise Busy("Too many reports are being made. Ask again in a minute.")
                job = jobs[key] = _Job(run)
                self._start(job, work)
            jobs.move_to_end(key)
            _forget_old(jobs, most)
        try:
            found = job.wait(wait_s)
        except Exception as error:
            with self._lock:
                if jobs.get(key) is job:
                    del jobs[key]
                    if isinstance(error, OutOfTime):
                        self._stay_stopped(key, error)
            raise
        if isinstance(found, Running) and found.stage == _WAITING.stage:
            before = tuple(dict.fromkeys(each.run_of.name for each in list(self._begun) if each is not job))
            return replace(_WAITING, waits_for=before) if before else Running("read", 0.0)
        return found

    def _start(self, job: _Job[_T], work: Callable[[Progress], _T]) -> None:
        self._queue.put((job, work))
        if self._workers < WORKERS:
            # Daemon threads, unlike those of a ThreadPoolExecutor, do not delay the exit.
            self._workers += 1
            threading.Thread(target=self._run_jobs, name="tfperf-report", daemon=True).start()

    def _run_jobs(self) -> None:
        while True:
            job, work = self._queue.get()
            self._begun.append(job)
            job.make(work)
            self._begun.remove(job)


def _key_of_arrays(key: str) -> str:
    """Not that of the report, which may be done though its arrays are stopped."""
    return f"arrays of {key}"


def _forget_old(jobs: OrderedDict[str, _Job[_T]], most: int) -> None:
    finished = [key for key, job in jobs.items() if job.done()]
    for key in finished[: max(0, len(jobs) - most)]:
        del jobs[key]
