"""Child processes: a launch of a trial, with the hook that measures its steps, and a command of tfperf."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Final, NoReturn

import msgspec
from msgspec.structs import replace

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.recording.launch import HANG_S, LAUNCH, STOP_S, Launch, Request
from tfperf_plugin.recording.notes import Notes, given, made, unseen
from tfperf_plugin.recording.switches import set_variables
from tfperf_plugin.records import Record

_POLL_S: Final = 0.2
_LOG_BYTES: Final = 1 << 20
"""Of an output that is longer, only the end is kept: a trial has many."""
_SIGNALED: Final = 128
"""Shells add the number of the signal that ended a command."""


class Outcome(Record, frozen=True):
    """What became of a command.

    ``exit_code``: its own, as a shell says it; ``launch``: what it measured, None if it did not, or recorded
    a profile; ``seen``: where it wrote neither, one sentence that says what was seen instead; ``ended``:
    whether it was ended because it hung after its record.
    """

    exit_code: int
    launch: Launch | None = None
    seen: str = ""
    ended: bool = False


def run_child(
    command: Sequence[str],
    request: Request,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    *,
    folder: Path | None = None,
    log: Path | None = None,
    limit_s: float = math.inf,
) -> Outcome:
    """Runs ``command``, in ``folder`` if one is given, and returns when it has ended.

    Its input and output are this process's; with ``log``, it has no input, and its output goes into that
    file, of which the last megabyte stays. ``environment``: variables to set on top of this process's own, or
    to remove, if the value is empty; ``say`` is told once something is recorded. The command is ended after
    ``limit_s``. Ctrl-C ends it, too, and raises KeyboardInterrupt.
    Raises BadOptionError if the folder cannot be written, or the command not started.
    """
    made(request.folder)
    merged = {**given(), **environment}
    kept = {name: value for name, value in merged.items() if value or name not in environment}
    switches, kept = set_variables(request.switches, kept)
    request = replace(request, switches=switches)
    notes = Notes()
    try:
        child = _start(command, notes.environment(request, kept), folder, log)
        with _ended_with_this(child):
            notes.tell_machine()
            ended = _wait(child, request, notes, say, limit_s)
        _signal(child, signal.SIGKILL)  # what it left behind would disturb the next launch
        noted = notes.read()
    finally:
        notes.remove()
    full = log and _cut(log)
    code = child.returncode if child.returncode >= 0 else _SIGNALED - child.returncode
    if full and "wrote" not in noted:
        return Outcome(code, seen=f"The disk of {log} is full.")
    if "wrote" not in noted:
        late = f"It was ended since it took longer than {limit_s:.0f} s." if ended else ""
        return Outcome(code, seen=late or unseen(noted, request, command, code), ended=ended)
    if request.profile:
        return Outcome(code, ended=ended)
    try:
        launch = msgspec.json.decode(Path(request.folder, LAUNCH).read_bytes(), type=Launch)
    except (OSError, msgspec.MsgspecError) as error:
        return Outcome(code, seen=f"What it measured cannot be read: {reason(error)}.", ended=ended)
    return Outcome(code, launch=launch, ended=ended)


def _start(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None, log: Path | None
) -> subprocess.Popen[bytes]:
    try:
        with log.open("wb") if log else contextlib.nullcontext() as output:
            return subprocess.Popen(
                list(command),
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL if output else None,
                stdout=output,
                stderr=output,
                start_new_session=True,  # so that it can be ended with all that it started
            )
    except OSError as error:
        raise BadOptionError(f"{command[0]} cannot be started: {reason(error)}.") from error


@contextlib.contextmanager
def _ended_with_this(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """The command ends if this process is interrupted or told to end."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _interrupt) if main else None
    try:
        yield
    except BaseException:
        end(child, signal.SIGINT)
        raise
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _wait(
    child: subprocess.Popen[bytes],
    request: Request,
    notes: Notes,
    say: Callable[[str], None],
    limit_s: float,
) -> bool:
    """Waits for the end; whether the command had to be ended because it hung, or took too long."""
    began_s = time.monotonic()
    written_s: float | None = None
    while True:
        try:
            child.wait(_POLL_S)
            return False
        except subprocess.TimeoutExpired:
            pass
        if written_s is None:
            if wrote := notes.read().get("wrote"):
                written_s = time.monotonic()
                with contextlib.suppress(OSError):  # whoever ran tfperf no longer listens
                    say(f"{wrote[-1]} are measured")
            elif time.monotonic() - began_s > limit_s:
                end(child, signal.SIGTERM)
                return True
        elif request.end and time.monotonic() - written_s > HANG_S + STOP_S:
            end(child, signal.SIGTERM)
            return True


def _cut(log: Path) -> bool:
    """Keeps the end of a long log; whether the disk was full before."""
    full = False
    with contextlib.suppress(OSError), log.open("r+b") as file:
        full = shutil.disk_usage(log.parent).free == 0
        if file.seek(0, os.SEEK_END) > _LOG_BYTES:
            file.seek(-_LOG_BYTES, os.SEEK_END)
            tail = file.read()
            file.seek(0)
            file.write(tail)
            file.truncate()
    return full


def end(child: subprocess.Popen[bytes], with_signal: signal.Signals) -> None:
    """Ends what leads a session, and all that it started; at once if the user does not wait."""
    try:
        for each in (with_signal, signal.SIGTERM, signal.SIGKILL):
            _signal(child, each)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(STOP_S)
                break
    finally:
        _signal(child, signal.SIGKILL)  # what is left of all that it started


def _signal(child: subprocess.Popen[bytes], which: signal.Signals) -> None:
    """Sends a signal to the command and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, which)


# ------------------------------------------------------------------------------- a command of tfperf

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
