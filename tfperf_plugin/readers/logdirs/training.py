"""What training runs store next to their profiles, and which profile each file belongs to."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime, timezone
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.readers.logdirs.files import time_of, written_s
from tfperf_plugin.readers.logdirs.runs import RecordFile, Run, stamp_of

if TYPE_CHECKING:
    from etils import epath

RECORD_SUFFIX = ".training.json"
RESOURCES_SUFFIX = ".resources.json"
RECORD_TIME = "%Y%m%dT%H%M%S.%f%z"
"""The start time of the training in the name of its record: local time with its UTC offset. The name of a
profile's directory holds local time too, but without the offset."""
MAX_RECORD_AGE_S = 24 * 3600
"""If a profile does not name its host, a record belongs to it only if it is at most this much older."""
# The host in a profile that was captured over the network: its name or address, and the port.
_WITH_PORT = re.compile(r"(.+)[:_]\d+")
# A file of torch.profiler.tensorboard_trace_handler: host, process, time.
_OF_PYTORCH = re.compile(r"(.+)_\d+\.\d{10,20}\.pt\.trace\.json(\.gz)?")
# The name of a file: host and RECORD_TIME.
_NAME = r"(.+)\.(\d{8}T\d{6}\.\d{6}[+-]\d{4})"
_RECORD = re.compile(_NAME + re.escape(RECORD_SUFFIX))
_RESOURCES = re.compile(_NAME + re.escape(RESOURCES_SUFFIX))
_ADDRESS = re.compile(r"localhost|\d+(\.\d+){3}")
Records = dict[str, list[RecordFile]]
"""Host → its files of one kind, oldest first."""


class Kept(NamedTuple):
    """What trainings stored in one folder."""

    records: Records
    resources: Records


def kept_in(folder: epath.Path, parts: tuple[str, ...], files: tuple[str, ...]) -> Kept:
    """Returns what is stored in a folder, which lies at ``parts`` below the log directory."""
    return Kept(*(_named(pattern, folder, parts, files) for pattern in (_RECORD, _RESOURCES)))


def _named(
    pattern: re.Pattern[str], folder: epath.Path, parts: tuple[str, ...], files: tuple[str, ...]
) -> Records:
    records: Records = {}
    for file in files:
        match = pattern.fullmatch(file)
        if match and (start := _start_of(match[2])):
            record = RecordFile(match[1], folder / file, "/".join((*parts, file)), start)
            records.setdefault(match[1], []).append(record)
    for of_host in records.values():
        of_host.sort(key=lambda record: record.start)
    return records


def _start_of(text: str) -> datetime | None:
    try:
        start = datetime.strptime(text, RECORD_TIME)
        start.astimezone(timezone.utc)
    except (ValueError, OverflowError):  # not a valid time, or not in UTC
        return None
    return start


def with_kept(run: Run, places: list[Kept]) -> Run:
    """Returns ``run`` with its records and resources."""
    records = _latest(run, [place.records for place in places])
    return replace(run, records=records, resources=_latest(run, [place.resources for place in places]))


def _latest(run: Run, places: list[Records]) -> tuple[RecordFile, ...]:
    """Returns, for each host of ``run``, its latest file from before the capture.

    The timestamp of the capture and the start of the training come from the same clock and are compared in
    local time. Without a timestamp, the modification time of the files decides.
    """
    stamp = stamp_of(run)
    written = 0.0 if stamp else written_s(run)
    named = names_of(run)
    last: dict[str, RecordFile] = {}
    # A single host that is identified only by its address may have any name.
    has_address = len(run.hosts) == 1 and bool(_ADDRESS.fullmatch(_without_port(run.hosts[0].host)))
    for place in places:
        for host in place if len(place) == 1 and has_address else named & place.keys():
            files = place[host]
            if stamp:  # in whole seconds: a training that began in that second may have begun earlier
                limit = stamp.replace(microsecond=999_999)
                before = bisect_right(files, limit, key=lambda file: file.start.replace(tzinfo=None))
            else:
                before = bisect_right(files, written, key=lambda file: file.start.timestamp())
            if not before:
                continue
            record = files[before - 1]
            if host in named or time_of(run) - record.start.timestamp() <= MAX_RECORD_AGE_S:
                last[host] = max((last.get(host, files[0]), record), key=lambda file: file.start)
    return tuple(last[host] for host in sorted(last))


def names_of(run: Run) -> set[str]:
    """What the hosts of ``run`` may be called.

    Profiles captured over the network add a port to the name. Files of PyTorch's profiler name the host even
    where the run names its ranks.
    """
    found = {name for profile in run.hosts for name in (profile.host, _without_port(profile.host))}
    return found | {m[1] for profile in run.hosts if (m := _OF_PYTORCH.fullmatch(profile.path.name))}


def _without_port(host: str) -> str:
    match = _WITH_PORT.fullmatch(host)
    return match[1] if match else host
