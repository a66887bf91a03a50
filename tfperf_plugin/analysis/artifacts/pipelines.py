"""The tf.data input pipelines of a run, rebuilt from iterator events: their stages, costs and bottleneck.

An iterator's name is its path, ``Iterator::Root::Prefetch::Map``: the last part is its kind, the parts
before are downstream. Steps ask the root for batches; while a request waits, the stage that works all the
time (at all the calls that it makes at once) is the one that everything else waits for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.critical_path import critical_path
from tfperf_plugin.analysis.artifacts.pipeline_tree import (
    DEVICE_GENERATOR,
    Nodes,
    Work,
    find_nodes,
    find_work,
)
from tfperf_plugin.analysis.artifacts.stages import PASSING_ON, PYTHON, TRANSFER, ops_of, stage_of, written
from tfperf_plugin.analysis.host_activity import input_wait_rows
from tfperf_plugin.analysis.steps import HostSteps, enclosing
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, contains, covered_within, union
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace

# How prefetching to a GPU is shown: no line of the program is its own.
DEVICE_WRITTEN = "prefetching to the GPU"
# XProf's limit for a slow call of an iterator.
SLOW_CALL_NS = 50_000
# Below this share of a step a pipeline does not hold up steps, as with every finding.
WAIT_RATIO = 0.01
# A stage is called the bottleneck only if it works during so much of the time in which steps wait, and if
# its calls at the same time are busy for at least half of that: else it waits for another stage itself.
NAMED_RATIO = 0.8
BUSY_RATIO = 0.5
# So much of the time must be left when what the ends of the recording cut is not looked at.
INNER_RATIO = 0.2


class IteratorRow(Record, frozen=True):
    """One iterator of one host. Times are summed over the recording; counts are calls.

    ``pipeline``: number of its pipeline on the host; ``parent``: index of the row that it feeds, ``None``
    for a root. ``kind``: the transformation (``Map``, ``TFRecord`` …), ``written`` as in the user's program,
    ``dataset``: the ops that it was made from; ``stage``: what it does. ``self_ns``: what it works itself,
    on whatever thread; ``batch_ns``: that per request in judged steps, divided by ``at_once``, the most
    calls at the same time. ``wait_ratio``: how much of the time in which steps wait at least one call of it
    works; ``busy_ratio``: how much of that time all ``at_once`` calls together could work it does.
    ``parallelism``, ``buffered_elements`` (mean), ``buffer_limit``, ``batch_size``, ``element_bytes``,
    ``passed``, ``filtered`` are ``None`` where not recorded.
    """

    host: str
    pipeline: int
    parent: int | None
    name: str
    kind: str
    written: str
    dataset: str
    stage: str
    depth: int
    calls_count: int
    slow_calls_count: int
    total_ns: int
    self_ns: int
    batch_ns: int
    at_once: int
    wait_ratio: float
    busy_ratio: float
    parallelism: int | None
    autotune: bool | None
    buffered_elements: int | None
    buffer_limit: int | None
    batch_size: int | None
    element_bytes: int | None
    passed: int | None
    filtered: int | None


class PipelineRow(Record, frozen=True):
    """One pipeline that steps ask for batches; its rows include those of the pipeline that feeds it.

    ``wait_ns``: waiting for it in an average judged step; ``wait_ratio``: that as a share of the step;
    ``requests``: requests per judged step; ``batch_bytes``: size of a batch; ``in_request_ns``: work per
    request on the very thread that asks; ``slowest_ns``: its longest request, ``path``: indices of rows on
    that request's critical path, from the root to the bottleneck; ``bottleneck``: index of a row; ``None``
    where the profile does not tell or steps do not wait.
    """

    host: str
    number: int
    rows: tuple[int, ...]
    wait_ns: int
    wait_ratio: float
    requests: float
    batch_bytes: int | None
    in_request_ns: int
    slowest_ns: int
    path: tuple[int, ...]
    bottleneck: int | None


class Pipelines(Record, frozen=True):
    """``rows``: iterators by host and pipeline, in the order of a printed tree; ``pipelines``: those that
    steps ask, the one that they wait longest for first."""

    rows: tuple[IteratorRow, ...]
    pipelines: tuple[PipelineRow, ...]

    def merged_with(self, other: Pipelines) -> Pipelines:
        """Both; indices of the other's rows count on."""
        base = len(self.rows)
        rows = (replace(r, parent=None if r.parent is None else r.parent + base) for r in other.rows)
        moved = (
            replace(
                p,
                rows=tuple(i + base for i in p.rows),
                path=tuple(i + base for i in p.path),
                bottleneck=None if p.bottleneck is None else p.bottleneck + base,
            )
            for p in other.pipelines
        )
        return Pipelines((*self.rows, *rows), _worst_first((*self.pipelines, *moved)))

    def of_hosts(self, hosts: Collection[str]) -> Pipelines:
        """Those of these hosts only, rows counted anew."""
        at = {i: n for n, i in enumerate(i for i, row in enumerate(self.rows) if row.host in hosts)}
        rows = (
            replace(self.rows[i], parent=None if (above := self.rows[i].parent) is None else at[above])
            for i in at
        )
        kept = (
            replace(
                p,
                rows=tuple(at[i] for i in p.rows),
                path=tuple(at[i] for i in p.path),
                bottleneck=None if p.bottleneck is None else at[p.bottleneck],
            )
            for p in self.pipelines
            if p.host in hosts
        )
        return Pipelines(tuple(rows), tuple(kept))

    @property
    def late(self) -> PipelineRow | None:
        """The pipeline that steps wait longest for, if they wait for any."""
        first = self.pipelines[0] if self.pipelines else None
        return first if first and first.wait_ratio >= WAIT_RATIO else None

    @property
    def bottleneck(self) -> IteratorRow | None:
        """The stage that the late pipeline waits for."""
        late = self.late
        return None if late is None or late.bottleneck is None else self.rows[late.bottleneck]

    @property
    def path(self) -> tuple[int, ...]:
        """Indices of the rows on the critical path of the late pipeline's slowest request."""
        return self.late.path if self.late else ()

    @property
    def asked(self) -> tuple[IteratorRow, ...]:
        """The iterators of the pipeline that steps wait for; of all, if they wait for none."""
        late = self.late
        return tuple(self.rows[i] for i in late.rows) if late else self.rows

    def described(self, row: IteratorRow) -> str:
        """The transformation as written; where its pipeline has several alike, with what it follows."""
        alike = [r for r in self.asked if ops_of(r.kind, r.dataset)[:1] == ops_of(row.kind, row.dataset)[:1]]
        if len(alike) < 2 or row not in self.rows:
            return row.written
        at = self.rows.index(row)
        before = next((r for r in self.rows if r.parent == at), None)
        return f"{row.written} after {before.written}" if before else row.written


