"""Writes folders of ``tfperf try`` and ``tfperf tune``, whose launches never ran: ``write(LOGDIR)``."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from tfperf_plugin.proof import files, plan, tuning
from tfperf_plugin.proof.code import Code
from tfperf_plugin.proof.effect import LEAST_LAUNCHES, QUICK_LAUNCHES, rounds
from tfperf_plugin.proof.measured import Measured, launch_file
from tfperf_plugin.proof.trial import Idle, LaunchFailed
from tfperf_plugin.proof.verdict import Verdict, conclude
from tfperf_plugin.readers.logdirs.finding import TUNING, VERDICT
from tfperf_plugin.recording.launch import Launch, Window
from tfperf_plugin.recording.record import TrainingRecord

_TRAIN: Final = ("python", "train.py", "--epochs", "2")
_STEP_NS: Final = 61_000_000
_SHARES: Final = {"loader-workers=4": 0.71, "one-batch": 0.6, "pin-memory": 0.98, "fused-optimizer": 1.002,
                  "cudnn-benchmark": 1.21}  # fmt: skip
"""Switch → time of a step with it / without it."""
_FAILED: Final = LaunchFailed(
    "Launch 2 of 6 (side B) measured nothing: the training ended with code 1. It ends with 'RuntimeError: "
    "graph break'. Its output is in tuned/torch-compile/launch-002.log; 1 measured launches are kept, and "
    "the same command tries it again.",
    "B",
)
_IDLE: Final = Idle("Launch 1 of 6 (side B) ran unchanged: steps-per-execution needs a call of compile.", "B")
_CHOSEN: Final = {
    "loader-workers=4": "input-bound",
    "one-batch": "input-bound",
    "pin-memory": "h2d-copy-bound",
    "fused-optimizer": "kernel-launch-bound",
    "torch-compile": "kernel-launch-bound",
    "steps-per-execution=16": "",
    "cudnn-benchmark": "",
}
"""Switch → the finding that names it."""


def write(logdir: Path) -> None:
    """A tuning with its proof, one that was interrupted, two trials, and a verdict that is damaged."""
    tuned, together = logdir / "tuned", ("loader-workers=4",)
    _trial(
        tuned / tuning.TOGETHER,
        0.71,
        switches=together,
        finding="input-bound",
        prediction=plan.Prediction("input-bound", "profile", 0.62, 0.73, 0.6, "as simulated"),
    )
    known = {"torch-compile": _FAILED, "steps-per-execution=16": _IDLE}
    tuning.keep(tuned, _TRAIN, "Input-bound", _CHOSEN, _looks(tuned) | known, together, ended=True)
    begun = logdir / "interrupted"
    tuning.keep(begun, _TRAIN, "Input-bound", _CHOSEN, _looks(begun, 2))
    _trial(
        logdir / "trials" / "private threads",
        0.8,
        environment={"TF_GPU_THREAD_MODE": "gpu_private"},
        finding="gpu-stagger",
        prediction=plan.Prediction("gpu-stagger", "staggered", 0.75, 0.85, 0.0, "as simulated"),
    )
    _trial(logdir / "trials" / "larger batch", 1.9, environment={"BATCH": "64"}, batches=(32, 64))
    damaged = logdir / "trials" / "damaged"
    damaged.mkdir()
    (damaged / VERDICT).write_text('{"version": 1, "verdict": "bet', encoding="utf-8")
    for age, path in enumerate(
        (tuned / TUNING, begun / TUNING, *sorted(logdir.glob(f"trials/*/{VERDICT}"), reverse=True))
    ):
        os.utime(path, (1.8e9 - 60 * age,) * 2)


def _looks(folder: Path, most: int | None = None) -> dict[str, tuning.Look]:
    return {
        text: _trial(folder / text, share, switches=(text,), quick=True)
        for text, share in list(_SHARES.items())[:most]
    }


def _trial(
    folder: Path,
    share: float,
    *,
    quick: bool = False,
    batches: tuple[int, int] = (32, 32),
    finding: str = "",
    prediction: plan.Prediction | None = None,
    **b: Any,
) -> Verdict:
    """A trial with its launches and its verdict; those of B take ``share`` of the time."""
    folder.mkdir(parents=True)
    rng = random.Random(folder.name)
    made = plan.make(
        plan.Side(_TRAIN, {}),
        plan.Side(_TRAIN, **{"environment": {}, **b}),
        Code("c0ffee" * 6, "", "d1ce"),
        finding=finding,
        prediction=prediction,
        repeat=None if quick else LEAST_LAUNCHES,
        after=plan.QUICK_AFTER if quick else plan.AFTER,
        steps=plan.QUICK_STEPS if quick else plan.STEPS,
    )
    made = replace(made, order="".join(rounds(QUICK_LAUNCHES if quick else LEAST_LAUNCHES, rng)))
    files.write_new(folder / plan.PLAN, files.encode(made))
    done = []
    for number, side in enumerate(made.order, 1):
        is_after = side == "B"
        step_ns = _STEP_NS * (share if is_after else 1) * rng.gauss(1, 0.012)
        batch = batches[is_after]
        facts = TrainingRecord(
            parameters=25_600_000,
            trainable={"float32": 25_600_000},
            batch_size=batch,
            policy="float32",
            replicas=1,
            environment={},
            versions={"torch": "2.13.0"},
        )
        switched: dict[str, tuple[str, ...]] = {
            text.partition("=")[0]: ("DataLoader(...)",) for text in made.b.switches if is_after
        }
        windows = tuple(Window(10, round(10 * step_ns), 10 * batch) for _ in range(4 if quick else 8))
        done.append(
            Measured(
                number=number,
                side="B" if is_after else "A",
                exit_code=0,
                ended=False,
                seconds=20.0,
                others=0.1,
                sources={"train.py": "d1ce"},
                changed="",
                machine="worker0, 8 processors",
                gpus=(),
                launch=Launch("torch", windows, (2.0, 1.5), facts, switched=switched),
            )
        )
        files.write_new(launch_file(folder, number), files.encode(done[-1]))
    return conclude(made, folder, done)
