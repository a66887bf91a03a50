"""Analyses in processes of their own (``process.py``): with a limit of memory, and they can be stopped.

Profiles are foreign bytes. A worker that decodes one may neither take all memory nor die unnoticed, and
whoever waits for it can give up. Where the system has no limits of memory, as on Windows, the rest holds.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, Final, TypeVar

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.analyze import Analysis, Progress, analyze_run
from tfperf_plugin.execution.hosts import analyze_host, survey_host
from tfperf_plugin.execution.process import Worker, limit_memory
from tfperf_plugin.execution.process import WorkerLost as WorkerLost
from tfperf_plugin.readers import logdir
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import Options

T = TypeVar("T")

END_S: Final = 5.0
"""So long a pool that ends waits for its threads, whose processes are killed by then."""
MEMORY_RATIO: Final = 0.6
"""Of the memory that is available an analysis takes at most this share, unless it is told otherwise."""
BASE_BYTES: Final = 160 << 20
NEED_RATIO: Final = 4
"""What a host takes: ``BASE_BYTES`` for the program, and so often its file (measured: 1.2 to 2)."""
POOL_BYTES: Final = 24 << 20
"""Runs whose files are smaller together are read by one process: starting more would take longer."""
LEAST_BYTES: Final = 256 << 20
"""Less memory is of no use to anyone."""


class Plan(Record, frozen=True):
    """How many processes read hosts at once, and what each may take."""

    workers: int
    bytes_each: int

    @property
    def kept_bytes(self) -> int:
        """What a worker may keep from the first look to the second, beside decoding the next host."""
        return self.bytes_each // 3


def plan(run: logdir.Run, jobs: int | None = None, memory: int | None = None) -> Plan:
    """As many workers as there are processors, or ``jobs``, if all hosts that they read at once fit into
    ``memory``, or into ``MEMORY_RATIO`` of what is available."""
    budget = memory or int(MEMORY_RATIO * available_bytes())
    sizes = [logdir.size_and_time(host.path)[0] for host in run.hosts]
    need = BASE_BYTES + NEED_RATIO * max(sizes, default=0)
    count = min(jobs or processors(), len(sizes), budget // need)
    if jobs is None and sum(sizes) < POOL_BYTES:
        count = 1
    return Plan(max(1, count), budget // max(1, count))


def analyze_here(
    run: logdir.Run,
    options: Options,
    progress: Progress,
    jobs: int | None = None,
    memory: int | None = None,
    with_arrays: bool = True,
) -> Analysis:
    """Analyses a run on this machine: small ones in this process, others host by host in a pool.

    Raises what ``analyse`` does, and UnreadableInput if a worker is lost or memory does not suffice.
    """
    try:
        chosen = plan(run, jobs, memory)
    except OSError:
        chosen = Plan(1, memory or int(MEMORY_RATIO * available_bytes()))  # reading says what is wrong
    if chosen.workers == 1:
        with limited(chosen.bytes_each):
            return analyze_run(run, options, progress, kept_bytes=chosen.kept_bytes, with_arrays=with_arrays)
    with HostPool(chosen.workers, chosen.bytes_each) as pool:
        return analyze_run(run, options, progress, pool, chosen.kept_bytes, with_arrays)


TASKS: Final[Mapping[str, Callable[..., Any]]] = {
    work.__name__: work for work in (survey_host, analyze_host, analyze_here)
}
"""What workers do."""


class IsolatedAnalyzer:
    """Analyses runs in a worker, which is kept for the next run. As ``analyse``; safe to use from threads.

    If ``progress`` raises, the worker is killed and so the analysis stopped.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._memory = memory
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self.working: set[Worker] = set()

    def __call__(self, run: logdir.Run, options: Options, progress: Progress) -> Analysis:
        """The analysis of a run."""
        worker = self._worker()
        self.working.add(worker)
        try:
            found: Analysis = worker.run(analyze_here, (run, options), progress)
        except WorkerLost as error:
            raise UnreadableInput(
                f"The analysis of run {run.name} ended before it was done ({error}). Capture fewer steps."
            ) from error
        finally:
            self.working.discard(worker)
            if worker.busy:
                worker.kill()
            else:
                self._idle.put(worker)
        return found

    def prepare(self) -> None:
        """Starts a worker before it is needed, unless there is one."""
        if self._idle.empty() and not self.working:
            self._idle.put(self._start())

    def _worker(self) -> Worker:
        with contextlib.suppress(queue.Empty):
            while True:
                worker = self._idle.get_nowait()
                if worker.alive:
                    return worker
                worker.kill()
        return self._start()

    def _start(self) -> Worker:
        return Worker(__name__, self._memory or int(MEMORY_RATIO * available_bytes()))


class HostPool(Executor):
    """Some workers that run the ``TASKS`` of the module ``tasks``.

    Calls with the same first argument go to the same worker, which may have kept things.

    A worker that is lost fails its call with WorkerLost and is replaced.
    """

    def __init__(self, workers: int, limit_bytes: int, tasks: str = __name__) -> None:
        self._limit = limit_bytes
        self._tasks = tasks
        self._queues = [queue.SimpleQueue[Any]() for _ in range(workers)]
        self._near: dict[Any, int] = {}
        self._workers: dict[int, Worker] = {}
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, args=(i,), name=f"tfperf-host-{i}", daemon=True)
            for i in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """As ``Executor.submit``; there are no keyword arguments."""
        if kwargs or self._closed:
            raise RuntimeError("The pool is closed." if self._closed else "Keyword arguments are not sent.")
        future: Future[T] = Future()
        near = self._near.setdefault(args[0] if args else None, len(self._near) % len(self._queues))
        self._queues[near].put((future, work, args))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all workers at once: nothing that they do is of use to anyone any more."""
        self._closed = True
        for tasks in self._queues:
            tasks.put(None)
        for worker in list(self._workers.values()):
            worker.end()
        if wait:
            for thread in self._threads:
                # Not for ever: Ctrl-C can leave a lock behind that a thread waits for.
                thread.join(END_S)

    def pids(self) -> list[int]:
        """Process ids of the workers that run."""
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
                    worker = self._workers[index] = Worker(self._tasks, self._limit)
                future.set_result(worker.run(work, args))
            except BaseException as error:
                if worker and worker.busy:
                    worker.kill()
                    worker = None
                future.set_exception(error)
        if worker:
            worker.kill()


@contextlib.contextmanager
def limited(limit_bytes: int) -> Iterator[None]:
    """Limits the memory of this process meanwhile. What exceeds it is a MemoryError."""
    before = limit_memory(limit_bytes + _mapped_bytes())
    try:
        yield
    finally:
        if before is not None:
            import resource

            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_AS, (before, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _mapped_bytes() -> int:
    """Address space that this process has already."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def available_bytes() -> int:
    """Memory that is free or can be freed, within the limits of a container; 4 GiB where nobody says."""
    found = [x for x in (_meminfo(), _cgroup()) if x is not None]
    return min(found, default=4 << 30)


def _meminfo() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
        return None
    except (OSError, ValueError):
        return None


def _cgroup() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        most = int((folder / "memory.max").read_text())
        stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        used = int((folder / "memory.current").read_text()) - int(stat.get("inactive_file", 0))
        return max(0, most - used)
    except (OSError, ValueError):
        return None
