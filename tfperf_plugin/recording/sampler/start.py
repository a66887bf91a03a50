"""Starts the sampler as a process that nobody's child is."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tfperf_plugin.readers.logdirs.files import is_remote
from tfperf_plugin.recording.launch import NOTES, REQUEST

_BESIDE: Final = """
import os, sys
if os.fork():
    os._exit(0)
sys.path.append(sys.argv[3])
from tfperf_plugin.recording.sampler.run import main
main(int(sys.argv[1]), sys.argv[2], "summaries" in sys.argv)
"""
"""Whoever starts it waits until Python runs, and has no child afterwards. Python is isolated: it reads no
file of the training's folder, and tfperf is found where it is found here."""
_WITHIN_S: Final = 10.0
_started: set[str] = set()


def start(pid: int, folder: str | os.PathLike[str], summaries: bool = False) -> None:
    """Watches the machine until process ``pid`` has ended, and writes into ``folder``, a log directory: its
    file, and with ``summaries`` scalars of TensorBoard.

    Never raises. Does nothing for remote folders: a file that is written anew every half minute belongs onto
    a disk.
    """
    with contextlib.suppress(Exception):
        place = os.fspath(folder)
        if is_remote(place) or place in _started or not hasattr(os, "fork"):
            return
        _started.add(place)
        variables = {name: value for name, value in os.environ.items() if name not in (REQUEST, NOTES)}
        whole = str(Path(place).expanduser().absolute())
        found = str(Path(__file__).parents[3])
        words = [str(pid), whole, found, *(["summaries"] if summaries else [])]
        subprocess.run(
            [sys.executable, "-I", "-c", _BESIDE, *words],
            cwd="/",
            env={**variables, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            timeout=_WITHIN_S,
            check=False,
        )


def start_in_training(folder: str | os.PathLike[str]) -> None:
    """The same for this process, unless ``tfperf record`` or ``tfperf try`` started it: they decide that."""
    if REQUEST not in os.environ:
        start(os.getpid(), folder)
