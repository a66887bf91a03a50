"""Chooses what to wrap in a framework that the training has just imported."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import msgspec

from tfperf_plugin.recording.hook import jax, keras, tensorflow, timed, torch
from tfperf_plugin.recording.hook.recorder import Recorder
from tfperf_plugin.recording.launch import NOTES, REQUEST, Request

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
        timed.start(_recorder.request.after_s, _recorder)
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
