"""What one launch of a training measures of itself, without a profile: the times of its steps, and facts."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from tfperf_plugin.recording.record import TrainingRecord
from tfperf_plugin.records import Record

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
PASSED: Final = "passed"
"""The kind of notes on progress before the recording, such as "8 20": 8 steps have passed, and a recording
begins after 20 at the earliest."""
RECORDING: Final = "recording"
"""The kind of notes on progress of the recording: the number of steps that are recorded."""
ENDS: Final = "ends"
"""The kind of notes of a process that ends within its recording, and saves it."""
STEPS: Final = "steps"
"""The kind of notes of a process that ended by itself before it recorded; as ``PASSED``."""
HANG_S: Final = 30.0
"""A training that was asked to end, and hangs for this long after its record, ends itself."""
LEAST_CALLS: Final = 3
"""The second call tells how large a batch is."""
STOP_S: Final = 10.0
"""How long a process may take to end, by itself or after a signal, before the next means."""

Means = Literal["keras", "jax", "tensorflow", "torch"]
"""Where steps were seen: Keras' training function; a function of JAX or TensorFlow, or a line that takes
gradients eagerly, again and again; updates of an optimizer of PyTorch."""


class Request(Record, frozen=True):
    """What the hook in a training's process is asked to do."""

    #: Where a profile, or else the file ``launch.json``, is written, as a whole path.
    folder: str
    #: Steps that pass before the recording.
    after: int = 30
    #: Steps that are recorded.
    steps: int = 20
    #: Seconds that pass before, in place of ``after``, for trainings without steps that can be seen.
    after_s: float | None = None
    #: Whether a profile is recorded, or times only.
    profile: bool = True
    #: Whether the process ends once everything is written.
    end: bool = False
    #: Whether what the machine does is written as scalars of TensorBoard, too.
    summaries: bool = False
    #: Changes to make in the training, as ``switches.parsed`` writes them.
    switches: tuple[str, ...] = ()

    def calls(self, steps_per_call: int) -> int:
        """Calls that pass before the recording. A profile counts calls, whatever they hold."""
        if self.profile or steps_per_call == 1:
            return self.after
        return max(LEAST_CALLS, -(-self.after // steps_per_call))


class Window(Record, frozen=True):
    """Consecutive steps between two moments at which nothing was left to compute."""

    steps: int
    #: From the first moment to the second.
    ns: int
    #: Examples that the steps processed, None if unknown.
    examples: int | None = None


class Place(Record, frozen=True):
    """A line of the training that makes a call to which a switch gave arguments."""

    #: With these arguments only: "Adam(fused=True)".
    call: str
    file: str
    line: int


class Launch(Record, frozen=True):
    """What one launch measured."""

    means: Means
    #: In time order, without the steps before.
    windows: tuple[Window, ...]
    #: The first losses that the training computed, in order.
    losses: tuple[float, ...]
    #: What the training recorded about itself.
    facts: TrainingRecord
    #: Source files of the modules that it imported, without installed ones.
    sources: tuple[str, ...] = ()
    #: Id of a switch → what it changed; without those that found nothing to change.
    switched: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    #: Where switches gave arguments to a call that can be written, each once.
    places: tuple[Place, ...] = ()
