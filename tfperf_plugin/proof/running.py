"""A command of tfperf in a process of its own, whose output is read while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from threading import Thread
from typing import Final

from tfperf_plugin.proof.child import end
from tfperf_plugin.recording.launch import STOP_S

_BOOT: Final = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "sys.path[:] = sys.argv.pop(1).split(os.pathsep); from tfperf_plugin.cli import main; sys.exit(main())"
)
"""Python is isolated: else it would load files of the training's folder in place of modules. Where a shell
started this process in the background, it ignores SIGINT, and so would all that it starts."""
_TAIL_BYTES: Final = 16 << 10


class Running:
    """``tfperf WORDS``, which runs in ``folder`` and has no input."""

    def __init__(self, words: Sequence[str], folder: str) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, path, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._tail = bytearray()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._child.poll()

    def output(self) -> str:
        """The end of what it wrote until now. If it has ended, waits a moment for its last words."""
        if self._child.returncode is not None:
            self._reader.join(STOP_S)
        return bytes(self._tail).decode(errors="replace")

    def end(self) -> None:
        """Ends it, and all that it started, as Ctrl-C does."""
        end(self._child, signal.SIGINT)

    def _read(self) -> None:
        assert self._child.stdout
        while part := os.read(self._child.stdout.fileno(), _TAIL_BYTES):
            self._tail += part
            del self._tail[:-_TAIL_BYTES]
