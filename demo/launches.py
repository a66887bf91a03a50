"""Times equal launches of small trainings on this machine: how far launches differ without any change.

``python -m demo.launches keras|input|jax [--count 30] > FILE``: ``keras`` trains a dense network, ``input``
waits for the map of a ``tf.data`` pipeline, ``jax`` trains a dense network in a jitted function. Each launch
is a process of its own; it passes the first steps by and then times windows of consecutive steps, between
moments at which nothing was left to compute. The file holds, for each launch, seconds from the first launch
to its start and the means of its windows in µs a step.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

PASSED, WINDOWS, STEPS = 30, 24, 10
BATCH, WIDTH = 256, 512


def windows(step: Callable[[], object], wait: Callable[[], object]) -> Iterator[int]:
    """Means of windows in ns a step. ``step`` begins one; ``wait`` returns when all are computed."""
    for _ in range(PASSED):
        step()
    wait()
    for _ in range(WINDOWS):
        begin = time.perf_counter_ns()
        for _ in range(STEPS):
            step()
        wait()
        yield (time.perf_counter_ns() - begin) // STEPS


def keras() -> tuple[int, ...]:
    """A dense network that Keras trains on data in memory."""
    return _fit(lambda tf: tf.data.Dataset.from_tensors(_batch(tf)).repeat())


def waiting() -> tuple[int, ...]:
    """The same on data that ``map`` computes one after the other."""

    def slow(tf: Any) -> Any:
        def work(seed: Any) -> Any:
            image = tf.random.stateless_uniform((BATCH, WIDTH), (seed, 1))
            for _ in range(2):
                image = tf.sort(image + 1e-3)
            return image, tf.zeros((BATCH, 1))

        return tf.data.Dataset.range(10**9).map(work).prefetch(1)

    return _fit(slow)


def _batch(tf: Any) -> Any:
    return tf.random.stateless_uniform((BATCH, WIDTH), (1, 2)), tf.zeros((BATCH, 1))


def _fit(data: Callable[[Any], Any]) -> tuple[int, ...]:
    tf = importlib.import_module("tensorflow")
    layers = [tf.keras.layers.Dense(WIDTH, "relu") for _ in range(4)]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    iterator = iter(data(tf))
    model.make_train_function()
    last: list[Any] = []

    def step() -> None:
        last[:] = [model.train_function(iterator)]

    return tuple(windows(step, lambda: float(last[0]["loss"])))


def jax() -> tuple[int, ...]:
    """A dense network in a jitted function."""
    jax = importlib.import_module("jax")
    keys = jax.random.split(jax.random.key(1), 5)
    weights = [jax.random.normal(key, (WIDTH, WIDTH)) * 0.05 for key in keys[:4]]
    batch = jax.random.normal(keys[4], (BATCH, WIDTH))

    def loss(weights: Any) -> Any:
        found = batch
        for each in weights:
            found = jax.nn.relu(found @ each)
        return (found**2).mean()

    update = jax.jit(lambda w: jax.tree.map(lambda x, g: x - 0.01 * g, w, jax.grad(loss)(w)))
    state = [weights]

    def step() -> None:
        state[0] = update(state[0])

    return tuple(windows(step, lambda: jax.block_until_ready(state[0])))


TRAININGS: Final = {"keras": keras, "input": waiting, "jax": jax}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("training", choices=TRAININGS)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--one", action="store_true", help="this process is a launch")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(TRAININGS[arguments.training]()))
        return
    began: list[float] = []
    found: list[list[int]] = []
    command = [sys.executable, "-m", "demo.launches", arguments.training, "--one"]
    for number in range(arguments.count):
        began.append(time.monotonic())
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found.append([round(ns / 1000) for ns in json.loads(done.stdout.splitlines()[-1])])
        print(f"{number + 1} of {arguments.count}", file=sys.stderr)
    begins = [round(at - began[0]) for at in began]
    print(json.dumps({"began_s": begins, "windows_us": found}, separators=(",", ":")))


if __name__ == "__main__":
    main()