def part(view: View) -> Pipelines:
    """The pipelines of one host."""
    if not len(view.trace.iterators.row):
        return Pipelines((), ())
    found = _Host(view.trace, view.steps)
    return Pipelines(tuple(found.rows()), _worst_first(found.pipelines()))


def _worst_first(pipelines: Iterable[PipelineRow]) -> tuple[PipelineRow, ...]:
    return tuple(sorted(pipelines, key=lambda p: (-p.wait_ratio, p.host, p.number)))


class _Host:
    """The pipelines of one host."""

    def __init__(self, host: HostTrace, steps: HostSteps) -> None:
        self.host = host
        self.nodes: Nodes = find_nodes(host)
        self.work: Work = find_work(host, self.nodes)
        count = len(self.nodes)
        judged = np.flatnonzero(steps.judged)
        self.steps_count = len(judged)
        self.judged = union(steps.begin_ns[judged], steps.end_ns[judged])
        self.self_ns = self.work.total(count)
        self.stalled = self._stalled()
        self.pieces = [self.work.of(n) for n in range(count)]
        self.at_once = [self._at_once(n) for n in range(count)]
        self.groups = self._groups()
        self.asks = self._requests()
        self.batch_ns = np.zeros(count, np.int64)
        self.wait_ratio, self.busy_ratio = np.zeros((2, count))
        begin, end = steps.begin_ns[judged], steps.end_ns[judged]
        if not len(judged):
            begin, end = host.events.start_ns.min(keepdims=True), host.events.end_ns.max(keepdims=True)
        for group, rows in self.asks.items():
            asked = host.events.start_ns[rows], host.events.end_ns[rows]
            per_batch = int((end - begin).sum()) / max(1, len(rows))
            for n in self.groups[group]:
                self.batch_ns[n] = round(per_batch * self._busy(n, self._recorded(n, begin, end)))
                waits = self._recorded(n, *asked)
                self.busy_ratio[n] = min(1.0, self._busy(n, waits))
                works = self.work.any_within(self.pieces[n], waits)
                self.wait_ratio[n] = min(1.0, works / max(1, waits.total_ns))

    def _stalled(self) -> Bools:
        """Per node whether its own time is mostly not that of its functions, although those are recorded: its
        thread does not get on, and what for is not recorded."""
        events, calls = self.host.events, self.host.iterators
        flow = calls.flow
        is_call = np.zeros(len(events.start_ns), np.bool_)
        is_call[calls.row] = True
        rows = flow.function[flow.function_waits]
        call = enclosing(events, rows, is_call)
        rows, call = rows[call >= 0], call[call >= 0]
        node_at = np.full(len(events.start_ns), -1, np.int64)
        node_at[calls.row] = self.nodes.node
        ran, count = np.zeros((2, len(self.nodes)), np.int64)
        np.add.at(ran, node_at[call], events.end_ns[rows] - events.start_ns[rows])
        np.add.at(count, node_at[call], 1)
        return np.asarray((count > 0) & (ran < BUSY_RATIO * self.self_ns))

    def _recorded(self, n: int, begin_ns: Ints, end_ns: Ints) -> Intervals:
        """Those of the windows in which no piece of a node's work can be missing.

        A piece that the recording begins or ends in is not recorded. So only windows that are further than
        the longest piece from both ends count, unless few would be left.
        """
        events = self.host.events
        longest = self.work.longest_ns(self.pieces[n])
        inner = (begin_ns >= events.start_ns.min() + longest) & (end_ns <= events.end_ns.max() - longest)
        every, seen = union(begin_ns, end_ns), union(begin_ns[inner], end_ns[inner])
        return seen if seen.total_ns >= INNER_RATIO * every.total_ns else every

    def _busy(self, n: int, windows: Intervals) -> float:
        """The share of the windows in which a node works; 1 if all its calls at the same time do always."""
        return self.work.within(self.pieces[n], windows) / self.at_once[n] / max(1, windows.total_ns)

    def _groups(self) -> dict[int, list[int]]:
        """The pipelines that end in a request, each with its nodes and those of the one that feeds it."""
        feeding = {f for f in self.work.feeds if f >= 0}
        members: dict[int, list[int]] = {}
        for n, number in enumerate(self.nodes.pipeline):
            members.setdefault(number, []).append(n)
        return {
            number: sorted(n for part in {number, feed} for n in members.get(part, ()))
            for number, feed in enumerate(self.work.feeds)
            if number not in feeding
        }

    def _requests(self) -> dict[int, Ints]:
        """For each of the groups the rows of the requests of judged steps that it answers."""
        events, calls = self.host.events, self.host.iterators
        rows = input_wait_rows(events)
        if len(self.judged):
            rows = rows[contains(self.judged, events.start_ns[rows])]
        wanted = np.zeros(len(events.start_ns), np.bool_)
        wanted[rows] = True
        rows = rows[enclosing(events, rows, wanted) < 0]
        asked = np.zeros(len(events.start_ns), np.bool_)
        asked[rows] = True
        request = enclosing(events, calls.row, asked)
        pipeline = np.array(self.nodes.pipeline, np.int64)[self.nodes.node]
        found = {g: unique(request[(pipeline == g) & (request >= 0)]) for g in self.groups}
        if len(rows) and not any(len(r) for r in found.values()) and len(found) == 1:
            return dict.fromkeys(found, rows)
        return {g: r for g, r in found.items() if len(r)}

    def _at_once(self, node: int) -> int:
        most = self.work.most_at_once(self.pieces[node])
        limit = _largest(self.host.iterators.parallelism[self.nodes.node == node])
        return max(1, min(most, limit) if limit else most)

    def rows(self) -> list[IteratorRow]:
        return [self._row(n) for n in range(len(self.nodes))]

    def _row(self, n: int) -> IteratorRow:
        events, calls, nodes = self.host.events, self.host.iterators, self.nodes
        mine = nodes.node == n
        duration = (events.end_ns - events.start_ns)[calls.row[mine]]
        kind = nodes.kind(n)
        code = int(calls.dataset[mine].max())
        dataset = calls.datasets[code] if code >= 0 else ""
        parallelism, autotune = _largest(calls.parallelism[mine]), _flag(calls.autotune[mine])
        buffer_limit, batch_size = _largest(calls.buffer_limit[mine]), _largest(calls.batch_size[mine])
        stage = self._stage(n)
        parent = nodes.parent[n]
        return IteratorRow(
            host=self.host.host,
            pipeline=nodes.pipeline[n],
            parent=parent if parent >= 0 else None,
            name=nodes.path[n],
            kind=kind,
            written=DEVICE_WRITTEN if stage == TRANSFER else written(
                kind, dataset, parallelism, autotune, batch_size, buffer_limit, stage == PYTHON
            ),
            dataset=dataset,
            stage=stage,
            depth=nodes.depth[n],
            calls_count=int(mine.sum()),
            slow_calls_count=int((duration > SLOW_CALL_NS).sum()),
            total_ns=int(duration.sum()),
            self_ns=int(self.self_ns[n]),
            batch_ns=int(self.batch_ns[n]),
            at_once=self.at_once[n],
            wait_ratio=float(self.wait_ratio[n]),
            busy_ratio=float(self.busy_ratio[n]),
            parallelism=parallelism,
            autotune=autotune,
            buffered_elements=_mean(calls.buffered_elements[mine], calls.buffer_limit[mine]),
            buffer_limit=buffer_limit,
            batch_size=batch_size,
            element_bytes=self._bytes(n, mine),
            passed=_largest(calls.passed[mine]),
            filtered=_largest(calls.filtered[mine]),
        )  # fmt: skip

    def _stage(self, n: int) -> str:
        if self.nodes.path[n] == DEVICE_GENERATOR:
            return TRANSFER
        if self.work.is_python[n]:
            return PYTHON
        return stage_of(self.nodes.kind(n), tuple(self.nodes.kind(d) for d in self.nodes.downstream(n)))

    def _bytes(self, n: int, mine: Bools) -> int | None:
        """Bytes of an element, or of the batch that steps got if this is that batch."""
        calls = self.host.iterators
        told = _largest(calls.element_bytes[mine])
        if told is not None:
            return told
        shape = calls.shape[mine][0]
        for group, rows in self.asks.items():
            roots = [m for m in self.groups[group] if self.nodes.parent[m] < 0]
            same = [m for m in roots if shape >= 0 and calls.shape[self.nodes.node == m][0] == shape]
            if same and n in self.groups[group]:
                return self._batch_bytes(rows)
        return None

    def _batch_bytes(self, rows: Ints) -> int | None:
        flow = self.host.iterators.flow
        return _largest(flow.request_bytes[np.isin(flow.request, rows)])

    def pipelines(self) -> list[PipelineRow]:
        return [self._pipeline(g, rows) for g, rows in self.asks.items()]

    def _pipeline(self, group: int, rows: Ints) -> PipelineRow:
        events = self.host.events
        begin, end = events.start_ns[rows], events.end_ns[rows]
        waits = union(begin, end)
        steps = max(1, self.steps_count)
        wait = (
            int(covered_within(waits, self.judged.begin_ns, self.judged.end_ns).sum())
            if len(self.judged)
            else 0
        )
        ratio = wait / max(1, self.judged.total_ns)
        slowest = int(rows[np.argmax(end - begin)])
        members = self.groups[group]
        path = critical_path(self.host, self.nodes, self.work, members, self.busy_ratio, slowest)
        works = [n for n in path if self._works(n)]
        worst = max(works, key=lambda n: (self.busy_ratio[n], n), default=None)
        if worst is None or ratio < WAIT_RATIO or not self._explains(worst):
            worst = None
        else:
            path = path[: path.index(worst) + 1]
        return PipelineRow(
            host=self.host.host,
            number=group,
            rows=tuple(self.groups[group]),
            wait_ns=wait // steps,
            wait_ratio=ratio,
            requests=len(rows) / steps,
            batch_bytes=self._batch_bytes(rows),
            in_request_ns=self._in_request(rows) // max(1, len(rows)),
            slowest_ns=int(events.end_ns[slowest] - events.start_ns[slowest]),
            path=tuple(path),
            bottleneck=worst,
        )

    def _explains(self, n: int) -> bool:
        return bool(self.wait_ratio[n] >= NAMED_RATIO and self.busy_ratio[n] >= BUSY_RATIO)

    def _works(self, n: int) -> bool:
        """Whether a stage can be what the others wait for; what prefetching to a device waits for must be
        known, and a stage with functions must run them."""
        stage = self._stage(n)
        if stage == TRANSFER:
            return self.work.feeds[self.nodes.pipeline[n]] >= 0
        return stage != PASSING_ON and not self.stalled[n]

    def _in_request(self, rows: Ints) -> int:
        """The time in which stages work on the thread that asks, inside these requests."""
        events, calls = self.host.events, self.host.iterators
        asked = np.zeros(len(events.start_ns), np.bool_)
        asked[rows] = True
        inside = enclosing(events, calls.row, asked) >= 0
        is_call = np.zeros(len(events.start_ns), np.bool_)
        is_call[calls.row] = True
        length = events.end_ns - events.start_ns
        own = np.zeros(len(length), np.int64)
        own[calls.row] = length[calls.row]
        above = enclosing(events, calls.row, is_call)
        np.subtract.at(own, above[above >= 0], length[calls.row][above >= 0])
        works = np.array([self._works(n) for n in range(len(self.nodes))]) & ~self.work.waits
        return int(own[calls.row[inside & works[self.nodes.node]]].sum())


def _largest(values: Ints) -> int | None:
    known = values[values >= 0]
    return int(known.max()) if len(known) else None


def _mean(values: Ints, limits: Ints) -> int | None:
    """The mean; TensorFlow does not record an empty buffer, only its limit."""
    known = np.where((values < 0) & (limits >= 0), 0, values)
    known = known[known >= 0]
    return round(float(known.mean())) if len(known) else None


def _flag(values: Ints) -> bool | None:
    known = values[values >= 0]
    return bool(known.max()) if len(known) else None
