"""What one launch of a training measures of itself, without a profile: the times of its steps, and facts."""

from __future__ import annotations

from typing import Final, Literal

from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.records import Record

LAUNCH_VERSION: Final = 1
LAUNCH: Final = "launch.json"
"""The name of the file that holds a ``Launch``."""
REQUEST: Final = "TFPERF_REQUEST"
"""The environment variable that holds a ``Request`` as JSON for the training's process."""
NOTES: Final = "TFPERF_NOTES"
"""The environment variable that holds the path of a file to which each process appends what it sees."""
MACHINE: Final = ".machine"
"""Beside the notes, the file of this suffix holds what the launching process knows of the machine."""
CLAIM: Final = ".recorder"
"""Beside the notes, the process that records makes the file of this suffix, so that no other one does."""
HANG_S: Final = 30.0
"""A training that was asked to end and hangs so long after its record ends itself."""
STOP_S: Final = 10.0
"""How long a process may take to end, by itself or after a signal, before the next means."""

Means = Literal["keras", "jax", "torch"]
"""Where steps were seen: Keras' training function, a jitted function that is called again and again, or
updates of an optimizer of PyTorch."""


class Request(Record, frozen=True):
    """What the hook in a training's process is asked to do.

    ``folder``: the whole path of where a profile, or else the file ``launch.json``, is written; ``after``:
    steps that pass before; ``steps``: steps that are recorded; ``after_s``: seconds that pass before, in
    place of ``after``, for trainings without steps that can be seen; ``profile``: whether a profile is
    recorded, or times only; ``end``: whether the process ends once everything is written.
    """

    folder: str
    after: int = 30
    steps: int = 20
    after_s: float | None = None
    profile: bool = True
    end: bool = False


class Window(Record, frozen=True):
    """Consecutive steps between two moments at which nothing was left to compute.

    ``steps``: how many; ``ns``: from the first moment to the second; ``examples``: that the steps processed,
    None if unknown.
    """

    steps: int
    ns: int
    examples: int | None = None


class Launch(Record, frozen=True):
    """What one launch measured.

    ``began_ns``: when its first window began, since the epoch; ``windows``: in time order, without the steps
    before; ``losses``: the first losses that the training computed, in order; ``facts``: what it recorded;
    ``process``: id of the process that wrote this.
    """

    version: int
    means: Means
    began_ns: int
    windows: tuple[Window, ...]
    losses: tuple[float, ...]
    facts: TrainingRecord
    process: int
