"""A worker process that runs functions one at a time, with limits of memory and time, and that can be killed.

It starts as ``python -c``: ``multiprocessing`` would import the program's main module, such as TensorBoard,
again. Parent and worker exchange frames through the worker's standard input and output. A frame is a short
JSON text, which names a task or reports its outcome, and a message (``codec.py``). The worker ends with its
parent, however the parent ends.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import json
import logging
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from tfperf_plugin import errors
from tfperf_plugin.execution import limits
from tfperf_plugin.execution.analyze import POLL_S, Progress
from tfperf_plugin.execution.codec import BadMessage, decode, encode, signature

Task = Callable[..., Any]
Frame = tuple[list[Any], bytearray]
T = TypeVar("T")

VIRTUAL_BYTES: Final = 768 << 20
"""Address space that libraries map without using it."""
IDLE_S: Final = 300.0
"""A worker without calls ends after this time."""
OOM_SCORE: Final = "1000"
"""When memory runs out, Linux kills a worker first, and not the training beside it."""
TEXT_BYTES: Final = 1 << 20
"""Limit for the JSON text of a frame."""
# How often a worker checks that its parent still runs.
_WATCH_S = 0.5
_HEAD: Final = struct.Struct("<4sIQ")
_MAGIC: Final = b"tfp1"
_BOOT = (
    "import sys; sys.path[:] = sys.argv[5:]; from tfperf_plugin.execution.process import serve; "
    "serve(sys.argv[1], *map(int, sys.argv[2:5]))"
)
# Fewer threads of libraries and arenas of the allocator, which would map memory that a worker never uses.
_LEAN: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
_log = logging.getLogger(__name__)


class WorkerLost(BrokenExecutor):
    """A worker ended before it returned a result."""


class Worker:
    """A process that runs the functions in ``TASKS`` of the module ``tasks``, one at a time.

    It gives up the rights in ``limits.py`` unless its tasks read ``remote`` storage, whose libraries connect,
    write the tokens that they are given, and start programs that do so.
    """

    def __init__(self, tasks: str, limit_bytes: int, remote: bool = False) -> None:
        if not remote:
            _say_which_rights_stay()
        self._most = limit_bytes + VIRTUAL_BYTES
        numbers = limit_bytes, os.getpid(), int(remote)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, tasks, *map(str, numbers), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_LEAN},
            start_new_session=True,  # only the parent receives Ctrl-C; it then kills the worker
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        assert self._process.stdin and self._process.stdout
        self._input = self._process.stdin
        self._answers: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        threading.Thread(
            target=_read_frames, args=(self._process.stdout, self._most, self._answers.put), daemon=True
        ).start()
        self.limit_bytes = limit_bytes
        """What its tasks may use; they may lower it, each for itself."""
        self.remote = remote
        self.busy = False
        self.used_s = 0.0
        """Processor time that the process had used at its last answer."""

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def run(
        self,
        work: Callable[..., T],
        arguments: Sequence[Any],
        progress: Progress | None = None,
        limit_s: int | None = None,
    ) -> T:
        """Runs the task ``work`` in the process and returns its result.

        If ``progress`` is given, the task receives a progress function as its last argument. The system ends
        the process once the task has used ``limit_s`` seconds of processor time; Windows does not.

        Raises what ``work`` and ``progress`` raise, TimeUp, WorkerLost, and TypeError for values that cannot
        be sent.
        """
        pieces = encode(tuple(arguments))
        self.busy = True
        last: list[Any] = ["read", 0.0]
        try:
            _send(self._input, [work.__name__, len(arguments), progress is not None, limit_s], pieces)
        except OSError as error:
            raise WorkerLost(self._describe_exit()) from error
        while True:
            try:
                frame = self._answers.get(timeout=POLL_S if progress else None)
            except queue.Empty:
                if progress:
                    progress(*last)  # may raise to stop waiting
                continue
            if frame is None:
                how = self._describe_exit()
                if limit_s and self._process.returncode == -getattr(signal, "SIGXCPU", 24):
                    raise limits.TimeUp(limit_s)
                raise WorkerLost(how)
            (kind, *content), body = frame
            if kind == "progress":
                last = content
                if progress:
                    progress(*last)
                continue
            self.busy = False
            self.used_s = content.pop(0)
            if kind == "done":
                result: T = decode_result(work, body)
                return result
            raise _rebuild_error(*content[:2]) from RuntimeError(f"in a worker:\n{content[2]}")

    def kill(self) -> None:
        """Kills the process and waits for its end."""
        self.end()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._input.close()

    def end(self) -> None:
        """Kills the process without waiting."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def _describe_exit(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it no longer answers"
        if code == -getattr(signal, "SIGKILL", 9):
            return "it was killed, perhaps because memory ran out"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def serve(tasks: str, limit_bytes: int, parent: int, remote: int) -> None:
    """The worker's main loop: runs each call that it receives; ends after ``IDLE_S`` without one."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # keeps the output of libraries out of the frames
        os.dup2(nowhere, standard)
    sent: queue.SimpleQueue[Frame] = queue.SimpleQueue()

    def put(frame: Frame | None) -> None:
        if frame is None:
            os._exit(1)  # the parent has ended or has closed the pipe
        sent.put(frame)

    limits.write_no_core()
    with contextlib.suppress(OSError):  # elsewhere than on Linux; a worker's worker has it from its parent
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE)
    known: Mapping[str, Task] = importlib.import_module(tasks).TASKS
    if not remote:
        limits.give_up()  # after the imports, which keep what they compile; before the first thread
    most = limit_bytes + VIRTUAL_BYTES
    threading.Thread(target=_read_frames, args=(requests, most, put), daemon=True).start()
    if os.name == "posix":  # another child of the parent may keep the pipe open
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    limits.limit_memory(most)
    try:
        while True:
            (name, count, tells, limit_s), body = sent.get(timeout=IDLE_S)
            limits.limit_time(limit_s)
            _answer(answers, known[name], count, body, tells)
            del body
    finally:  # whatever ended it, such as a lack of memory even to say so
        os._exit(1)  # a normal exit would wait for the thread that reads


def run_call(work: Task, count: int, arguments: bytes | bytearray, *more: Any) -> list[bytes | memoryview]:
    """Calls ``work`` with ``count`` encoded arguments and ``more``. Returns the encoded result."""
    kinds, _ = signature(work)
    return encode(work(*decode(arguments, types.GenericAlias(tuple, kinds[:count])), *more))


def decode_result(work: Task, result: bytes | bytearray) -> Any:
    """The decoded result of a call. Raises WorkerLost if it is not of the declared type."""
    try:
        return decode(result, signature(work)[1])
    except BadMessage as error:
        raise WorkerLost(f"its answer was not understood: {error}") from error


def _answer(answers: IO[bytes], work: Task, count: int, body: bytearray, tells: bool) -> None:
    told = 0.0

    def tell(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        nonlocal told
        if time.monotonic() >= told:  # no more than a few messages a second, however many hosts there are
            told = time.monotonic() + POLL_S / 2
            _send(answers, ["progress", stage, share, hosts], ())

    try:
        pieces = run_call(work, count, body, *([tell] if tells else []))
    except (BrokenPipeError, SystemError):
        raise  # the parent has closed the pipe; the interpreter is broken, as by a lack of memory
    except Exception as error:
        if errors.lacks_memory(error):
            said = ["MemoryError", "", ""]
        else:
            where = traceback.format_exc()[-TEXT_BYTES // 16 :]
            said = [type(error).__name__, str(error)[: TEXT_BYTES // 16], where]
        _send(answers, ["failed", time.process_time(), *said], ())
    else:
        _send(answers, ["done", time.process_time()], pieces)


@functools.cache
def _say_which_rights_stay() -> None:
    if not limits.landlock_version():
        _log.info(
            "Processes that read profiles keep the right to write files and to connect: this system has no "
            "Landlock, by which Linux would take it from them."
        )


def _rebuild_error(name: str, text: str) -> Exception:
    """The error class of that name in ``errors`` or ``builtins``, else a RuntimeError that holds the name."""
    for place in (errors, builtins):
        kind = getattr(place, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with contextlib.suppress(TypeError):  # some classes need more arguments
                return kind(text) if text else kind()
    return RuntimeError(f"{name}: {text}")


def _send(stream: IO[bytes], content: list[Any], pieces: Sequence[bytes | memoryview]) -> None:
    text = json.dumps(content).encode()
    stream.write(_HEAD.pack(_MAGIC, len(text), sum(map(len, pieces))) + text)
    for piece in pieces:
        stream.write(piece)
    stream.flush()


def _read_frames(stream: IO[bytes], most: int, put: Callable[[Frame | None], None]) -> None:
    """Passes each frame to ``put``; at the end, or at an invalid or too large frame, passes ``None``."""
    with stream, contextlib.suppress(Exception):
        while True:
            magic, text_bytes, body_bytes = _HEAD.unpack(_read_exactly(stream, _HEAD.size))
            if magic != _MAGIC or text_bytes > TEXT_BYTES or body_bytes > most:
                break
            content = json.loads(_read_exactly(stream, text_bytes))
            put((content, _read_exactly(stream, body_bytes)))
    put(None)


def _read_exactly(stream: IO[bytes], count: int) -> bytearray:
    """Reads ``count`` bytes; allocates memory only as they arrive. Raises EOFError."""
    found = bytearray()
    while len(found) < count:
        part = stream.read(min(count - len(found), 1 << 20))
        if not part:
            raise EOFError
        found += part
    return found


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(1)
