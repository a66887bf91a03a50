"""The tf.data input pipelines of a run, rebuilt from iterator events: their stages, costs and bottleneck.

An iterator's name is its path, ``Iterator::Root::Prefetch::Map``: the last part is its kind, the parts
before are downstream. Steps request batches from the root. The bottleneck is the stage that works all the
time (in all of its parallel calls, or while what feeds it rests) while requests wait.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.input.pipeline_tree import (
    DEVICE_GENERATOR,
    Nodes,
    Work,
    critical_path,
    find_nodes,
    find_work,
)
from tfperf_plugin.analysis.artifacts.input.stages import (
    PASSING_ON,
    PYTHON,
    TRANSFER,
    is_cache,
    is_prefetch,
    ops_of,
    stage_of,
    written,
)
from tfperf_plugin.analysis.host_activity import input_wait_rows, self_ns
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import first_places, unique, value_at
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, contains, intersect, merge, subtract, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace

# The text for prefetching to a GPU, which has no line of its own in the program.
DEVICE_WRITTEN = "prefetching to the GPU"
# XProf's limit for a slow call of an iterator.
SLOW_CALL_NS = 50_000
# Below this share of a step a pipeline does not delay steps, as with every finding.
WAIT_RATIO = 0.01
# A stage is the bottleneck only if it works during the first share of the time in which steps wait, and if,
# for the second share of that time, its parallel calls are busy or nothing that feeds it works: otherwise it
# waits for another stage itself. Few of its calls may run as one long call holds up those after it.
NAMED_RATIO = 0.8
BUSY_RATIO = 0.5
# If no other stage works for this share of its time, half of the wait is enough: threads wait for cores, too.
ALONE_RATIO = 0.1
# Windows near the ends of the recording are left out only if the inner windows hold this share of the time.
INNER_RATIO = 0.2


class IteratorFacts(Record, frozen=True):
    """One iterator of one host, as reports state it. Times are sums over the recording; counts are calls."""

    host: str
    pipeline: int  #: Number of the iterator's pipeline on the host.
    depth: int  #: Distance from the root.
    parent: int | None  #: Index of the iterator that it feeds, ``None`` for a root.
    name: str
    kind: str  #: The transformation, such as ``Map`` or ``TFRecord``.
    written: str  #: The transformation as the user's program writes it.
    #: What it does: reading on demand, reading ahead, preprocessing, Python, batching, transfer, passing on.
    stage: str
    calls_count: int
    slow_calls_count: int  #: Calls above ``SLOW_CALL_NS``.
    total_ns: int
    self_ns: int  #: Time of its own work, on any thread.
    #: Own work per request in judged steps, divided by ``at_once``; or, if longer, the time of the request in
    #: which one of several calls holds up the others.
    batch_ns: int
    at_once: int  #: Largest number of parallel calls.
    wait_ratio: float  #: Share of the time in which steps wait during which at least one of its calls works.
    parallelism: int | None  #: Parallel calls that it may make, ``None`` if not recorded.
    autotune: bool | None  #: Whether tf.data tunes ``parallelism``, ``None`` if not recorded.
    buffered_elements: int | None  #: Mean number of elements in its buffer, ``None`` if not recorded.
    buffer_limit: int | None  #: Size of its buffer in elements, ``None`` if not recorded.
    element_bytes: int | None  #: Size of one element, ``None`` if not recorded.


class IteratorRow(IteratorFacts, frozen=True):
    """One iterator of one host."""

    dataset: str  #: Ops that it was made from.
    batch_size: int | None  #: Examples of a batch, ``None`` if not recorded.
    passed: int | None  #: Elements that a filter has kept, ``None`` if not recorded.
    filtered: int | None  #: Elements that a filter has dropped, ``None`` if not recorded.


class PipelineRow(Record, frozen=True):
    """One pipeline from which steps request batches."""

    host: str
    number: int
    #: Indices of its iterators, and of the iterators of the pipeline that feeds it, among ``Pipelines.rows``.
    rows: tuple[int, ...]
    wait_ns: int  #: Waiting for the pipeline in an average judged step.
    wait_ratio: float  #: ``wait_ns`` as a share of the step.
    requests: float  #: Requests per judged step.
    #: From the first to the last work on its batches in the recording, 0 if none was recorded.
    making_ns: int
    batch_bytes: int | None  #: Size of a batch, ``None`` if not recorded.
    in_request_ns: int  #: Work per request on the requesting thread.
    slowest_ns: int  #: Longest request.
    #: Indices of the rows on the longest request's critical path, from the root to the bottleneck.
    path: tuple[int, ...]
    #: Index of the row that is the bottleneck, ``None`` if it is not known or steps do not wait.
    bottleneck: int | None


class Pipelines(Record, frozen=True):
    """The iterators of all hosts and the pipelines that they form."""

    rows: tuple[IteratorRow, ...]  #: Iterators by host and pipeline, in the order of a printed tree.
    pipelines: tuple[PipelineRow, ...]  #: Pipelines from which steps request batches, by falling waiting.

    def merged_with(self, other: Pipelines) -> Pipelines:
        """The rows and pipelines of ``self`` and ``other``, whose rows are renumbered."""
        base = len(self.rows)
        added = other._renumbered({i: base + i for i in range(len(other.rows))})
        return Pipelines(self.rows + added.rows, _worst_first(self.pipelines + added.pipelines))

    def of_hosts(self, hosts: Collection[str]) -> Pipelines:
        """The rows and pipelines of ``hosts`` only; rows are renumbered."""
        kept = (i for i, row in enumerate(self.rows) if row.host in hosts)
        return self._renumbered({i: number for number, i in enumerate(kept)})

    def _renumbered(self, number_of: dict[int | None, int]) -> Pipelines:
        """The rows in ``number_of`` under their new numbers, and the pipelines of these rows."""
        rows = (replace(r, parent=number_of.get(r.parent)) for i, r in enumerate(self.rows) if i in number_of)
        pipelines = (
            replace(
                p,
                rows=tuple(number_of[i] for i in p.rows),
                path=tuple(number_of[i] for i in p.path),
                bottleneck=number_of.get(p.bottleneck),
            )
            for p in self.pipelines
            if number_of.keys() >= set(p.rows)
        )
        return Pipelines(tuple(rows), tuple(pipelines))

    @property
    def needed_ns(self) -> int | None:
        """What the slowest stage needs for the batches of a step; ``None`` if no step asks for one."""
        return max((self.stage_needs_ns(p, index) for p in self.pipelines for index in p.rows), default=None)

    def stage_needs_ns(self, pipeline: PipelineRow, index: int) -> int:
        """A stage's time for the batches of a step, in all the parallel calls that it may make."""
        row = self.rows[index]
        batches = self._made(index) if row.kind == "MapAndBatch" else row.calls_count
        for above in self._downstream(index):
            if "Batch" in self.rows[above].kind:
                batches = self._made(above)
        calls = max(row.at_once, row.parallelism or 1)
        return round(row.self_ns / batches / calls * pipeline.requests)

    def making_needs_ns(self, pipeline: PipelineRow) -> int | None:
        """The time, with waiting, in which a pipeline makes the batches of a step; ``None`` if not known."""
        batching = next((i for i in pipeline.rows if "Batch" in self.rows[i].kind), None)
        if batching is None or not pipeline.making_ns:
            return None
        return round(pipeline.making_ns / self._made(batching) * pipeline.requests)

    def _made(self, index: int) -> float:
        """The batches that a stage made; of an unfinished one, the share of its elements."""
        row = self.rows[index]
        elements = max((r.calls_count for r in self.rows if r.parent == index), default=0)
        return elements / row.batch_size if row.batch_size and elements else row.calls_count

    def _downstream(self, index: int) -> Iterator[int]:
        """Indices of the rows that a row feeds, nearest first."""
        at = self.rows[index].parent
        while at is not None:
            yield at
            at = self.rows[at].parent

    def fills_cache(self, index: int) -> bool:
        """Whether what a stage makes is kept for later epochs, in which it makes nothing."""
        return any(is_cache(self.rows[at].kind) for at in self._downstream(index))

    def prefetch_of(self, pipeline: PipelineRow) -> IteratorRow | None:
        """The prefetch of finished batches: no stage between it and the step works."""
        for index in pipeline.rows:
            above = (self.rows[at].stage for at in self._downstream(index))
            if is_prefetch(self.rows[index].kind) and all(stage == PASSING_ON for stage in above):
                return self.rows[index]
        return None

    @property
    def late(self) -> PipelineRow | None:
        """The pipeline with the longest waiting, if steps wait for any."""
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
        """The iterators of the pipeline that steps wait for; all iterators if steps wait for none."""
        late = self.late
        return tuple(self.rows[i] for i in late.rows) if late else self.rows

    def described(self, row: IteratorRow) -> str:
        """The transformation as written, with the one before it if several are of its kind."""
        same = [r for r in self.asked if ops_of(r.kind, r.dataset)[:1] == ops_of(row.kind, row.dataset)[:1]]
        if len(same) < 2 or row not in self.rows:
            return row.written
        at = self.rows.index(row)
        before = next((r for r in self.rows if r.parent == at), None)
        return f"{row.written} after {before.written}" if before else row.written


