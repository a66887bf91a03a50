"""Summarizes one host of a run: everything that the report needs, without the host's events.

Each file is read in two passes, because hosts wait for each other. The survey finds a host's steps and
collectives. The collectives of all hosts together show when the last participant of each call arrived. With
that, the analysis computes the host's ledger and its part of each artifact. Both passes are plain functions
of small arguments, so any process that can open the file may run them.
"""

from __future__ import annotations

import functools
import threading
import time
import typing
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct, defstruct

from tfperf_plugin.analysis.accounting import host_ledger
from tfperf_plugin.analysis.artifacts import timeline_rows
from tfperf_plugin.analysis.artifacts.by_host import RunFacts, View
from tfperf_plugin.analysis.artifacts.communication.calls import COMMUNICATION
from tfperf_plugin.analysis.artifacts.compute.phases import is_training
from tfperf_plugin.analysis.artifacts.timeline_rows import Lane
from tfperf_plugin.analysis.collectives import Collectives, compute_beside, find_collectives
from tfperf_plugin.analysis.communication import HostClock
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.analysis.ledger import HostLedger, without_pieces
from tfperf_plugin.analysis.steps import HostSteps, holding_others
from tfperf_plugin.arrays.intervals import Intervals, Ints
from tfperf_plugin.arrays.threads import each
from tfperf_plugin.errors import FileChanged, UnreadableInput
from tfperf_plugin.judging.engine.inputs import part_makers
from tfperf_plugin.readers.anomalies import Anomalies, Anomaly
from tfperf_plugin.readers.base import Reader, Source
from tfperf_plugin.readers.content import Content
from tfperf_plugin.readers.formats import reader_of
from tfperf_plugin.readers.logdirs.files import State, is_fresh, read
from tfperf_plugin.readers.logdirs.runs import HostFile
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace

KEPT_BYTES: Final = 256 << 20
"""Decoded hosts of up to this total size stay in memory from the survey to the analysis."""

Enter = Callable[[str], None]


class HostSurvey(Record, frozen=True):
    """What the first pass finds on one host."""

    #: What recorded it.
    source: Source
    steps: HostSteps
    calls: Collectives
    #: The result of ``compute_beside``.
    compute: tuple[Intervals, ...]
    profile_start_ns: int | None
    training: bool
    #: Events of GPUs and threads.
    events_count: int
    device_events_count: int
    #: Size and times of the file, by which the analysis recognizes a changed file.
    file_state: State
    #: What the profiler says of itself.
    messages: tuple[str, ...]


class HostTask(Record, frozen=True):
    """What a host's analysis needs from the other hosts."""

    #: Matched with the calls of other hosts.
    calls: Collectives
    #: Until when its GPUs wait in each call.
    until_ns: Ints
    clock: HostClock
    run: RunFacts
    #: Whether to keep the rows of its timeline, which are large.
    with_lanes: bool
    file_state: State


PARTS: Final = part_makers()
if TYPE_CHECKING:
    Parts = Any
else:
    Parts = defstruct(
        "Parts",
        [(kind.__name__, typing.get_type_hints(part)["return"] | None) for kind, part in PARTS.items()],
        frozen=True,
        forbid_unknown_fields=True,
    )
"""One host's part of each artifact in ``PARTS``, by the artifact's name."""


class Summary(Record, frozen=True):
    """One host, or several merged in their order."""

    hosts: tuple[str, ...]
    steps: tuple[HostSteps, ...]
    ledgers: tuple[HostLedger, ...]
    parts: Parts
    #: Empty unless the ``HostTask`` requested them.
    lanes: dict[str, tuple[Lane, ...]]
    anomalies: tuple[Anomaly, ...]
    #: Time by stage.
    spent_ns: dict[str, int]


class Decoded(Record, frozen=True):
    """One host with all its events."""

    source: Source
    trace: HostTrace
    steps: HostSteps
    anomalies: tuple[Anomaly, ...]
    spent_ns: Mapping[str, int]
    file_state: State


# Decoded hosts that this process keeps between survey and analysis, each with its bytes; of all threads.
_kept: OrderedDict[tuple[str, State], tuple[Decoded, int]] = OrderedDict()
_kept_bytes = 0
_keeping = threading.Lock()


def survey_host(file: HostFile, kept_bytes: int = KEPT_BYTES, enter: Enter = lambda _: None) -> HostSurvey:
    """Finds a host's steps and collectives. Keeps the decoded host in memory if it fits into ``kept_bytes``.

    Raises UnreadableInput.
    """
    decoded = decode(file, enter)
    host, steps = decoded.trace, decoded.steps
    calls = find_collectives(host, steps)
    _keep(str(file.path), decoded, kept_bytes)
    device_events = sum(len(d.start_ns) for d in host.devices)
    return HostSurvey(
        decoded.source,
        steps.without_events(),
        calls,
        compute_beside(host, calls),
        host.profile_start_ns,
        is_training(host),
        device_events + len(host.events.start_ns),
        device_events,
        decoded.file_state,
        (*host.errors, *host.warnings),
    )


