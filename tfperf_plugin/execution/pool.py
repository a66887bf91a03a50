"""Analyses in worker processes (``process.py``), each with limits of memory and time (``limits.py``).

Profiles are untrusted bytes. A worker that decodes one can use up neither all memory nor all time, nor die
unnoticed, and its caller can kill it. On systems without such limits, as Windows, the rest still holds.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any, Final, TypeVar

from tfperf_plugin.errors import OutOfTime, UnreadableInput
from tfperf_plugin.execution import limits
from tfperf_plugin.execution.analyze import POLL_S, Analysis, Progress, analyze_run
from tfperf_plugin.execution.hosts import analyze_host, survey_host
from tfperf_plugin.execution.limits import TIME_LIMIT_S, TimeUp, limited, time_limit, timed
from tfperf_plugin.execution.process import Worker, WorkerLost
from tfperf_plugin.execution.slices import slice_run
from tfperf_plugin.readers.logdirs import files
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.slice.choose import Cut
from tfperf_plugin.report.slice.chrome import Slice

T = TypeVar("T")

END_S: Final = 5.0
"""How long ``HostPool.shutdown`` waits for each thread after killing the workers."""
AT_ONCE: Final = 2
"""Each analysis of an ``IsolatedAnalyzer`` may use at least this part of what they may use together."""
BASE_BYTES: Final = 160 << 20
NEED_RATIO: Final = 4
"""A host takes ``BASE_BYTES`` for the program and at most this many times the size of its file (measured: 1.2
to 2)."""
POOL_BYTES: Final = 24 << 20
"""Runs of a smaller total file size are read in one process: starting more would take longer."""
S_PER_MB: Final = 3
"""Processor time that a run may take for each MB of its files, beside the time of one host."""


class Plan(Record, frozen=True):
    """How many processes read hosts at once, and how much memory each may use."""

    workers: int
    bytes_each: int

    @property
    def together_bytes(self) -> int:
        """Bytes of all processes: the workers and, if there are several, the one that they report to."""
        return self.bytes_each * (self.workers + (self.workers > 1))

    @property
    def kept_bytes(self) -> int:
        """Bytes of decoded hosts that a worker may keep while it decodes the next host."""
        return self.bytes_each // 3


def plan(run: Run, jobs: int | None = None, memory: int | None = None) -> Plan:
    """One worker a processor, or ``jobs``; fewer if they cannot all decode the largest host within ``memory``
    (default: ``limits.usable_bytes``)."""
    budget = memory or limits.usable_bytes()
    sizes = _sizes(run)
    # One more process merges what they find.
    count = min(jobs or limits.processors(), len(sizes), budget // _need(sizes) - 1)
    if count < 2 or (jobs is None and sum(sizes) < POOL_BYTES):
        return Plan(1, budget)
    return Plan(count, budget // (count + 1))


def _sizes(run: Run) -> list[int]:
    """Bytes of each host's file; none if one cannot be read: reading it will raise the right error."""
    with contextlib.suppress(Exception):
        return [files.size_and_time(host.path)[0] for host in run.hosts]
    return []


def _need(sizes: list[int]) -> int:
    """Bytes that a process needs for the largest file."""
    return BASE_BYTES + NEED_RATIO * max(sizes, default=0)


def run_limit(run: Run, limit_s: int) -> int:
    """Seconds of processor time that all hosts of a run may take together if each may take ``limit_s``: as
    much as one host, and ``S_PER_MB`` for each MB of its files. So bad hosts do not add up."""
    return min(limit_s * len(run.hosts), limit_s + math.ceil(S_PER_MB * sum(_sizes(run)) / 1e6))


def _out_of_time(run: Run, limit_s: int) -> OutOfTime:
    several = len(run.hosts) > 1
    return TimeUp(run_limit(run, limit_s), "" if several else " a host").of(f"run {run.name}")


def _is_remote(run: Run) -> bool:
    """Whether a file of the run lies in remote storage."""
    paths = [*(host.path for host in run.hosts), *(file.path for file in run.beside)]
    return any(files.is_remote(str(path)) for path in paths)


def analyze_here(
    run: Run,
    options: Options,
    progress: Progress,
    jobs: int | None = None,
    memory: int | None = None,
    time_limit_s: int | None = None,
    with_arrays: bool = True,
) -> Analysis:
    """Analyzes a run on this machine: in this process if ``plan`` gives one worker, else in a ``HostPool``.

    ``time_limit_s``: of processor time, for each host; by default that of ``time_limit``.

    Raises what ``analyze_run`` does, OutOfTime, and UnreadableInput if a worker is lost or memory does not
    suffice.
    """
    limit_s = time_limit_s or time_limit()
    try:
        with timed(run_limit(run, limit_s)):
            return analyze_apart(run, options, memory, limit_s, progress, jobs, with_arrays)
    except TimeUp:
        raise _out_of_time(run, limit_s) from None


