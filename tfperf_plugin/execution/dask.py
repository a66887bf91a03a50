"""Analyses on the workers of a Dask cluster: ``pip install tfperf-plugin[dask]``.

The workers need tfperf in the same version and must see the log directory under the same path. What they are
sent is a path and small arrays, what they answer the summary of a host: messages (``codec.py``), so that
Dask pickles nothing but bytes. The second look at a host goes to the worker that had the first one and has
kept what it decoded; if that has died, or is busy while another one is idle, the other one decodes it again.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any, Final

from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.execution.analyze import Analysis, Progress, analyze_run
from tfperf_plugin.execution.codec import encode
from tfperf_plugin.execution.hosts import KEPT_BYTES, forget
from tfperf_plugin.execution.pool import TASKS
from tfperf_plugin.execution.process import Task, decode_result, run_call
from tfperf_plugin.readers import logdir
from tfperf_plugin.report.options import Options
from tfperf_plugin.version import __version__

ANSWER_S = 10
"""So long a scheduler may take to answer at first."""
KEPT_RATIO: Final = 0.25
"""Of its memory a worker keeps so much from the first look to the second; from 0.6 on Dask interferes."""


def analyze_on_cluster(run: logdir.Run, options: Options, progress: Progress, address: str) -> Analysis:
    """Analyses a run on the cluster whose scheduler has this address.

    Raises BadOptionError if Dask is not installed, nobody answers there, or the workers cannot do it.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise BadOptionError(
            "--scheduler needs Dask, which is not installed: pip install 'tfperf-plugin[dask]'."
        ) from error
    try:
        client = Client(address, timeout=ANSWER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise BadOptionError(
            f"No Dask scheduler answers at {address}. Start one with 'dask scheduler' and workers with "
            f"'dask worker {address}', and give the address that it prints."
        ) from error
    with client:
        kept_bytes = _check(client, address)
        try:
            return analyze_run(run, options, progress, _Cluster(client), kept_bytes)
        finally:
            client.run(forget, wait=False, on_error="ignore")


def _check(client: Any, address: str) -> int:
    """Whether there are workers, with the same tfperf; how many bytes each may keep."""
    try:
        workers = client.run(_about)
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


def _about(dask_worker: Any) -> tuple[str, int]:
    """The version of tfperf on a worker, and the limit of its memory in bytes; 0 if it has none."""
    return __version__, dask_worker.memory_manager.memory_limit or 0


def do_there(task: str, count: int, arguments: bytes) -> tuple[str, bytes]:
    """What a worker does: one of the tasks; its address, and what the task returned."""
    from distributed import get_worker

    return get_worker().address, b"".join(run_call(TASKS[task], count, arguments))


class _Cluster(Executor):
    """Dask's executor, whose errors are told apart. Calls with one first argument go to one worker."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._near: dict[Any, str] = {}

    def submit(self, work: Task, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``, for ``TASKS``. What a lost worker did, Dask starts anew on another one."""
        if kwargs:
            raise RuntimeError("Keyword arguments are not sent.")
        found: Future[Any] = Future()
        found.set_running_or_notify_cancel()

        def done(task: Any) -> None:
            error = task.exception() if task.status == "error" else None
            if task.status == "finished":
                try:
                    self._near[args[0]], result = task.result()
                    found.set_result(decode_result(work, result))
                except BaseException as broken:  # nobody else would tell who waits
                    found.set_exception(broken)
            elif error is not None and type(error).__name__ != "KilledWorker":
                found.set_exception(error)
            else:
                found.set_exception(
                    UnreadableInput(
                        "The cluster lost all workers that read a host, perhaps for want of memory."
                    )
                )

        near = self._near.get(args[0])
        self._client.submit(
            do_there, work.__name__, len(args), b"".join(encode(args)),
            pure=False, workers=[near] if near else None, allow_other_workers=bool(near),
        ).add_done_callback(done)  # fmt: skip
        return found
