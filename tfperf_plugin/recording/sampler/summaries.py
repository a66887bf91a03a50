"""The machine as scalars of TensorBoard, which Time Series draws beside the training's own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from tfperf_plugin.recording.resources import Resources, Series
from tfperf_plugin.recording.write import host_name

FOLDER: Final = "machine"
"""In the log directory: a run of its own, whose tags begin with this word."""
EVERY_NS: Final = 10_000_000_000
"""From one point of a scalar to the next: 5 MB of scalars a day without a GPU, 27 MB with eight."""


class Summaries:
    """Writes the scalars of one host into a log directory. Raises OSError if that cannot be written."""

    def __init__(self, folder: Path) -> None:
        now_s = time.time()
        place = folder / FOLDER
        place.mkdir(exist_ok=True)
        # TensorBoard's EventFileWriter would load TensorFlow where it is installed.
        self._file = (place / f"events.out.tfevents.{int(now_s)}.{host_name()}").open("xb")
        self._writer = RecordWriter(self._file)
        self._writer.write(Event(wall_time=now_s, file_version="brain.Event:2").SerializeToString())
        self._until_ns = 0

    def add(self, found: Resources, last: bool) -> None:
        """Writes a point for each new ``EVERY_NS``, and one for the rest if these are the ``last`` rows.

        A point's step is the number of seconds since watching began.
        """
        watched_ns, took_ns = int(found.end_ns[-1]), found.took_ns()
        ends_ns = list(range(self._until_ns + EVERY_NS, watched_ns + 1, EVERY_NS))
        if last and watched_ns % EVERY_NS:
            ends_ns.append(watched_ns)
        for end_ns in ends_ns:
            rows = slice(*np.searchsorted(found.end_ns, (self._until_ns, end_ns), "right"))
            if rows.start < rows.stop:
                values = [
                    self._value(one, float(np.average(one.mean[rows], weights=took_ns[rows])))
                    for one in found.series
                ]
                at_s = (found.begin_ns + end_ns) / 1e9
                event = Event(wall_time=at_s, step=end_ns // 10**9, summary=Summary(value=values))
                self._writer.write(event.SerializeToString())
            self._until_ns = end_ns
        self._file.flush()

    def _value(self, one: Series, mean: float) -> Summary.Value:
        """A value of ``one``. The first point says what it is."""
        tag = "/".join(filter(None, (FOLDER, one.name, one.of)))
        value = Summary.Value(tag=tag, simple_value=mean)
        if not self._until_ns:
            label = " · ".join(filter(None, (one.kind.label, one.of)))
            value.metadata.display_name = f"{label}, {one.kind.unit}"
        return value