def analyze_apart(
    run: Run,
    options: Options,
    memory: int | None,
    time_limit_s: int,
    progress: Progress,
    jobs: int | None = None,
    with_arrays: bool = True,
) -> Analysis:
    """As ``analyze_here``, in a process whose time somebody else limits."""
    chosen = plan(run, jobs, memory)
    with limited(chosen.bytes_each):
        if chosen.workers == 1:
            return analyze_run(run, options, progress, kept_bytes=chosen.kept_bytes, with_arrays=with_arrays)
        pool = HostPool(
            chosen.workers,
            chosen.bytes_each,
            time_limit_s=time_limit_s,
            total_s=run_limit(run, time_limit_s),
            remote=_is_remote(run),
        )
        with pool:
            return analyze_run(run, options, progress, pool, chosen.kept_bytes, with_arrays)


def slice_here(run: Run, cut: Cut, progress: Progress) -> Slice:
    """As ``slice_run``, with limits of memory and time. Raises OutOfTime, too."""
    limit_s = time_limit()
    try:
        with timed(limit_s):
            return slice_apart(run, cut, limits.usable_bytes(), progress)
    except TimeUp:
        raise _out_of_time(run, limit_s) from None


def slice_apart(run: Run, cut: Cut, memory: int, progress: Progress) -> Slice:
    """As ``slice_run``, in a process whose time somebody else limits."""
    with limited(memory):
        return slice_run(run, cut, progress)


TASKS: Final[Mapping[str, Callable[..., Any]]] = {
    work.__name__: work for work in (survey_host, analyze_host, analyze_apart, slice_apart)
}
"""The functions that workers may run, by name."""


