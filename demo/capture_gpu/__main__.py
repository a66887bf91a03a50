"""``python -m demo.capture_gpu``: trains in pairs, profiles, and writes how right the rules are about it."""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from demo.capture_gpu.causes import CAUSES, KERAS_CAUSES, Cause
from demo.capture_gpu.table import Pair, table
from tfperf_plugin.api import analyze
from tfperf_plugin.errors import TfperfError

if TYPE_CHECKING:
    from demo.capture_gpu.trainings import Training

NO_JAX = "JAX is not installed, so nothing was trained; `pip install 'jax[cuda12]'` adds it for NVIDIA GPUs."
NO_KERAS = "Keras 3 is not installed, so nothing was trained; `pip install keras` adds it."
NO_GPU = "No GPU: the rules cannot be judged. This only checks that each pair is recorded and analysed."
WARM_UP = 3
# Steps of a profile, and how often a run of as many is timed, on a GPU and on a CPU.
STEPS, CPU_STEPS = 20, 5
TIMES, CPU_TIMES = 5, 1
# A CPU multiplies matrices of so much shorter sides.
CPU_SCALE = 32


def make(cause: Cause, gpu: bool) -> Training:
    """The healthy training of a cause."""
    from demo.capture_gpu import trainings

    module = trainings
    if cause.keras:
        from demo.capture_gpu import keras_trainings as module  # type: ignore[no-redef]
    made: Training = getattr(module, cause.training)(cause.size if gpu else cause.size.small)
    return made


def step_ns(training: Training, steps: int) -> float:
    begin = time.perf_counter_ns()
    training.run(steps)
    return (time.perf_counter_ns() - begin) / steps


def capture(cause: Cause, out: Path, steps: int, gpu: bool) -> Pair:
    """Times and profiles a training with its cause and without it."""
    healthy, planted = make(cause, gpu), make(cause, gpu)
    healthy.run(WARM_UP)
    planted.run(WARM_UP)
    planted.plant(step_ns(healthy, steps) / 1e9)
    planted.run(WARM_UP)
    # In turns, so that a GPU that gets warm slows both.
    times = [(step_ns(planted, steps), step_ns(healthy, steps)) for _ in range(TIMES if gpu else CPU_TIMES)]
    folders = {name: out / cause.folder / name for name in ("planted", "healthy")}
    planted.profile(folders["planted"], steps)
    healthy.profile(folders["healthy"], steps)
    return Pair(
        cause,
        round(statistics.median(t for t, _ in times)),
        round(statistics.median(t for _, t in times)),
        analyze(folders["planted"], cache=False),
        analyze(folders["healthy"], cache=False),
    )


def attempt(cause: Cause, out: Path, steps: int, gpu: bool) -> Pair:
    """As ``capture``; what goes wrong is a row of its own, and the others still come."""
    try:
        return capture(cause, out, steps, gpu)
    except (RuntimeError, OSError, TfperfError) as error:
        return Pair(cause, failure=str(error).partition("\n")[0] or type(error).__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo.capture_gpu",
        description="Train with and without planted causes, profile both, and say what is found.",
    )
    parser.add_argument("--out", type=Path, metavar="LOGDIR", help="keep the profiles there")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table there, too")
    parser.add_argument("--steps", type=int, metavar="N", help=f"in each profile; {STEPS} on a GPU")
    parser.add_argument("--only", nargs="+", metavar="CAUSE", choices=[cause.folder for cause in CAUSES])
    parser.add_argument("--keras", action="store_true", help="add pairs trained by Keras 3 on JAX")
    parser.add_argument(
        "--products", action="store_true", help="only matrix products, beside what is said of them"
    )
    options = parser.parse_args(arguments)
    missing = {"jax": NO_JAX, **({"keras": NO_KERAS} if options.keras else {})}
    for module, sentence in missing.items():
        if importlib.util.find_spec(module) is None:
            print(sentence, file=sys.stderr)
            return 2
    from demo.capture_gpu.trainings import device_name, on_gpu

    gpu = on_gpu()
    if not gpu:
        print(NO_GPU, file=sys.stderr)
    if options.products:
        from demo.capture_gpu.products import products_table

        print(products_table(options.out, 1 if gpu else CPU_SCALE), end="")
        return 0
    steps = options.steps or (STEPS if gpu else CPU_STEPS)
    causes = [cause for cause in CAUSES if not options.only or cause.folder in options.only]
    pairs = []
    with tempfile.TemporaryDirectory() as temporary:
        for cause in (*causes, *(KERAS_CAUSES if options.keras else ())):
            print(cause.name, file=sys.stderr, flush=True)
            pairs.append(attempt(cause, options.out or Path(temporary), steps, gpu))
    text = table(pairs, device_name(), f"JAX {version('jax')}", steps)
    print(text, end="")
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 1 if any(pair.failure for pair in pairs) else 0


if __name__ == "__main__":
    raise SystemExit(main())
