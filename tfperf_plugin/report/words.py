"""Numbers and accounts in plain words, for text renderings."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.engine.words import count, gigabytes, ms, percent

ACCOUNT_WORDS: Final = {
    "compute": "computing",
    "communication.transfer": "transferring between GPUs",
    "communication.wait": "waiting inside AllReduce for other GPUs",
    "copy.h2d": "copying to the GPU",
    "copy.d2h": "copying to the host",
    "copy.d2d": "copying between GPUs",
    "idle.compile": "waiting for compilation",
    "idle.stagger": "waiting because the GPUs start one after another",
    "idle.input": "waiting for input data",
    "idle.between_steps": "idling between steps",
    "idle.sync": "idling after the host waited for the GPU",
    "idle.launch": "waiting for kernel launches",
    "idle.host_op": "waiting for ops on the CPU",
    "idle.unknown": "idling for a reason that was not recorded",
}

__all__ = ["ACCOUNT_WORDS", "count", "gigabytes", "ms", "percent"]
