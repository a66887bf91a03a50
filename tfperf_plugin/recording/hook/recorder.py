"""Counts steps, and records some of them once enough have passed; knows no framework."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from math import ceil, inf
from pathlib import Path
from typing import Any, Final
from weakref import ReferenceType, ref

import msgspec

import tfperf_plugin
from tfperf_plugin.recording import frameworks, machine
from tfperf_plugin.recording.hook.framework import Framework
from tfperf_plugin.recording.launch import (
    CLAIM,
    ENDS,
    HANG_S,
    LAUNCH,
    MACHINE,
    PASSED,
    RECORDING,
    STEPS,
    Launch,
    Request,
    Window,
)
from tfperf_plugin.recording.record import TrainingRecord, from_json
from tfperf_plugin.recording.write import write

CALLS: Final = 20
"""A function of JAX or TensorFlow with this many calls is the step."""
TURNS: Final = 3
"""A function that begins anew in this many turns is the step only if no other function carries its state."""
LOSSES: Final = 10
"""The first steps that are looked at: for their losses, and the size of a batch."""
WINDOWS: Final = 8
"""The most windows."""
ENOUGH_STEPS: Final = 10
LONG_NS: Final = 250_000_000
"""A window of ``ENOUGH_STEPS``, or of this time, is hardly changed by the wait at its end. JAX computes while
Python goes on, so each wait costs a part of a step."""
IDLE_S: Final = 10.0
IDLE_STEPS: Final = 20
"""A profile ends if no step comes for ``IDLE_S`` and for the time of ``IDLE_STEPS``: what follows is no
training."""
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
TELL_S: Final = 1.0
"""How far the training has come is noted at most this often."""
LATER: Final = 2
"""If another profiler is at work, tfperf tries again after this many times the steps until then."""


def is_helper() -> bool:
    """Whether ``multiprocessing`` started this process: those that load batches call functions, too."""
    process: Any = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


class Hidden:
    """``with HIDDEN``: an error that comes out of here has the traceback that it has without tfperf.

    Python 3.10 sets the whole one again.
    """

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        """``trace`` begins with the frame that has the ``with``."""
        if error is not None:
            BaseException.with_traceback(error, trace.tb_next)


HIDDEN: Final = Hidden()


class Recorder:
    """The recording of this process.

    ``notes``: the path of the file of notes, beside which two others lie (``launch``).
    """

    def __init__(self, request: Request, notes: str, note: Callable[..., None]) -> None:
        self.request, self.note = request, note
        self.done = False  # whether nothing is left to do
        self.inside = False  # whether a step is being made
        self._notes, self._claimed, self._wrote = notes, False, False
        self._began = datetime.now().astimezone()
        self._current: Steps | None = None
        # What was called last, before the recording; it may hold a model, which lives no longer for this.
        self._latest: ReferenceType[Steps] | None = None
        self._carries = False  # whether a function gets back what it returned, from turn to turn
        self.most = 0  # steps of the function, or model, that made most
        self.fewest = 1  # which the same one needs before its recording
        self.tell_s = 0.0 if request.profile else inf  # when progress is to be noted again
        self._recorded = self._in_window = 0
        self._window_ns = 0
        self._windows: list[tuple[int, int]] = []
        self._lock = threading.RLock()
        atexit.register(self._at_exit)
        os.register_at_fork(after_in_child=self._forked)

    @property
    def takes_part(self) -> bool:
        """Whether it records, or has done so."""
        return self._current is not None or self.done

    def turn(self, steps: Steps, given: tuple[Any, ...]) -> None:
        """A call begins. After a call of another function, it tells whether this one carries its state on:
        a training's step does, and a layer that each step calls several times begins anew."""
        if self._current is not None or (self._latest is not None and self._latest() is steps):
            return
        self._latest = ref(steps)
        if steps.count == 0:
            return
        with contextlib.suppress(Exception):
            if steps.framework.carried(given):
                steps.carried += 1
            else:
                steps.anew += 1
        self._carries = self._carries or steps.carried > 1

    def may_be(self, steps: Steps) -> bool:
        """Whether these may be the steps of the training, for all that is known by now."""
        if steps.carried or not steps.anew:
            return True
        return steps.anew >= TURNS and not self._carries

    # What ``Steps`` calls. Nothing here raises, but ``after`` ends the process if that was asked for.

    def before(self, steps: Steps) -> None:
        """A step begins."""
        if self._current is steps and self.request.profile:
            self.safely(lambda: steps.framework.enter(self._recorded))

    def failed(self, steps: Steps) -> None:
        """A call raised, as when the data ends: it was no step."""
        if self._current is steps and self.request.profile:
            self.safely(steps.framework.leave)

    def after(self, steps: Steps, given: tuple[Any, ...], result: Any) -> None:
        """A step was made."""
        if self.done:
            return
        self.safely(lambda: self._after(steps, given, result))
        if self._wrote:
            self.end_if_asked()

    def _after(self, steps: Steps, given: tuple[Any, ...], result: Any) -> None:
        steps.passed()
        may_be = self.may_be(steps)
        if may_be and steps.count > self.most:
            self.most, self.fewest = steps.count, steps.fewest
        if self._current is steps:
            self._recorded += 1
            steps.tell(self._recorded)
            self._profiled(steps, result) if self.request.profile else self._measured(steps, result)
        elif self._current is None:
            if steps.count <= LOSSES:
                steps.look(given, result)
            if may_be and steps.count >= steps.least:
                self._begin(steps, result)
            else:
                steps.tell()

    def _begin(self, steps: Steps, result: Any) -> None:
        if not self.claim():
            return
        steps.framework.wait(result)
        if self.request.profile:
            try:
                steps.framework.start(self.request.folder)
            except Exception as error:
                self.note("failed", f"the profiler did not start: {error}")
                steps.least = LATER * steps.count
                return
        self._current = steps
        self._window_ns = time.perf_counter_ns()
        if self.request.profile:
            self.note(RECORDING, 0)
            threading.Thread(target=self._until_idle, args=(steps,), name="tfperf", daemon=True).start()

    def _profiled(self, steps: Steps, result: Any) -> None:
        if self._recorded < self.request.steps:
            steps.framework.leave()
        else:
            steps.framework.wait(result)
            self.finish()

    def _measured(self, steps: Steps, result: Any) -> None:
        self._in_window += 1
        now = time.perf_counter_ns()
        calls = steps.framework.steps_per_call
        enough = self._in_window * calls >= ENOUGH_STEPS or now - self._window_ns >= LONG_NS
        if enough and self._in_window * calls >= ceil(self.request.steps / WINDOWS):
            steps.framework.wait(result)
            now = time.perf_counter_ns()
            self._windows.append((self._in_window, now - self._window_ns))
            self._in_window, self._window_ns = 0, now
            if self._recorded * calls >= self.request.steps:
                self.finish()

    def claim(self) -> bool:
        """Whether this process is the one that records."""
        try:
            if not self._claimed:
                Path(f"{self._notes}{CLAIM}").touch(exist_ok=False)
            self._claimed = True
        except OSError:  # another one does, or tfperf has ended
            self.done = True
        return self._claimed

    def finish(self) -> None:
        """Writes what was recorded. Whoever comes meanwhile waits, such as the end of the process."""
        with self._lock:
            if self._current and not self.done:
                self.done = True
                self._write(self._current)
                self._current = None  # which may hold a model

    def _write(self, steps: Steps) -> None:
        framework = steps.framework
        if self.request.profile:
            framework.stop()
            self.write_record(framework.facts())
            if self._recorded:
                self._tell_written(self._recorded)
            else:
                self.note("failed", "no step was made once the recording had begun")
        elif self._windows:
            calls, size = framework.steps_per_call, framework.batch_size
            launch = Launch(
                means=framework.means,
                windows=tuple(
                    Window(count * calls, ns, count * calls * size if size else None)
                    for count, ns in self._windows
                ),
                losses=tuple(steps.losses),
                facts=self._record(framework.facts()),
                sources=_sources(),
                **_switched(),
            )
            path = Path(self.request.folder, LAUNCH)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(msgspec.json.encode(launch))
            temporary.replace(path)
            self._tell_written(sum(count for count, _ in self._windows))
        else:
            self.note(STEPS, f"{self.most} {self.fewest}")

    def _tell_written(self, steps: int) -> None:
        self._wrote = True
        asked = f" of {self.request.steps}" if steps < self.request.steps else ""
        self.note("wrote", f"{steps}{asked} steps")

    def write_record(self, facts: dict[str, Any]) -> None:
        """Writes what is known of the training beside its profile."""
        write(self.request.folder, self._began, self._record(facts))

    def _record(self, facts: dict[str, Any]) -> TrainingRecord:
        known = TrainingRecord()
        with contextlib.suppress(OSError):
            known, _ = from_json(Path(f"{self._notes}{MACHINE}").read_bytes())
        python = {"python": platform.python_version()}
        return TrainingRecord(
            **facts,
            environment=machine.environment(os.environ),
            versions={**frameworks.versions(), **(known.versions or {}), **python},
            links=known.links,
        )

    def _until_idle(self, steps: Steps) -> None:
        while not self.done:
            time.sleep(1)
            if not self.done and steps.idle_s() > max(IDLE_S, IDLE_STEPS * steps.mean_s()):
                self.safely(lambda: steps.framework.soon(self._end_idle))
                return

    def _end_idle(self) -> None:
        self.safely(self.finish)
        if self._wrote:
            self.end_if_asked()

    def safely(self, work: Callable[[], None]) -> None:
        """Does a part of the recording; an error ends the recording and is told."""
        try:
            work()
        except Exception as error:
            self.note("failed", f"{type(error).__name__}: {error}")
            self.done = True
            steps, self._current = self._current, None
            if steps and self.request.profile:
                with contextlib.suppress(Exception):
                    steps.framework.stop()

    def _at_exit(self) -> None:
        if self._current and not self.done:
            self.note(ENDS)
            self.safely(self.finish)
        elif not self.done:
            self.note(STEPS, f"{self.most} {self.fewest}")

    def _forked(self) -> None:
        """A process made by ``fork`` counts anew, and records nothing of what its parent began."""
        self.done = self.done or self._claimed
        self.most = 0
        self._lock = threading.RLock()

    def end_if_asked(self) -> None:
        """Ends the process, if it was asked to end once all is written; at the latest after ``HANG_S``."""
        if not self.request.end:
            return
        if threading.current_thread() is threading.main_thread():
            with contextlib.suppress(RuntimeError):  # no thread is left
                threading.Thread(target=_end, args=(HANG_S,), name="tfperf", daemon=True).start()
            # A generator that this exit leaves open may hold an input pipeline, which waits for Python
            # threads when it is freed. They end before Python frees what is left.
            atexit.register(gc.collect)
            sys.exit(0)
        _end(0)  # an exception would end this thread only