def analyze_host(file: HostFile, joined: HostTask, enter: Enter = lambda _: None) -> Summary:
    """Summarizes a host. Raises FileChanged if its file has changed since the survey."""
    with _keeping:
        kept = _take((str(file.path), joined.file_state))
    decoded = kept or decode(file, enter)
    if decoded.file_state != joined.file_state:
        raise FileChanged(
            f"Host {file.host}: the file has changed while it was read. "
            "Try again when the profile is complete."
        )
    return summarize(decoded, joined, enter)


def decode(file: HostFile, enter: Enter = lambda _: None) -> Decoded:
    """Reads the file of one host and finds its steps. Raises UnreadableInput."""
    spent: dict[str, int] = {}
    stage = functools.partial(_timed, spent, enter=enter)

    def use(content: Content) -> tuple[Reader, Any, Anomalies]:
        anomalies, reader = Anomalies(), reader_of(content)
        return reader, reader.decode(content, anomalies), anomalies

    try:
        with stage("read"):
            (reader, decoded, anomalies), state = read(file, use)
    except UnreadableInput as error:
        fresh = is_fresh(file)
        hint = " It was written just now; if it is not complete yet, ask again later." if fresh else ""
        raise UnreadableInput(f"Host {file.host}: {error}{hint}") from error
    with stage("trace"):
        trace = reader.trace(file.host, decoded, anomalies)
        del decoded
    with stage("steps"):
        steps = host_steps(trace)
    lost = int(holding_others(steps.number, steps.length_ns).sum())
    anomalies.add("mark-lost", "Marks of steps are missing: a step holds the next one, too.", lost, "error")
    sentence = f"Only the first {len(steps):,} steps are judged; the recording has more."
    anomalies.add("steps-left-out", sentence, steps.later_count)
    return Decoded(reader.source, trace, steps, anomalies.rows(), spent, state)


def summarize(decoded: Decoded, joined: HostTask, enter: Enter = lambda _: None) -> Summary:
    """The ledger and the parts of all artifacts of one host."""
    spent = dict(decoded.spent_ns)
    host, steps = decoded.trace, decoded.steps
    with _timed(spent, "ledger", enter):
        ledger = host_ledger(host, steps, joined.calls, joined.until_ns, joined.clock)
    with _timed(spent, "rules", enter):
        view = View(host, steps, ledger, joined.run)
        parts = Parts(*each(lambda part: part(view), PARTS.values(), host.work_bytes))
        rows = {host.host: timeline_rows.part(view)} if joined.with_lanes else {}
    return Summary(
        hosts=(host.host,),
        steps=(steps.without_events(),),
        ledgers=(without_pieces(ledger, COMMUNICATION),) if ledger else (),
        parts=parts,
        lanes=rows,
        anomalies=decoded.anomalies,
        spent_ns=spent,
    )


@contextmanager
def _timed(spent: dict[str, int], stage: str, enter: Enter) -> Iterator[None]:
    enter(stage)
    since = time.perf_counter_ns()
    yield
    spent[stage] = spent.get(stage, 0) + time.perf_counter_ns() - since


def _keep(path: str, decoded: Decoded, most_bytes: int) -> None:
    size = _size(decoded)
    if size > most_bytes:
        return
    key = path, decoded.file_state
    global _kept_bytes
    with _keeping:
        _take(key)
        _kept[key] = decoded, size
        _kept_bytes += size
        while _kept_bytes > most_bytes:
            _take(next(iter(_kept)))


def _take(key: tuple[str, State]) -> Decoded | None:
    """Removes a kept host and returns it, if it is kept. Only while ``_keeping`` is held."""
    global _kept_bytes
    decoded, size = _kept.pop(key, (None, 0))
    _kept_bytes -= size
    return decoded


def forget() -> None:
    """Drops all kept hosts; called when a run is finished or has failed."""
    global _kept_bytes
    with _keeping:
        _kept.clear()
        _kept_bytes = 0


def _size(value: Any) -> int:
    """Bytes of the arrays and names in a record."""
    if isinstance(value, np.ndarray):
        return 0 if value.strides == (0,) else value.nbytes
    if isinstance(value, Struct):
        return sum(_size(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple):
        # The length of names is estimated from the first ones.
        if value and isinstance(value[0], str):
            return len(value) * (64 + max(len(text) for text in value[:100]))
        return sum(map(_size, value))
    return 16
