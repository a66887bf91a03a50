"""Writes a record into the log directory, atomically."""

from __future__ import annotations

import logging
import os
import socket
from datetime import datetime

from tfperf_plugin.readers.logdirs.training import RECORD_SUFFIX, RECORD_TIME
from tfperf_plugin.recording.record import TrainingRecord, from_json, to_json

_log = logging.getLogger(__name__)


def warn(log_dir: str | os.PathLike[str], error: Exception) -> None:
    """Logs that nothing was recorded, and why."""
    _log.warning(
        "The Diagnostics tab will not know this training: nothing was recorded in %s (%s: %s).",
        log_dir,
        type(error).__name__,
        error,
    )


def write(log_dir: str | os.PathLike[str], start: datetime, record: TrainingRecord) -> str:
    """Writes the record of the training that began at ``start``; replaces one with the same start.

    The file appears only when complete. Returns its path. Raises the errors of the file system.
    """
    from etils import epath  # takes long to import

    folder = epath.Path(log_dir).expanduser() / "plugins" / "diagnostics"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{host_name()}.{start.strftime(RECORD_TIME)}{RECORD_SUFFIX}"
    # Leaves out what the reader would refuse, such as a custom policy with an unusual name.
    data = to_json(from_json(to_json(record))[0])
    temporary = folder / f".{name}.{os.getpid()}"
    try:
        temporary.write_bytes(data)
        temporary.replace(folder / name)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return str(folder / name)


def host_name() -> str:
    """This machine's name, as TensorFlow's profiler writes it in ``HOST.xplane.pb``."""
    return socket.gethostname().replace(":", "_").replace("/", "_")
