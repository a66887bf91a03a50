"""Runs a launch of a trial: the command that starts a training, with the hook that measures its steps."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
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
_SIGNALED: Final = 128
"""Shells add the number of the signal that ended a command."""


class Outcome(Record, frozen=True):
    """What became of a command.

    ``exit_code``: its own, as a shell says it; ``launch``: what it measured, None if it did not; ``seen``:
    where it measured nothing, one sentence that says what was seen instead; ``ended``: whether it was ended
    because it hung after its record.
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
    file. ``environment``: variables to set on top of this process's own, or to remove, if the value is empty;
    ``say`` is told once something is recorded. The command is ended after ``limit_s``. Ctrl-C ends it, too,
    and raises KeyboardInterrupt.
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
    code = child.returncode if child.returncode >= 0 else _SIGNALED - child.returncode
    if "wrote" not in noted:
        late = f"It was ended since it took longer than {limit_s:.0f} s." if ended else ""
        return Outcome(code, seen=late or unseen(noted, request, command, code), ended=ended)
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