class Budget:
    """The memory that analyses which run at once share. Thread-safe.

    ``total``: bytes; by default ``limits.usable_bytes`` while no analysis runs.
    """

    def __init__(self, total: int | None = None) -> None:
        self._fixed = total
        self._total = self._taken = 0
        self._lock = threading.Lock()
        self._claims: list[object] = []

    def take(self, wanted: int, claim: object = None) -> int | None:
        """Bytes that the caller may use until it calls ``give_back``: those ``wanted``, if the budget has
        them, but at least one of ``AT_ONCE`` equal parts. None while others use them, or while a claim waits
        that was made earlier: else small analyses could keep a large one waiting for ever.

        ``claim``: any object of the caller; it waits from its first call until ``withdraw``.
        """
        with self._lock:
            if claim and claim not in self._claims:
                self._claims.append(claim)
            if self._claims and self._claims[0] is not claim:
                return None
            if not self._taken:
                self._total = self._fixed or limits.usable_bytes()
            granted = max(self._total // AT_ONCE, min(wanted, self._total))
            if self._taken + granted > self._total:
                return None
            self._taken += granted
            return granted

    def withdraw(self, claim: object) -> None:
        """Ends the wait of a claim, which was granted or given up."""
        with self._lock:
            self._claims.remove(claim)

    def give_back(self, granted: int) -> None:
        """Ends the use of what ``take`` has granted."""
        with self._lock:
            self._taken -= granted


class IsolatedAnalyzer:
    """Analyzes runs in worker processes, which it keeps for the next runs. Thread-safe.

    All analyses that run at once share a ``Budget`` of memory; one that needs more than is left waits in the
    stage "waiting". If ``progress`` raises, the worker is killed, which stops the analysis.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._budget = Budget(memory)
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self.working: set[Worker] = set()

    def __call__(self, run: Run, options: Options, progress: Progress) -> Analysis:
        """The analysis of a run, each host of which may take as long as ``time_limit`` says."""
        return self._apart(run, progress, analyze_apart, options, time_limit())

    def slice(self, run: Run, cut: Cut, progress: Progress) -> Slice:
        """The slice of a run's only host, which may take as long as its analysis."""
        return self._apart(run, progress, slice_apart, cut)

    def _apart(self, run: Run, progress: Progress, task: Callable[..., T], asked: Any, *more: Any) -> T:
        """What a worker returns for the task, which is called with the run, ``asked``, the memory that it may
        use, and ``more``."""
        limit_s = time_limit()
        memory = self._take(run, progress)
        worker = None
        try:
            worker = self._worker(memory, _is_remote(run))
            self.working.add(worker)
            return worker.run(task, (run, asked, memory, *more), progress, run_limit(run, limit_s))
        except TimeUp as error:
            raise _out_of_time(run, limit_s) from error
        except WorkerLost as error:
            raise UnreadableInput(
                f"The analysis of run {run.name} ended before it was done ({error}). Capture fewer steps."
            ) from error
        finally:
            if worker:
                self.working.discard(worker)
                if worker.busy:
                    worker.kill()
                else:
                    self._idle.put(worker)
            self._budget.give_back(memory)

    def _take(self, run: Run, progress: Progress) -> int:
        """Bytes of the budget; waits until there are enough."""
        sizes = _sizes(run)
        count = min(limits.processors(), len(sizes)) if sum(sizes) >= POOL_BYTES else 1
        wanted = Plan(count, _need(sizes)).together_bytes
        claim = object()
        try:
            while (memory := self._budget.take(wanted, claim)) is None:
                progress("waiting", 0.0)
                time.sleep(POLL_S)
        finally:
            self._budget.withdraw(claim)
        return memory

    def prepare(self, run: Run) -> None:
        """Starts a worker in advance for runs like this one, unless a worker exists."""
        if self._idle.empty() and not self.working:
            self._idle.put(self._start(0, _is_remote(run)))

    def _worker(self, memory: int, remote: bool) -> Worker:
        """A worker with the rights that a run needs, whose own limit leaves room for that of an analysis,
        ``memory``."""
        with contextlib.suppress(queue.Empty):
            while True:
                worker = self._idle.get_nowait()
                if worker.alive and worker.limit_bytes >= memory and worker.remote == remote:
                    return worker
                worker.kill()
        return self._start(memory, remote)

    def _start(self, memory: int, remote: bool) -> Worker:
        # Each analysis sets the limit that it was granted, which cannot exceed that of its worker.
        return Worker(__name__, max(memory, limits.usable_bytes()), remote)


class HostPool(Executor):
    """Workers that run the ``TASKS`` of the module ``tasks``.

    Calls with the same first argument go to the same worker, which may have kept the decoded host. If a
    worker is lost, its call fails with WorkerLost and a new worker replaces it. All calls with the same first
    argument together may take ``time_limit_s`` of processor time, and all calls ``total_s``, if given; then
    one fails with TimeUp. ``remote``: see ``Worker``.
    """

    def __init__(
        self,
        workers: int,
        limit_bytes: int,
        tasks: str = __name__,
        time_limit_s: int = TIME_LIMIT_S,
        total_s: int | None = None,
        remote: bool = False,
    ) -> None:
        self._worker = tasks, limit_bytes, remote
        self._time_limit_s = time_limit_s
        self._total_s = total_s
        self._spent_s: dict[Any, float] = {}
        self._queues = [queue.SimpleQueue[Any]() for _ in range(workers)]
        self._queue_of: dict[Any, int] = {}
        self._workers: dict[int, Worker] = {}
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(i,), name=f"tfperf-host-{i}", daemon=True)
            for i in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As ``Executor.submit``, without keyword arguments."""
        if kwargs or self._closed:
            raise RuntimeError("The pool is closed." if self._closed else "Keyword arguments are not sent.")
        future: Future[T] = Future()
        queues = self._queues
        index = self._queue_of.setdefault(args[0], len(self._queue_of) % len(queues))
        queues[index].put((future, work, args))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Kills all workers at once: their results are no longer needed."""
        self._closed = True
        for tasks in self._queues:
            tasks.put(None)
        for worker in list(self._workers.values()):
            worker.end()
        if wait:
            for thread in self._threads:
                # With a time limit: after Ctrl-C, a thread may wait for a lock that is never released.
                thread.join(END_S)

    def pids(self) -> list[int]:
        """Process ids of the running workers."""
        return [worker.pid for worker in list(self._workers.values())]

    def _serve(self, index: int) -> None:
        worker: Worker | None = None
        while (task := self._queues[index].get()) is not None:
            future, work, args = task
            if self._closed or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                if worker is None or not worker.alive:
                    worker = self._workers[index] = Worker(*self._worker)
                future.set_result(self._run(worker, work, args))
            except BaseException as error:
                if worker and worker.busy:
                    worker.kill()
                    worker = None
                future.set_exception(error)
        if worker:
            worker.kill()

    def _run(self, worker: Worker, work: Callable[..., T], args: tuple[Any, ...]) -> T:
        host, before_s = args[0], worker.used_s
        spent_s, all_s = self._spent_s.get(host, 0.0), sum(list(self._spent_s.values()))
        left_s, of_run_s = self._time_limit_s - spent_s, (self._total_s or math.inf) - all_s
        late = TimeUp(self._total_s, " for all hosts") if self._total_s and of_run_s < left_s else None
        if late and of_run_s <= 0:
            raise late
        limit_s = max(1, math.ceil(min(left_s, of_run_s)))
        try:
            return worker.run(work, args, limit_s=limit_s)
        except TimeUp:
            before_s -= limit_s  # all of it is used; a worker that was ended no longer tells so
            raise late or TimeUp(self._time_limit_s) from None
        finally:
            self._spent_s[host] = spent_s + worker.used_s - before_s
