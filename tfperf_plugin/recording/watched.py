"""Makes this process a training, and starts one beside it that says how far it is and what it recorded.

What tfperf starts it could also harm: end it, hold back its signals, be its parent. So it starts nothing. As
``env`` and ``nohup`` do, this process becomes the command's own; the watcher is no child of it, and whatever
happens to the watcher, the training does not notice.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.readers.logdirs.files import State, ends, is_remote, reason, state_of
from tfperf_plugin.readers.logdirs.runs import HostFile, Run
from tfperf_plugin.recording.launch import ENDS, HANG_S, PASSED, RECORDING, STOP_S, Request
from tfperf_plugin.recording.notes import Notes, furthest, given, unseen
from tfperf_plugin.recording.sampler.start import start

_POLL_S: Final = 0.5
_TAIL_BYTES: Final = 64
_IGNORED_BY_PYTHON: Final = ("SIGPIPE", "SIGXFSZ")
"""Python ignores these signals from its start on."""


def become(command: Sequence[str], request: Request, out: str, say: Callable[[str], None]) -> NoReturn:
    """Makes this process the command's. ``out``: the folder as the user named it; ``say`` takes sentences.

    Raises BadOptionError if the command cannot be started.
    """
    if not hasattr(os, "fork"):
        raise BadOptionError("tfperf record needs fork, which this system lacks: record with your framework.")
    # A stream that is closed is so for the training, too; meanwhile nothing else must take its number.
    while os.open(os.devnull, os.O_RDWR) <= 2:
        pass
    notes = Notes()
    variables = notes.environment(request, given())
    failed, fail = os.pipe()
    handle = None
    with contextlib.suppress(AttributeError, OSError):  # Linux from 5.3 on
        handle = os.pidfd_open(os.getpid())
    watcher = _Watcher(os.getpid(), handle, notes, request, command, out, say)
    if os.getpid() == 1:  # the first process of a container is the parent of what has none
        notes.tell_machine()
    else:
        _beside(lambda: watcher.run(failed))
    try:
        execute(command, variables)
    except BadOptionError:
        os.write(fail, b"!")
        notes.remove()
        raise


def execute(command: Sequence[str], variables: Mapping[str, str]) -> NoReturn:
    """Makes this process the command's. Raises BadOptionError if it cannot be started."""
    before = {name: signal.signal(getattr(signal, name), signal.SIG_DFL) for name in _IGNORED_BY_PYTHON}
    try:
        os.execvpe(command[0], list(command), variables)
    except OSError as error:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
        raise BadOptionError(f"{command[0]} cannot be started: {reason(error)}.") from error


def _beside(work: Callable[[], None]) -> None:
    """Does ``work`` in a process that is not a child of this one, and has no terminal; not at all if the
    system has none left."""
    with contextlib.suppress(OSError):
        if child := os.fork():
            os.waitpid(child, 0)
            return
        try:
            os.setsid()
            if os.fork() == 0:
                work()
        finally:
            os._exit(0)


@dataclass
class _Watcher:
    """Waits for the end of process ``pid``, and says what was recorded."""

    pid: int
    handle: int | None
    notes: Notes
    request: Request
    command: Sequence[str]
    out: str
    tell: Callable[[str], None]
    #: Profiles that lay in the folder before.
    known: Mapping[HostFile, State] = field(default_factory=dict)

    def run(self, failed: int) -> None:
        """Returns when the process has ended, or if the pipe ``failed`` says that it did not begin."""
        self._let_go(failed)
        if os.read(failed, 1):
            return
        start(self.pid, self.request.folder, self.request.summaries)
        self.known = {host: state for host, (state, _) in self._profiles().items()}
        self.notes.tell_machine()
        try:
            self._wait()
            self._say(self._result())
        finally:
            self.notes.remove()

    def _let_go(self, failed: int) -> None:
        """Of all that others may wait for: a folder, and files but stderr."""
        os.chdir("/")
        for stream in (0, 1):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        kept = {0, 1, 2, failed, self.handle, self.notes.fileno()}
        for file in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - numbers, not paths
            if file not in kept:
                with contextlib.suppress(OSError):
                    os.close(file)

    def _wait(self) -> None:
        said_s = None
        progress = Progress(self.request, time.monotonic())
        endings = [(HANG_S + STOP_S, signal.SIGTERM), (HANG_S + 2 * STOP_S, signal.SIGKILL)]
        while not self._ended(None if said_s and not self.request.end else _POLL_S):
            if said_s is None:
                noted = self.notes.read()
                if "wrote" in noted and self._place(noted):
                    said_s = time.monotonic()
                    then = "which ends it" if self.request.end else "and the training goes on"
                    if ENDS not in noted:
                        self._say(f"{noted['wrote'][-1]} are recorded in {self.out}, {then}")
                elif line := progress.line(noted, time.monotonic()):
                    self._say(line)
            elif endings and time.monotonic() - said_s > endings[0][0]:
                with contextlib.suppress(OSError):
                    os.kill(self.pid, endings.pop(0)[1])

    def _ended(self, within_s: float | None) -> bool:
        if self.handle is not None:
            poll = select.poll()
            poll.register(self.handle, select.POLLIN)
            return bool(poll.poll(within_s and 1000 * within_s))
        time.sleep(within_s or _POLL_S)
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # it has become another user's
            pass
        return False

    def _result(self) -> str:
        """One sentence on what lies in the folder now, and did not before."""
        noted, folder = self.notes.read(), self.request.folder
        place = self._place(noted)
        if place and ("wrote" in noted or "failed" not in noted):
            said = f"{noted['wrote'][-1]} are" if "wrote" in noted else "A profile is"
            return f"{said} recorded in {place}; next: {shlex.join(['tfperf', 'report', self.out])}"
        if "wrote" not in noted:
            return unseen(noted, self.request, self.command)
        why = "."
        if not Path(folder).is_dir():
            why = ": the folder is gone."
        elif shutil.disk_usage(folder).free == 0:
            why = ": its disk is full."
        said = noted["wrote"][-1]
        return f"The training noted {said}, but no whole profile of them lies in {self.out}{why}"

    def _place(self, noted: Mapping[str, Sequence[str]]) -> str:
        """Where the newest whole profile lies that was not there before; "" if there is none.

        Remote storage is not asked: what reads it takes more memory than is left beside a training.
        """
        folder = self.request.folder
        if is_remote(folder):
            return self.out if "wrote" in noted else ""
        for host, (state, run) in self._profiles().items():
            if self.known.get(host) != state and _is_whole(host):
                return str(Path(self.out, Path(run.path).relative_to(folder)))
        return ""

    def _profiles(self) -> dict[HostFile, tuple[State, Run]]:
        """Each profile in the folder, those of the newest run first; none if they cannot be listed."""
        from tfperf_plugin.readers.logdirs.finding import find_runs

        if is_remote(self.request.folder):
            return {}
        try:
            runs = find_runs(self.request.folder)
            return {host: (state_of(host.path), run) for run in runs for host in run.hosts}
        except Exception:
            return {}

    def _say(self, text: str) -> None:
        with contextlib.suppress(Exception):  # such as that nobody reads it
            self.tell(text)


