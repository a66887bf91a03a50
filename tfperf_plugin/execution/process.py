"""A process that runs functions for this one, one at a time: with a limit of memory, and it can be killed.

It is started as ``python -c``, not forked and not spawned by ``multiprocessing``, which would import the
program's main module, such as TensorBoard, anew. Both talk through its standard input and output: frames of a
short JSON text, which names one of its tasks or says how it went, and a message (``codec.py``). It ends when
its parent does, however that ends.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import json
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
from typing import IO, Any, Final

from tfperf_plugin import errors
from tfperf_plugin.execution.analyze import POLL_S, Progress
from tfperf_plugin.execution.codec import BadMessage, decode, encode, signature

Task = Callable[..., Any]
Frame = tuple[list[Any], bytearray]

VIRTUAL_BYTES: Final = 768 << 20
"""What libraries map beyond the memory that they use."""
IDLE_S: Final = 300.0
"""So long a process that nobody asks anything stays."""
TEXT_BYTES: Final = 1 << 20
"""The text of a frame is never longer."""
# How often a worker looks whether its parent is still there.
_WATCH_S = 0.5
_HEAD: Final = struct.Struct("<4sIQ")
_MAGIC: Final = b"tfp1"
_BOOT = (
    "import sys; sys.path[:] = sys.argv[4:]; from tfperf_plugin.execution.process import serve; "
    "serve(sys.argv[1], *map(int, sys.argv[2:4]))"
)
# Threads of libraries and of the allocator would map memory that a worker does not need.
_LEAN: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


class WorkerLost(BrokenExecutor):
    """A worker ended before it answered."""


class Worker:
    """A process that runs the functions in ``TASKS`` of the module ``tasks``, one at a time."""

    def __init__(self, tasks: str, limit_bytes: int) -> None:
        self._most = limit_bytes + VIRTUAL_BYTES
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, tasks, str(limit_bytes), str(os.getpid()), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_LEAN},
            start_new_session=True,  # Ctrl-C is for the parent, which then kills
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        assert self._process.stdin and self._process.stdout
        self._input = self._process.stdin
        self._answers: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        threading.Thread(
            target=_read_all, args=(self._process.stdout, self._most, self._answers.put), daemon=True
        ).start()
        self.busy = False

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def run(self, work: Task, arguments: Sequence[Any], progress: Progress | None = None) -> Any:
        """What the task ``work`` returns there; it gets ``progress`` as well, if that is given.

        Raises what ``work`` and ``progress`` raise, WorkerLost, and TypeError for what cannot be sent.
        """
        pieces = encode(tuple(arguments))
        self.busy = True
        last: list[Any] = ["xspace", 0.0]
        try:
            _send(self._input, [work.__name__, len(arguments), progress is not None], pieces)
        except OSError as error:
            raise WorkerLost(self._ending()) from error
        while True:
            try:
                frame = self._answers.get(timeout=POLL_S if progress else None)
            except queue.Empty:
                if progress:
                    progress(*last)  # may raise: whoever waits has given up
                continue
            if frame is None:
                raise WorkerLost(self._ending())
            (kind, *content), body = frame
            if kind == "progress":
                last = content
                if progress:
                    progress(*last)
                continue
            self.busy = False
            if kind == "done":
                return decode_result(work, body)
            raise _raised(*content[:2]) from RuntimeError(f"in a worker:\n{content[2]}")

    def kill(self) -> None:
        """Ends the process at once."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._input.close()

    def end(self) -> None:
        """The same, without waiting for it."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def _ending(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "it no longer answers"
        if code == -getattr(signal, "SIGKILL", 9):
            return "it was killed, perhaps because memory ran out"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def serve(tasks: str, limit_bytes: int, parent: int) -> None:
    """What a worker does: runs what it is sent until nobody sends any more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # what libraries print must not get among the answers
        os.dup2(nowhere, standard)
    sent: queue.SimpleQueue[Frame] = queue.SimpleQueue()

    def put(frame: Frame | None) -> None:
        if frame is None:
            os._exit(1)  # the parent has ended, or has closed this
        sent.put(frame)

    most = limit_bytes + VIRTUAL_BYTES
    threading.Thread(target=_read_all, args=(requests, most, put), daemon=True).start()
    if os.name == "posix":  # a process that was forked from the parent may keep the pipe open
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    limit_memory(most)
    known: Mapping[str, Task] = importlib.import_module(tasks).TASKS
    with contextlib.suppress(queue.Empty, OSError):
        while True:
            (name, count, tells), body = sent.get(timeout=IDLE_S)
            _answer(answers, known[name], count, body, tells)
            del body
    os._exit(0)  # the thread that reads holds its stream: an orderly end would wait for it