def part(view: View) -> Pipelines:
    """The pipelines of one host."""
    if not len(view.trace.iterators.row):
        return Pipelines((), ())
    found = _Host(view.trace, view.steps)
    rows = tuple(found.row(n) for n in range(len(found.nodes)))
    return Pipelines(rows, _worst_first(found.pipeline(group, asks) for group, asks in found.asks.items()))


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
        self.working = [self.work.working(pieces) for pieces in self.pieces]
        self.at_once = [self._at_once(n) for n in range(count)]
        self.groups = self._groups()
        self.asks = self._requests()
        self.batch_ns = np.zeros(count, np.int64)
        self.wait_ratio, self.busy_ratio = np.zeros((2, count))
        begin, end = steps.judged_ranges(host.events)
        for group, rows in self.asks.items():
            asked = host.events.start_ns[rows], host.events.end_ns[rows]
            batches = max(1, self._batches(group, rows))
            in_steps, in_waits = (int((e - b).sum()) / batches for b, e in ((begin, end), asked))
            for n in self.groups[group]:
                waits = self._recorded(n, *asked)
                works, alone = self._works_in(n, waits)
                busy = self._busy(n, self._recorded(n, begin, end))
                self.batch_ns[n] = round(max(in_steps * busy, in_waits * alone))
                self.busy_ratio[n] = min(1.0, max(self._busy(n, waits), alone))
                self.wait_ratio[n] = works

    def _stalled(self) -> Bools:
        """Whether each node's functions take less than half of its time: its thread is stalled otherwise."""
        events, calls = self.host.events, self.host.iterators
        flow = calls.flow
        rows = flow.function[flow.function_waits]
        call = events.enclosing(rows, events.marked(calls.row))
        node, inside = value_at(self.nodes.node, first_places(calls.row, call)), call >= 0
        count = len(self.nodes)
        ran = np.bincount(node[inside], (events.end_ns - events.start_ns)[rows[inside]], count)
        return np.isin(np.arange(count), node) & (ran < BUSY_RATIO * self.self_ns)

    def _recorded(self, n: int, begin_ns: Ints, end_ns: Ints) -> Intervals:
        """The windows in which no piece of a node's work can be missing.

        A piece that the start or the end of the recording cuts is not recorded. So only windows count that
        are further from both ends than the longest piece, unless too few would be left.
        """
        events = self.host.events
        longest = self.work.longest_ns(self.pieces[n])
        inner = (begin_ns >= events.start_ns.min() + longest) & (end_ns <= events.end_ns.max() - longest)
        every, seen = union(begin_ns, end_ns), union(begin_ns[inner], end_ns[inner])
        return seen if seen.total_ns >= INNER_RATIO * every.total_ns else every

    def _busy(self, n: int, windows: Intervals) -> float:
        """The share of the windows in which a node works: 1 if all of its parallel calls always do."""
        return self.work.within(self.pieces[n], windows) / self.at_once[n] / max(1, windows.total_ns)

    def _works_in(self, n: int, windows: Intervals) -> tuple[float, float]:
        """The share of the windows in which a node works, and in which one of its calls holds up the others.

        It does while none of the node's sources works; 0 if it makes one call at a time.
        """
        works = intersect(self.working[n], windows)
        sources = [m for m in range(len(self.nodes)) if n in self.nodes.downstream(m) and self._works(m)]
        alone = subtract(works, merge(*(self.working[m] for m in sources)))
        every = max(1, windows.total_ns)
        return works.total_ns / every, alone.total_ns / every if sources and self.at_once[n] > 1 else 0.0

    def _groups(self) -> dict[int, list[int]]:
        """The nodes of each pipeline that feeds no other, with the nodes of the pipeline that feeds it."""
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
        """For each group the rows of the requests of judged steps that it serves."""
        events, calls = self.host.events, self.host.iterators
        rows = input_wait_rows(events)
        if len(self.judged):
            rows = rows[contains(self.judged, events.start_ns[rows])]
        rows = rows[events.enclosing(rows, events.marked(rows)) < 0]
        request = events.enclosing(calls.row, events.marked(rows))
        pipeline = np.array(self.nodes.pipeline, np.int64)[self.nodes.node]
        found = {g: unique(request[(pipeline == g) & (request >= 0)]) for g in self.groups}
        if len(rows) and len(found) == 1:
            return dict.fromkeys(found, rows)  # also those in which no call of an iterator was recorded
        return {g: r for g, r in found.items() if len(r)}

    def _batches(self, group: int, rows: Ints) -> int:
        """How many of these requests got a batch: those with a call of the pipeline, else all."""
        events, calls = self.host.events, self.host.iterators
        mine = calls.row[np.isin(self.nodes.node, self.groups[group])]
        served = events.enclosing(mine, events.marked(rows))
        return len(unique(served[served >= 0])) or len(rows)

    def _at_once(self, node: int) -> int:
        most = self.work.most_at_once(self.pieces[node])
        limit = _largest(self.host.iterators.parallelism[self.nodes.node == node])
        return max(1, min(most, limit) if limit else most)

    def row(self, n: int) -> IteratorRow:
        events, calls, nodes = self.host.events, self.host.iterators, self.nodes
        mine = nodes.node == n
        duration = (events.end_ns - events.start_ns)[calls.row[mine]]
        kind = nodes.kind(n)
        code = int(calls.dataset[mine].max())
        dataset = calls.datasets[code] if code >= 0 else ""
        parallelism, tuned = _largest(calls.parallelism[mine]), _largest(calls.autotune[mine])
        autotune = None if tuned is None else bool(tuned)
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
            parallelism=parallelism,
            autotune=autotune,
            buffered_elements=_filled(calls.buffered_elements[mine], calls.buffer_limit[mine], duration),
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
        """Bytes of an element, or of the steps' batch if the element has its shape."""
        calls = self.host.iterators
        recorded = _largest(calls.element_bytes[mine])
        if recorded is not None:
            return recorded
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

    def pipeline(self, group: int, rows: Ints) -> PipelineRow:
        events = self.host.events
        length = events.end_ns[rows] - events.start_ns[rows]
        steps = max(1, self.steps_count)
        wait = intersect(events.spans(rows), self.judged).total_ns
        ratio = wait / max(1, self.judged.total_ns)
        batches = self._batches(group, rows)
        slowest = int(rows[np.argmax(length)])
        members = self.groups[group]
        path = critical_path(self.host, self.nodes, self.work, members, self.busy_ratio, slowest)
        works = [n for n in path if self._works(n)]
        worst = max(works, key=lambda n: (self.busy_ratio[n], n), default=None)
        if worst is None or ratio < WAIT_RATIO or not self._explains(worst, works):
            worst = None
        else:
            path = path[: path.index(worst) + 1]
        return PipelineRow(
            host=self.host.host,
            number=group,
            rows=tuple(members),
            wait_ns=wait // steps,
            wait_ratio=ratio,
            requests=batches / steps,
            making_ns=self._making(members),
            batch_bytes=self._batch_bytes(rows),
            in_request_ns=self._in_request(rows) // max(1, batches),
            slowest_ns=int(length.max()),
            path=tuple(path),
            bottleneck=worst,
        )

    def _explains(self, worst: int, works: Sequence[int]) -> bool:
        """Whether ``worst``, of the stages ``works``, explains that steps wait."""
        share = self.wait_ratio[worst]
        alone = all(self.wait_ratio[n] < ALONE_RATIO * share for n in works if n != worst)
        return bool(share >= (BUSY_RATIO if alone else NAMED_RATIO) and self.busy_ratio[worst] >= BUSY_RATIO)

    def _making(self, members: list[int]) -> int:
        """From the first to the last work on batches, and request for an element of one, in the recording."""
        events, calls = self.host.events, self.host.iterators
        batching = next((n for n in members if "Batch" in self.nodes.kind(n)), None)
        if batching is None:
            return 0
        feeds = np.array(self.nodes.parent, np.int64)[self.nodes.node] == batching
        pieces, rows = self.pieces[batching], calls.row[feeds]
        begin = np.concatenate([self.work.begin_ns[pieces], events.start_ns[rows]])
        end = np.concatenate([self.work.end_ns[pieces], events.end_ns[rows]])
        return int(end.max() - begin.min()) if len(begin) else 0

    def _works(self, n: int) -> bool:
        """Whether other stages can wait for a node.

        Prefetching to a device can be waited for only if its source is known, a stage with functions only if
        it runs them.
        """
        stage = self._stage(n)
        if stage == TRANSFER:
            return self.work.feeds[self.nodes.pipeline[n]] >= 0
        return stage != PASSING_ON and not self.stalled[n]

    def _in_request(self, rows: Ints) -> int:
        """The time in which stages work on the requesting thread inside the requests ``rows``."""
        events, calls = self.host.events, self.host.iterators
        inside = events.enclosing(calls.row, events.marked(rows)) >= 0
        works = np.array([self._works(n) for n in range(len(self.nodes))]) & ~self.work.waits
        return int(self_ns(events, calls.row)[inside & works[self.nodes.node]].sum())


def _largest(values: Ints) -> int | None:
    known = values[values >= 0]
    return int(known.max()) if len(known) else None


def _filled(values: Ints, limits: Ints, duration: Ints) -> int | None:
    """The mean fill of a buffer.

    TensorFlow does not record that of an empty buffer, and some versions record none at all. A call that gets
    its element at once did not find the buffer empty.
    """
    known = np.where((values < 0) & (limits >= 0) & (duration > SLOW_CALL_NS), 0, values)
    known = known[known >= 0]
    return round(float(known.mean())) if len(known) else None
