"""Analyses on the workers of a Dask cluster: ``pip install tfperf-plugin[dask]``.

Workers need the same version of tfperf and must see the log directory under the same path. They receive a
path and small arrays, and return the summary of a host, both as messages (``codec.py``): Dask pickles only
bytes. The analysis of a host goes to the worker that surveyed it and kept the decoded events. If that worker
has died, or is busy while another one is idle, the other worker decodes the file again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import Executor, Future
from typing import Any, Final

from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.execution.analyze import Analysis, Progress, analyze_run
from tfperf_plugin.execution.codec import encode
from tfperf_plugin.execution.hosts import KEPT_BYTES, forget
from tfperf_plugin.execution.pool import TASKS
from tfperf_plugin.execution.process import Task, decode_result, run_call
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report.options import Options
from tfperf_plugin.version import __version__

ANSWER_S = 10
"""Time limit in seconds for an answer of the scheduler."""
LOST_S = 10
"""An analysis fails when its cluster has had no worker for this long; Dask would wait on."""
WATCH_S = 1
"""How often the scheduler is asked for its workers."""
KEPT_RATIO: Final = 0.25
"""Share of its memory that a worker may fill with kept hosts; from 0.6 on, Dask spills memory to disk."""


def analyze_on_cluster(run: Run, options: Options, progress: Progress, address: str) -> Analysis:
    """Analyzes a run on the cluster whose scheduler has this address.

    Raises BadOptionError if Dask is not installed, no scheduler answers, or the workers cannot run tfperf.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise BadOptionError(
            "--scheduler needs Dask, which is not installed: pip install 'tfperf-plugin[dask]'."
        ) from error
    for logger in ("distributed", "distributed.client"):  # an error is one sentence; theirs are tracebacks
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=ANSWER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise BadOptionError(
            f"No Dask scheduler answers at {address}. Start one with 'dask scheduler' and workers with "
            f"'dask worker {address}', and give the address that it prints."
        ) from error
    with client:
        watch = _Watch(client, address, progress)
        try:
            kept_bytes = _check_workers(client, address)
            return analyze_run(run, options, watch, _Cluster(client), kept_bytes)
        except OSError as error:  # that of a file is an UnreadableInput
            if error is watch.raised:
                raise
            raise watch.lost(f"The Dask scheduler at {address} no longer answers") from error
        finally:
            if not watch.is_lost:
                client.run(forget, wait=False, on_error="ignore")


def _check_workers(client: Any, address: str) -> int:
    """How many bytes each worker may keep. Raises BadOptionError without workers of this tfperf version."""
    try:
        workers = client.run(_describe_worker)
    except OSError:  # the scheduler is lost
        raise
    except Exception as error:
        raise BadOptionError(
            f"The workers of {address} cannot import tfperf_plugin ({type(error).__name__}). "
            "Install it there."
        ) from error
    if not workers:
        raise BadOptionError(
            f"The scheduler at {address} has no workers; 'dask worker {address}' starts some."
        )
    others = sorted({found for found, _ in workers.values() if found != __version__})
    if others:
        raise BadOptionError(f"Workers of {address} have tfperf {others[0]}, this is {__version__}.")
    return min(int(KEPT_RATIO * limit) if limit else KEPT_BYTES for _, limit in workers.values())


def _describe_worker(dask_worker: Any) -> tuple[str, int]:
    """The worker's version of tfperf and its memory limit in bytes; 0 without a limit."""
    return __version__, dask_worker.memory_manager.memory_limit or 0


def run_task(task: str, count: int, arguments: bytes) -> tuple[str, bytes]:
    """Runs one of ``TASKS`` on a worker. Returns the worker's address and the encoded result."""
    from distributed import get_worker

    return get_worker().address, b"".join(run_call(TASKS[task], count, arguments))


class _Watch:
    """A progress function that raises UnreadableInput once the cluster can no longer finish the analysis."""

    def __init__(self, client: Any, address: str, progress: Progress) -> None:
        self.is_lost = False
        self.raised: OSError | None = None
        """What the caller's own progress function raised; it says nothing of the cluster."""
        self._client, self._address, self._progress = client, address, progress
        self._asked = self._seen = time.monotonic()

    def __call__(self, stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        try:
            self._progress(stage, share, hosts)
        except OSError as error:
            self.raised = error
            raise
        if time.monotonic() < self._asked + WATCH_S:
            return
        self._asked = time.monotonic()
        if self._client.status == "running":  # else it connects again, or fails what it waits for
            try:
                workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=ANSWER_S)
            except (OSError, asyncio.TimeoutError) as error:
                raise ConnectionError from error
            if workers:
                self._seen = self._asked
        if self._asked > self._seen + LOST_S:
            raise self.lost(f"All workers of the Dask scheduler at {self._address} have ended")

    def lost(self, what: str) -> UnreadableInput:
        """The error that says what was lost."""
        self.is_lost = True
        return UnreadableInput(f"{what}, so the analysis was stopped. Start the cluster again and try again.")


class _Cluster(Executor):
    """An executor on a Dask cluster. Calls with the same first argument prefer the same worker."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._worker_of: dict[Any, str] = {}

    def submit(self, work: Task, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``, for ``TASKS``. Dask reruns the calls of a lost worker on another one."""
        if kwargs:
            raise RuntimeError("Keyword arguments are not sent.")
        found: Future[Any] = Future()
        found.set_running_or_notify_cancel()

        def done(task: Any) -> None:
            error = task.exception() if task.status == "error" else None
            if task.status == "finished":
                try:
                    self._worker_of[args[0]], result = task.result()
                    found.set_result(decode_result(work, result))
                except BaseException as broken:  # otherwise the future would never finish
                    found.set_exception(broken)
            elif task.status == "cancelled":  # the client does so when it loses the scheduler
                found.set_exception(ConnectionError())
            elif error is not None and type(error).__name__ != "KilledWorker":
                found.set_exception(error)
            else:
                found.set_exception(
                    UnreadableInput(
                        "The cluster lost all workers that read a host, perhaps for want of memory."
                    )
                )

        worker = self._worker_of.get(args[0])
        self._client.submit(
            run_task, work.__name__, len(args), b"".join(encode(args)),
            pure=False, workers=[worker] if worker else None, allow_other_workers=bool(worker),
        ).add_done_callback(done)  # fmt: skip
        return found