def run_call(work: Task, count: int, arguments: bytes | bytearray, *more: Any) -> list[bytes | memoryview]:
    """What a call with ``count`` arguments that were sent, and ``more``, returns, as a message."""
    kinds, _ = signature(work)
    return encode(work(*decode(arguments, types.GenericAlias(tuple, kinds[:count])), *more))


def decode_result(work: Task, result: bytes | bytearray) -> Any:
    """What a call returned. Raises WorkerLost for what cannot be understood."""
    try:
        return decode(result, signature(work)[1])
    except BadMessage as error:
        raise WorkerLost(f"its answer was not understood: {error}") from error


def limit_memory(limit_bytes: int) -> int | None:
    """Limits the address space of this process; the limit before, if there are such limits."""
    try:
        import resource
    except ImportError:
        return None
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = limit_bytes
    for most in (before, hard):
        if most != resource.RLIM_INFINITY:
            wanted = min(wanted, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    return before


def _answer(answers: IO[bytes], work: Task, count: int, body: bytearray, tells: bool) -> None:
    told = 0.0

    def tell(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        nonlocal told
        if time.monotonic() >= told:  # who listens need not hear of each of 256 hosts
            told = time.monotonic() + POLL_S / 2
            _send(answers, ["progress", stage, share, hosts], ())

    try:
        pieces = run_call(work, count, body, *([tell] if tells else []))
    except BrokenPipeError:
        raise  # nobody listens
    except MemoryError:
        _send(answers, ["failed", "MemoryError", "", ""], ())
    except Exception as error:
        where = traceback.format_exc()[-TEXT_BYTES // 16 :]
        _send(answers, ["failed", type(error).__name__, str(error)[: TEXT_BYTES // 16], where], ())
    else:
        _send(answers, ["done"], pieces)


def _raised(name: str, text: str) -> Exception:
    """The error of that name: one of ours, one of Python's, or another one that says what it was."""
    for place in (errors, builtins):
        kind = getattr(place, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with contextlib.suppress(TypeError):  # some take more than a text
                return kind(text) if text else kind()
    return RuntimeError(f"{name}: {text}")


def _send(stream: IO[bytes], content: list[Any], pieces: Sequence[bytes | memoryview]) -> None:
    text = json.dumps(content).encode()
    stream.write(_HEAD.pack(_MAGIC, len(text), sum(map(len, pieces))) + text)
    for piece in pieces:
        stream.write(piece)
    stream.flush()


def _read_all(stream: IO[bytes], most: int, put: Callable[[Frame | None], None]) -> None:
    """Passes on each frame, and ``None`` at the end, or where what comes is no frame of at most that size."""
    with stream, contextlib.suppress(OSError, ValueError, EOFError, MemoryError):
        while True:
            magic, text_bytes, body_bytes = _HEAD.unpack(_exactly(stream, _HEAD.size))
            if magic != _MAGIC or text_bytes > TEXT_BYTES or body_bytes > most:
                break
            content = json.loads(_exactly(stream, text_bytes))
            put((content, _exactly(stream, body_bytes)))
    put(None)


def _exactly(stream: IO[bytes], count: int) -> bytearray:
    """So many bytes. Raises EOFError. Memory is taken as they come."""
    found = bytearray()
    while len(found) < count:
        part = stream.read(min(count - len(found), 1 << 20))
        if not part:
            raise EOFError
        found += part
    return found


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(1)