def _switched() -> dict[str, Any]:
    """What switches changed, and where; they are loaded only where some were asked for."""
    switches: Any = sys.modules.get("tfperf_plugin.recording.switches")
    if not switches:
        return {}
    applied = {id_: tuple(told) for id_, told in switches.applied.items()}
    return {"switched": applied, "places": tuple(switches.switch.places)}


def _sources() -> tuple[str, ...]:
    """Files of all modules, without Python's, installed ones and tfperf's. Lazy modules stay unloaded."""
    files = {str(getattr(module, "__dict__", {}).get("__file__")) for module in list(sys.modules.values())}
    others = tuple(f"{Path(file).parent}{os.sep}" for file in (os.__file__, tfperf_plugin.__file__))
    own = (file for file in files if file.endswith(".py") and not file.startswith(others))
    return tuple(sorted(os.path.realpath(file) for file in own if not _INSTALLED & {*Path(file).parts}))


def _end(after_s: float) -> None:
    time.sleep(after_s)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(0)


class Steps:
    """Calls of one function, or updates of one model, which may be the steps of the training.

    ``fewest``: how many must have passed before the recording, whatever was asked for.
    """

    def __init__(self, recorder: Recorder, framework: Framework, fewest: int = 1) -> None:
        self.framework = framework
        self.count = 0
        self.fewest = fewest
        # Calls that pass before the recording.
        self.least = max(fewest, recorder.request.calls(framework.steps_per_call))
        self._recorder = recorder
        self.losses: list[float] = []  # of the steps that were looked at
        self._first_s = self._latest_s = 0.0
        # Calls after one of another function that are given what the latest call returned, and that are not.
        self.carried = self.anew = 0

    @property
    def over(self) -> bool:
        """Whether calls no longer count: all is done, or this one is made within a step."""
        return self._recorder.done or self._recorder.inside

    def around(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Calls ``call``, which makes a step. What a step calls is none."""
        recorder = self._recorder
        if self.over:
            return call(*given, **named)
        recorder.turn(self, (*given, *named.values()))
        recorder.before(self)
        recorder.inside = True
        try:
            with HIDDEN:
                result = call(*given, **named)
        except BaseException:
            recorder.failed(self)
            raise
        finally:
            recorder.inside = False
        if not recorder.takes_part:
            with contextlib.suppress(Exception):
                self.framework.keep(result)
        if not self.passes():
            recorder.after(self, (*given, *named.values()), result)
        return result

    def passes(self) -> bool:
        """Counts a step of which only the number matters, in little time; ``False`` for other steps."""
        count, recorder = self.count + 1, self._recorder
        if not LOSSES < count < self.least or recorder.takes_part:
            return False
        self.count = count
        if count > recorder.most:
            recorder.most, recorder.fewest = count, self.fewest
        self._latest_s = now = time.perf_counter()
        if now > recorder.tell_s:
            recorder.safely(self.tell)
        return True

    def tell(self, recorded: int = 0) -> None:
        """Notes how far the training, or its recording, has come, unless that was noted just now."""
        recorder = self._recorder
        if self._latest_s > recorder.tell_s:
            recorder.tell_s = self._latest_s + TELL_S
            if recorded:
                recorder.note(RECORDING, recorded)
            else:
                recorder.note(PASSED, f"{self.count} {self.fewest}")

    def passed(self) -> None:
        """Counts one finished step."""
        self.count += 1
        self._latest_s = time.perf_counter()
        if self.count == 1:
            self._first_s = self._latest_s

    def look(self, given: tuple[Any, ...], result: Any) -> None:
        """Looks at an early step; what cannot be told of it stays unknown."""
        with contextlib.suppress(Exception):
            loss = self.framework.early(given, result)
            if loss is not None and not self._recorder.request.profile:
                self.losses.append(float(loss))  # waits until it is computed

    def idle_s(self) -> float:
        """Time since the latest step."""
        return time.perf_counter() - self._latest_s

    def mean_s(self) -> float:
        """From one step to the next, without the first one, which compiles."""
        return (self._latest_s - self._first_s) / max(1, self.count - 1)
