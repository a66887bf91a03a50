"""Writes an event file with scalars and hyperparameters, as a training does beside its profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.hparams.summary_v2 import hparams_pb  # the api imports TensorFlow
from tensorboard.summary.writer.record_writer import RecordWriter

Scalar = tuple[str, int, float]
"""A tag, its step, and when it was written in seconds since the epoch."""


def write_scalars(
    folder: Path,
    begin_s: float,
    scalars: Iterable[Scalar],
    hyperparameters: Mapping[str, str | float | bool] | None = None,
) -> Path:
    """The new event file in ``folder`` of a training that began then."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"events.out.tfevents.{begin_s:.0f}.host"
    with path.open("wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=begin_s, file_version="brain.Event:2").SerializeToString())
        if hyperparameters:
            told = hparams_pb(hyperparameters, "trial", begin_s)
            writer.write(Event(wall_time=begin_s, summary=told).SerializeToString())
        for tag, step, at_s in scalars:
            value = Summary.Value(tag=tag, simple_value=step)
            event = Event(wall_time=at_s, step=step, summary=Summary(value=[value]))
            writer.write(event.SerializeToString())
    return path
