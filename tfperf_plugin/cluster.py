"""Analyses on the workers of a Dask cluster: ``pip install tfperf-plugin[dask]``.

The workers need tfperf in the same version and must see the log directory under the same path. What they are
sent is a path and small arrays, what they answer the summary of a host.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, TypeVar

from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.report.build import Analysis, Progress, analyse
from tfperf_plugin.report.options import Options
from tfperf_plugin.version import __version__

if TYPE_CHECKING:
    from tfperf_plugin import runs

T = TypeVar("T")
ANSWER_S = 10
"""So long a scheduler may take to answer at first."""


def analyse_on_cluster(run: runs.Run, options: Options, progress: Progress, address: str) -> Analysis:
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
        _check(client, address)
        # What a worker decoded for the first look is not kept: the second may run elsewhere.
        return analyse(run, options, progress, _Cluster(client), kept_bytes=0)


def _check(client: Any, address: str) -> None:
    """Whether there are workers, with the same tfperf."""
    try:
        versions = client.run(version)
    except Exception as error:
        raise BadOptionError(
            f"The workers of {address} cannot import tfperf_plugin ({type(error).__name__}). "
            "Install it there."
        ) from error
    if not versions:
        raise BadOptionError(
            f"The scheduler at {address} has no workers; 'dask worker {address}' starts some."
        )
    others = sorted({found for found in versions.values() if found != __version__})
    if others:
        raise BadOptionError(f"Workers of {address} have tfperf {others[0]}, this is {__version__}.")


def version() -> str:
    """The version of tfperf on a worker."""
    return __version__


class _Cluster(Executor):
    """Dask's executor, whose errors are told apart."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As ``Executor.submit``. What a lost worker did, Dask starts anew on another one."""
        found: Future[Any] = Future()
        found.set_running_or_notify_cancel()

        def done(task: Any) -> None:
            error = task.exception() if task.status == "error" else None
            if task.status == "finished":
                found.set_result(task.result())
            elif error is not None and type(error).__name__ != "KilledWorker":
                found.set_exception(error)
            else:
                found.set_exception(
                    UnreadableInput(
                        "The cluster lost all workers that read a host, perhaps for want of memory."
                    )
                )

        self._client.submit(work, *args, **kwargs, pure=False).add_done_callback(done)
        return found
