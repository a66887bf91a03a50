"""What is said while a training runs: how far it has come, and what is awaited where no step comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tfperf_plugin.recording.launch import PASSED, RECORDING, Request
from tfperf_plugin.recording.notes import furthest

EVERY_S: Final = 5.0
"""Progress is told at most this often, and less often the longer it takes."""
SHARE: Final = 0.1
"""Of the time until now, so much passes before the next line: eight hours take some forty lines."""
WAIT_S: Final = 10.0
"""What is awaited is told after this time without a step, once before the first one and once after it."""
_STEPS: Final = {
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
        steps = " or ".join(text for name, text in _STEPS.items() if name in noted["imported"])
        helps = "" if "PyTorch" in noted["imported"] else "; if it trains already, try --after-seconds 30"
        return f"a first step: {steps}{helps}"
