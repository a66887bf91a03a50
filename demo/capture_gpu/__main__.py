"""``python -m demo.capture_gpu``: trains in pairs, profiles, and writes how right the rules are about it."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from demo.capture_gpu.causes import CAUSES, KERAS_CAUSES, Cause
from demo.capture_gpu.pairs import NO_GPU, arguments_of, attempt
from demo.capture_gpu.table import table

if TYPE_CHECKING:
    from demo.capture_gpu.trainings import Training

NO_JAX = "JAX is not installed, so nothing was trained; `pip install 'jax[cuda12]'` adds it for NVIDIA GPUs."
NO_KERAS = "Keras 3 is not installed, so nothing was trained; `pip install keras` adds it."
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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = arguments_of("capture_gpu", CAUSES, STEPS)
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table there, too")
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
    steps, times = options.steps or (STEPS if gpu else CPU_STEPS), TIMES if gpu else CPU_TIMES
    causes = [cause for cause in CAUSES if not options.only or cause.folder in options.only]
    pairs = []
    with tempfile.TemporaryDirectory() as temporary:
        for cause in (*causes, *(KERAS_CAUSES if options.keras else ())):
            print(cause.name, file=sys.stderr, flush=True)
            pairs.append(
                attempt(cause, partial(make, cause, gpu), options.out or Path(temporary), steps, times)
            )
    text = table(pairs, device_name(), f"JAX {version('jax')}", steps)
    print(text, end="")
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 1 if any(pair.failure for pair in pairs) else 0


if __name__ == "__main__":
    raise SystemExit(main())
