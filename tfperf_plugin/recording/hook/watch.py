"""Chooses what to wrap in a framework that the training has just imported; records a profile by the clock,
for trainings whose steps cannot be seen."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

import msgspec

from tfperf_plugin.recording.hook import jax, keras, tensorflow, torch
from tfperf_plugin.recording.hook.framework import JaxProfiler, TensorFlowProfiler
from tfperf_plugin.recording.hook.recorder import Recorder
from tfperf_plugin.recording.launch import NOTES, RECORDING, REQUEST, Request

WHOLE: Final = frozenset({"keras", "tf_keras", "torch"})
"""Packages that are handed on once they are whole, for switches only: a module in them has the steps."""
_recorder: Recorder | None = None


def imported(name: str, module: Any, note: Callable[..., None]) -> None:
    """Wraps what ``module``, one of ``sitecustomize.MODULES``, calls in each step. Raises what goes wrong."""
    global _recorder
    if _recorder is None:
        request = msgspec.json.decode(os.environ[REQUEST], type=Request)
        _recorder = Recorder(request, os.environ[NOTES], note)
    if _recorder.request.switches:
        from tfperf_plugin.recording.switches import switch_on

        switch_on(_recorder.request.switches, name, module)
    if name in WHOLE:
        return
    if _recorder.request.after_s is not None:
        record_by_clock(_recorder.request.after_s, _recorder)
    elif name == "jax":
        jax.watch(module, _recorder)
    elif name == "torch.optim.optimizer":
        torch.watch(module, _recorder)
    elif name == "torch.utils.data.dataloader":
        torch.watch_loaders(module)
    elif name == "tensorflow":
        tensorflow.watch(module, _recorder)
    else:
        keras.watch(module, _recorder)


# -------------------------------------------------------------------------------------- by the clock

SECONDS: Final = 5.0
"""How long it records."""
STOP_S: Final = 60.0
"""How long the end of the training waits until the profile is written."""
_thread: threading.Thread | None = None


def record_by_clock(after_s: float, recorder: Recorder) -> None:
    """Records once, ``after_s`` seconds from the first call on, and less long if the training ends before."""
    global _thread
    if _thread is None:
        ended = threading.Event()
        _thread = threading.Thread(
            target=_record, args=(after_s, recorder, ended), name="tfperf", daemon=True
        )
        _thread.start()
        atexit.register(_thread.join, STOP_S)
        atexit.register(ended.set)  # runs before the line above


def _record(after_s: float, recorder: Recorder, ended: threading.Event) -> None:
    over = ended.wait(after_s)
    while not (over or _computes()):
        over = ended.wait(1)
    if over:
        recorder.note("failed", f"the training computed nothing, or ended within {after_s:g} s")
    elif recorder.claim():
        recorder.safely(lambda: _profile(recorder, ended))
        recorder.end_if_asked()


def _profile(recorder: Recorder, ended: threading.Event) -> None:
    profiler = JaxProfiler() if _computes_with_jax() else TensorFlowProfiler()
    profiler.start(recorder.request.folder)
    recorder.note(RECORDING, 0)
    ended.wait(SECONDS)
    profiler.stop()
    recorder.write_record({})
    recorder.note("wrote", f"{SECONDS:g} seconds")


def _computes() -> bool:
    """Whether a profiler may start: that of TensorFlow once it is imported; that of JAX starts JAX, which the
    training may still want to set up."""
    return hasattr(sys.modules.get("tensorflow"), "profiler") or _computes_with_jax()


def _computes_with_jax() -> bool:
    """Keras imports JAX where it can, and who computes with JAX may read the data with TensorFlow."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "backends_are_initialized", bool)())