def _is_whole(profile: HostFile) -> bool:
    """Whether a profile has an end: PyTorch leaves half a trace where the disk is full, and says nothing."""
    with contextlib.suppress(Exception):
        tail = ends(profile, _TAIL_BYTES).rstrip()
        return bool(tail) and (profile.path.suffix != ".json" or tail.endswith((b"}", b"]")))
    return False


# ------------------------------------------------------------------------------------------ progress

EVERY_S: Final = 5.0
"""Progress is told at most this often, and less often the longer it takes."""
SHARE: Final = 0.1
"""Of the time until now, so much passes before the next line: eight hours take some forty lines."""
WAIT_S: Final = 10.0
"""What is awaited is told after this time without a step, once before the first one and once after it."""
_AWAITED_STEPS: Final = {
    "PyTorch": "updates of an optimizer, in the main thread",
    "JAX": "calls of a function of jax.jit",
    "TensorFlow": "Keras' fit, calls of a tf.function or gradients",
    "Keras": "Keras' fit",
}


@dataclass
class Progress:
    """Chooses when to say something. Times: seconds of one clock, the first one being ``began_s``."""

    request: Request
    began_s: float
    _seen: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _seen_s: float = 0.0  # when something was noted last
    _said: str = ""
    _said_s: float = 0.0
    _awaited: set[str] = field(default_factory=set)

    def line(self, noted: Mapping[str, Sequence[str]], now_s: float) -> str:
        """What is to be said now, without a line break; "" for nothing."""
        if noted != self._seen:
            self._seen, self._seen_s = noted, now_s
        if "wrote" in noted:
            return ""
        return self._come(noted, now_s) or self._waits(noted, now_s)

    def _come(self, noted: Mapping[str, Sequence[str]], now_s: float) -> str:
        said = self._how_far(noted)
        after_s = max(EVERY_S, SHARE * (now_s - self.began_s))
        if said == self._said or now_s - max(self._said_s, self.began_s) < after_s:
            return ""
        self._said, self._said_s = said, now_s
        return said

    def _how_far(self, noted: Mapping[str, Sequence[str]]) -> str:
        if failures := noted.get("failed"):
            return f"nothing is recorded so far: {failures[-1]}"
        if RECORDING in noted:
            if self.request.after_s is not None:
                return "recording"
            return f"recording {max(map(int, noted[RECORDING]))} of {self.request.steps}"
        made, fewest = furthest(noted)
        most = max(made, fewest, self.request.after)
        return f"{made} of {most} steps passed" if PASSED in noted else ""

    def _waits(self, noted: Mapping[str, Sequence[str]], now_s: float) -> str:
        stage = next(
            (kind for kind in ("failed", RECORDING, PASSED, "imported", "python") if kind in noted), ""
        )
        silent = now_s - max(self._seen_s, self.began_s) >= WAIT_S
        if not silent or stage in {"failed", *self._awaited}:
            return ""
        self._awaited.add(stage)
        said = self._how_far(noted)
        if stage == RECORDING:
            return f"no step for {WAIT_S:g} s, {said}; if none comes, what came is saved"
        if stage == PASSED:
            return (
                f"no step for {WAIT_S:g} s, {said}: it compiles, evaluates or reads, or its steps are long; "
                "with a smaller --after, recording begins sooner"
            )
        return f"waiting for {self._awaits(noted, stage)}"

    def _awaits(self, noted: Mapping[str, Sequence[str]], stage: str) -> str:
        if not stage:
            return "a Python that can be watched; python -E, -I and -S, sudo and containers hide theirs"
        if stage == "python":
            return "the training to import PyTorch, JAX, TensorFlow or Keras"
        if self.request.after_s is not None:
            return f"TensorFlow or JAX to compute, {self.request.after_s:g} s after its import"
        if "fit" in noted:
            return "the first step of Keras' fit, which compiles"
        steps = " or ".join(text for name, text in _AWAITED_STEPS.items() if name in noted["imported"])
        helps = "" if "PyTorch" in noted["imported"] else "; if it trains already, try --after-seconds 30"
        return f"a first step: {steps}{helps}"
