"""Tunes trainings that are slow for one cause each, and holds what came against the fix by hand.

    python -m tests.proof.tuned [PROGRAM:CAUSE …]       by default all, in 20 minutes on a calm machine

For each training it prints the switches of the proof, the verdict with its interval, and what the program
gains with ``--fixed``, which was written by hand. A cause that no switch mends is one that a probe shows. It
needs TensorFlow, PyTorch and a quiet machine, and asserts nothing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.processes import environment, tfperf
from tfperf_plugin.proof.verdict import Verdict
from tfperf_plugin.readers.logdirs.finding import VERDICT

HERE = Path(__file__).parent
MENDS = {
    "keras:map": "parallel-map",
    "keras:cache": "cache",
    "keras:generator": "one-batch",
    "keras:metrics": "no-metrics",
    "keras:callback": "steps-per-execution",
    "keras:python": "steps-per-execution",
    "keras:ops": "jit-compile",
    "torch:loader": "loader-workers",
    "torch:optimizer": "fused-optimizer",
    "keras:none": "",
    "torch:none": "",
}
"""Program and cause → the switch that mends it, or shows it; "" if there is nothing to gain."""


def said(folder: Path, *arguments: str) -> str:
    """Runs tfperf in ``folder`` and returns what it prints."""
    done = tfperf(*arguments, folder=folder, env=environment(XDG_STATE_HOME=str(folder / "state")))
    (folder / f"{arguments[0]}.log").write_text(f"{done.stdout}\n{done.stderr}", encoding="utf-8")
    return done.stdout


def verdict(folder: Path) -> Verdict | None:
    """The verdict of a trial's folder, ``None`` if there is none."""
    path = folder / VERDICT
    return msgspec.json.decode(path.read_bytes(), type=Verdict) if path.exists() else None


def shown(found: Verdict | None) -> str:
    """A verdict as "better, −45 % (−47 to −42)"."""
    if found is None:
        return "–"
    if found.effect is None:
        return found.verdict
    ratios = found.effect.ratio, found.effect.low, found.effect.high
    change, low, high = (100 * (ratio - 1) for ratio in ratios)
    return f"{found.verdict}, {change:+.0f} % ({low:+.0f} to {high:+.0f})"


class Tuned(NamedTuple):
    """What one command found in a training that is slow for one cause."""

    said: str
    proven: Verdict | None
    took_s: float

    def names(self, switch: str) -> bool:
        """Whether the proof holds ``switch``, or the first look at it shows something."""
        return switch in self.kept or f"{switch} alone, at first look: better" in " ".join(self.said.split())

    @property
    def kept(self) -> str:
        """The switches of the proof; "" if nothing was proven."""
        return self.proven.b.rpartition(" with ")[2] if self.proven else ""


def command(case: str) -> list[str]:
    program, cause = case.split(":")
    return ["--", sys.executable, str(HERE / f"{program}_training.py"), cause]


def tune(case: str, folder: Path, *options: str) -> Tuned:
    """Tunes one training in ``folder``."""
    began_s = time.monotonic()
    text = said(folder, "tune", "--out", "tuned", "--budget", "1h", *options, *command(case))
    return Tuned(text, verdict(folder / "tuned" / "together"), time.monotonic() - began_s)


def by_hand(case: str, folder: Path) -> Verdict | None:
    """Tries the fix that was written by hand."""
    said(folder, "try", "--out", "by_hand", "--args=--fixed", *command(case))
    return verdict(folder / "by_hand")


def tried(case: str) -> str:
    """A row of the table."""
    switch = MENDS[case]
    with tempfile.TemporaryDirectory() as place:
        found = tune(case, Path(place))
        hand = by_hand(case, Path(place)) if switch and switch != "one-batch" else None
    named = ("yes" if found.names(switch) else "no") if switch else "–"
    took = f"{found.took_s:.0f} s"
    return row(case, switch or "nothing", named, found.kept or "–", shown(found.proven), shown(hand), took)


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints a table, a row as soon as it is known."""
    print(row("training", "mended by", "found", "proven together", "verdict", "by hand", "took"))
    print(row(*["---"] * 7))
    for case in sys.argv[1:] or MENDS:
        print(tried(case), flush=True)


if __name__ == "__main__":
    main()
