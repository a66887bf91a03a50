"""Runs the command that starts a training, with the hook that sees its steps."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

import msgspec

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.recording.hook import path as hook
from tfperf_plugin.recording.launch import LAUNCH, NOTES, REQUEST, Launch, Request
from tfperf_plugin.records import Record

HANG_S: Final = 30.0
"""A training that was asked to end may take so long after its record."""
STOP_S: Final = 10.0
"""How long a process may take to end after a signal, before it is killed."""
_POLL_S: Final = 0.2
_SIGNALED: Final = 128
"""Shells add the number of the signal that ended a command."""
_LEFT_OUT: Final = re.compile(r"-[a-zA-DF-HJ-RT-Z]*[EIS][a-zA-Z]*")

Notes = Mapping[str, Sequence[str]]
"""What the processes noted (``sitecustomize.note``): kind → texts, in time order."""


class Outcome(Record, frozen=True):
    """What became of a command.

    ``exit_code``: its own, as a shell says it; ``launch`` and ``profile`` (a path): what it recorded, None if
    it did not; ``seen``: where it recorded nothing, one sentence that says what was seen instead; ``said``:
    how much was recorded, like "20 steps"; ``ended``: whether it was ended because it hung after its record.
    """

    exit_code: int
    launch: Launch | None = None
    profile: str | None = None
    seen: str = ""
    said: str = ""
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
    _check(request.folder)
    with tempfile.NamedTemporaryFile(prefix="tfperf-") as notes:
        merged = {**os.environ, **environment, NOTES: notes.name}
        kept = {name: value for name, value in merged.items() if value or name not in environment}
        child = _start(command, request, kept, folder, log)
        with _ended_with_this(child):
            ended = _wait(child, request, Path(notes.name), say, limit_s)
        if request.end:
            _signal(child, signal.SIGKILL)  # what it left behind would disturb the next launch
        noted = _read(Path(notes.name))
        Path(f"{notes.name}.recorder").unlink(missing_ok=True)
    code = child.returncode if child.returncode >= 0 else _SIGNALED - child.returncode
    if "wrote" not in noted:
        late = f"It was ended since it took longer than {limit_s:.0f} s." if ended else ""
        return Outcome(code, seen=late or _seen(noted, request, command, code), ended=ended)
    said = noted["wrote"][-1]
    if request.profile:
        return Outcome(code, profile=_newest(request.folder), said=said, ended=ended)
    launch = msgspec.json.decode(Path(request.folder, LAUNCH).read_bytes(), type=Launch)
    return Outcome(code, launch=launch, said=said, ended=ended)


def _check(folder: str) -> None:
    """Makes ``folder``; raises BadOptionError if it cannot be written. A remote one is not tried."""
    if "://" in folder:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadOptionError(f"{folder} cannot be written: {reason(error)}. Name another folder.") from error


def _start(
    command: Sequence[str],
    request: Request,
    environment: Mapping[str, str],
    folder: Path | None,
    log: Path | None,
) -> subprocess.Popen[bytes]:
    paths = [*hook.__path__, *filter(None, [environment.get("PYTHONPATH")])]
    asked = msgspec.json.encode(request).decode()
    try:
        with log.open("wb") if log else contextlib.nullcontext() as output:
            return subprocess.Popen(
                list(command),
                env={**environment, REQUEST: asked, "PYTHONPATH": os.pathsep.join(paths)},
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
        _end(child, signal.SIGINT)
        raise
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _wait(
    child: subprocess.Popen[bytes],
    request: Request,
    notes: Path,
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
            if wrote := _read(notes).get("wrote"):
                written_s = time.monotonic()
                say(f"{wrote[-1]} are recorded in {request.folder}")
            elif time.monotonic() - began_s > limit_s:
                _end(child, signal.SIGTERM)
                return True
        elif request.end and time.monotonic() - written_s > HANG_S:
            _end(child, signal.SIGTERM)
            return True


def _end(child: subprocess.Popen[bytes], with_signal: signal.Signals) -> None:
    for each in (with_signal, signal.SIGTERM, signal.SIGKILL):
        _signal(child, each)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(STOP_S)
            break
    _signal(child, signal.SIGKILL)  # what is left of all that it started


def _signal(child: subprocess.Popen[bytes], which: signal.Signals) -> None:
    """Sends a signal to the command and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, which)


def _read(notes: Path) -> Notes:
    found: dict[str, list[str]] = {}
    for line in notes.read_text(encoding="utf-8", errors="replace").splitlines():
        _, kind, text = f"{line}\t\t".split("\t")[:3]
        found.setdefault(kind, []).append(text)
    return found


def _newest(folder: str) -> str:
    runs = find_runs(folder)
    return str(runs[0].path) if runs else folder


# ------------------------------------------------------------------------------------- what was seen


def _seen(noted: Notes, request: Request, command: Sequence[str], code: int) -> str:
    """One sentence: how far the training came, and what would let its steps be seen."""
    if code:
        ended = f"ended with exit code {code} before enough steps were made"
        return f"The command {ended}{_steps_of(noted)}."
    if failures := noted.get("failed"):
        return f"Nothing was recorded: {failures[-1]}."
    if "steps" in noted:
        made = max(map(int, noted["steps"]))
        return (
            f"The training ended after {made} steps, and {request.after} pass before the recording begins; "
            f"try --after {max(1, min(5, made // 4))} --steps {max(1, made // 2)}."
        )
    clock = "for a loop of your own, --after-seconds 30 records five seconds by the clock"
    if not request.profile:
        clock = "tfperf try needs steps that it can see"
    imported = noted.get("imported", ())
    if "fit" in noted:
        return "Keras' fit was called, but made no step."
    if "JAX" in imported and "Keras" not in imported:
        return f"JAX was imported, but no function of jax.jit was called 20 times; {clock}."
    if "PyTorch" in imported:
        return "PyTorch was imported, but no optimizer made an update."
    if "Keras" in imported or "TensorFlow" in imported:
        return f"TensorFlow or Keras was imported, but Keras' fit was never called; {clock}."
    if "python" in noted:
        return "Python ran, but imported neither Keras, JAX nor PyTorch."
    options = next((word for word in command[1:] if _LEFT_OUT.fullmatch(word)), "")
    if options:
        return f"{shlex.join([command[0], options])} leaves out PYTHONPATH, through which tfperf sees steps."
    return (
        "The command started no Python that tfperf could watch: python -E, -I and -S leave out PYTHONPATH, "
        "and so do sudo and containers."
    )


def _steps_of(noted: Notes) -> str:
    return f" ({max(map(int, noted['steps']))} were)" if "steps" in noted else ""
