"""Tunes trainings that are slow for one cause each, and holds what came against the fix by hand.

    python -m tests.proof.tuned [PROGRAM:CAUSE …]       by default all, in 20 minutes on a calm machine

For each training it prints the switches of the proof, the verdict with its interval, and what the program
gains with ``--fixed``, which was written by hand. A cause that no switch mends is one that a probe shows. It
needs TensorFlow, PyTorch and a quiet machine, and asserts nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from tests.conftest import REPOSITORY
from tfperf_plugin.proof.verdict import Verdict
from tfperf_plugin.readers.logdirs.trials import VERDICT

HERE = Path(__file__).parent
MENDS = {
    "keras:map": "parallel-map",
    "keras:cache": "cache",
    "keras:generator": "one-batch",
    "keras:callback": "steps-per-execution",
    "keras:python": "steps-per-execution",
    "torch:loader": "loader-workers",
    "torch:optimizer": "fused-optimizer",
    "keras:none": "",
    "torch:none": "",
}
"""Program and cause → the switch that mends it, or shows it; "" if there is nothing to gain."""


def tfperf(folder: Path, *arguments: str) -> str:
    """Runs tfperf in ``folder`` and returns what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, "-m", "tfperf_plugin.cli", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    (folder / f"{arguments[0]}.log").write_text(f"{done.stdout}\n{done.stderr}", encoding="utf-8")
    return done.stdout


def shown(path: Path) -> tuple[str, Verdict | None]:
    """A verdict file as "better, −45 % (−47 to −42)"; "not tried" without it."""
    if not path.exists():
        return "not tried", None
    found = msgspec.json.decode(path.read_bytes(), type=Verdict)
    if found.effect is None:
        return found.verdict, found
    change, low, high = (
        100 * (ratio - 1) for ratio in (found.effect.ratio, found.effect.low, found.effect.high)
    )
    return f"{found.verdict}, {change:+.0f} % ({low:+.0f} to {high:+.0f})", found


def tune(case: str) -> str:
    """Tunes one training, and tries the fix by hand; a row of the table."""
    program, cause = case.split(":")
    command = ["--", sys.executable, str(HERE / f"{program}_training.py"), cause]
    with tempfile.TemporaryDirectory() as place:
        folder, began_s = Path(place), time.monotonic()
        text = " ".join(tfperf(folder, "tune", "--out", "tuned", "--budget", "1h", *command).split())
        took_s = time.monotonic() - began_s
        words, proven = shown(folder / "tuned" / "together" / VERDICT)
        kept = proven.b.rpartition(" with ")[2] if proven else ""
        switch = MENDS[case]
        named = "yes" if switch in (kept or text) else "no"
        hand = "–"
        if switch and switch != "one-batch":
            tfperf(folder, "try", "--out", "by_hand", "--args=--fixed", *command)
            hand = shown(folder / "by_hand" / VERDICT)[0]
    found = named if switch else "–"
    return row(case, switch or "nothing", found, kept or "–", words, hand, f"{took_s:.0f} s")


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints a table, a row as soon as it is known."""
    print(row("training", "mended by", "found", "proven together", "verdict", "by hand", "took"))
    print(row(*["---"] * 7))
    for case in sys.argv[1:] or MENDS:
        print(tune(case), flush=True)


if __name__ == "__main__":
    main()
