"""How outputs show accounts: their order and colors, and the words for the parts of compute."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS

DRAWN_ACCOUNTS: Final = {
    "compute": "compute",
    "compute.floor": "compute",
    "compute.recoverable": "recoverable",
    "compute.not_judged": "unknown",
    "communication.transfer": "transfer",
    "communication.wait": "wait",
    "copy.h2d": "copy",
    "copy.d2h": "copy",
    "copy.d2d": "copy",
    "idle.input": "input",
    "idle.launch": "launch",
    "idle.dispatch": "launch",
    "idle.compile": "compile",
    "idle.startup": "compile",
    "idle.host_op": "host-op",
    "idle.sync": "sync",
    "idle.between_steps": "between",
    "idle.unknown": "unknown",
    "idle.stagger": "stagger",
}
"""Account, or part of compute → name of its color, in the order of a bar: late starts lie right.
``frontend/src/accounts.ts`` has the same."""
WORDS: Final = ACCOUNT_WORDS | {
    "compute.floor": "Compute at the GPU’s limit",
    "compute.recoverable": "Compute that could be won",
    "compute.not_judged": "Compute not judged",
}
