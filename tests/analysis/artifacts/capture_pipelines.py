"""Really runs tf.data pipelines on this machine and profiles them.

``python -m tests.analysis.artifacts.capture_pipelines OUT``. Each becomes one run,
``OUT/NAME``. Needs TensorFlow.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import tensorflow as tf

BATCH = 8
STEPS = 12
FILES, RECORDS = 2, 4
RECORD_BYTES = 9_600_000


def write_files(folder: Path) -> list[str]:
    """Compressed files: reading them takes real time."""
    noise = tf.io.serialize_tensor(tf.random.uniform([RECORD_BYTES // 8], maxval=16, dtype=tf.int64)).numpy()
    names = []
    for number in range(FILES):
        names.append(str(folder / f"{number}.tfrecord"))
        with tf.io.TFRecordWriter(names[-1], "GZIP") as writer:
            for _ in range(RECORDS):
                writer.write(noise)
    return names


def heavy(index: tf.Tensor) -> tf.Tensor:
    """Some twenty milliseconds of work with random ops, which TensorFlow does not run in parallel by itself.

    Handing over to another thread, which takes long on a busy machine, is short beside it.
    """
    square = tf.random.uniform([128, 128])
    for _ in range(150):
        square = tf.linalg.matmul(square, square) / 64
    return tf.reduce_sum(square) + tf.cast(index, tf.float32)


def examples() -> Iterator[float]:
    """Python that takes two milliseconds an example."""
    while True:
        time.sleep(0.002)
        yield 1.0


def slowly(number: tf.Tensor) -> float:
    """Python that takes three milliseconds."""
    time.sleep(0.003)
    return float(number)


def pipelines(files: list[str]) -> dict[str, tf.data.Dataset]:
    """By name: what its steps wait for."""
    numbers = tf.data.Dataset.range(10**9)
    records = tf.data.TFRecordDataset(files, "GZIP").repeat()
    tenth = tf.data.Dataset.zip((records, numbers)).filter(lambda _, i: i % 10 == 0)
    generated = tf.data.Dataset.from_generator(examples, output_signature=tf.TensorSpec([], tf.float32))
    python = numbers.map(lambda i: tf.py_function(slowly, [i], tf.float32), num_parallel_calls=2)
    return {
        "sequential_map": numbers.map(heavy).batch(BATCH).prefetch(2),
        "parallel_map": numbers.map(heavy, num_parallel_calls=4).batch(BATCH).prefetch(2),
        "slow_reads": records.map(tf.strings.length, num_parallel_calls=2).batch(BATCH).prefetch(2),
        "dropped_records": tenth.map(lambda r, _: tf.strings.length(r)).batch(1).prefetch(2),
        "generator": generated.batch(BATCH).prefetch(2),
        "py_function": python.batch(BATCH).prefetch(2),
        "cached": tf.data.Dataset.range(1_000).cache().repeat().batch(BATCH).prefetch(2),
    }


def main(out: Path) -> None:
    for name, dataset in pipelines(write_files(out)).items():
        iterator = iter(dataset)
        # A function of its own for each, or it would be traced again inside the capture.
        step = tf.function(lambda batches: tf.reduce_sum(tf.cast(next(batches), tf.float32)))
        for _ in range(3):
            step(iterator)
        tf.profiler.experimental.start(str(out / name))
        for number in range(STEPS):
            with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                step(iterator)
                time.sleep(0.003)
        tf.profiler.experimental.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
