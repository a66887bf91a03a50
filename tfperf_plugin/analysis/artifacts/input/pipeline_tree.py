"""The iterator calls of a host as a forest of nodes: which iterator feeds which, when each one works, and
which of them a request for a batch waits for, one after the other (``critical_path``).

All iterators that one line of the program creates (one for each file of an interleave, one for each run of a
repeat) are one node. The ids of their roots distinguish the pipelines of a host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tfperf_plugin.arrays.columns import (
    Groups,
    first_places,
    largest_of,
    map_codes,
    unique,
    unique_inverse,
    value_at,
)
from tfperf_plugin.arrays.intervals import (
    Bools,
    Floats,
    Intervals,
    Ints,
    covered_within,
    intersect,
    searchsorted,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace

# The third run of a repeated dataset, or the third open file, is the same line of the program; but each
# input of a Zip is a line of its own.
_RUN = re.compile(r"(?<!Zip)(?<!Concatenate)(?<!DirectedInterleave)\[\d+\]")
_INDEX = re.compile(r"\[\d+\]$")
# Stages with a thread of their own that starts functions.
_APART = re.compile(r"Parallel|MapAndBatch")
# Pipelines nest some dozens deep; the limit ends the search if ids form a ring.
_DEEPEST = 128
# A stage counts as Python if its functions spend this share of their time in Python.
PYTHON_RATIO = 0.5
DEVICE_ROOT = "Iterator::Prefetch"
DEVICE_GENERATOR = "Iterator::Prefetch::Generator"


class Nodes(Record, frozen=True):
    """The iterators of a host's pipelines, in the order of a printed tree."""

    node: Ints  #: int64[calls]: the node of each call.
    path: tuple[str, ...]  #: Name of each node.
    pipeline: tuple[int, ...]  #: Number of each node's pipeline.
    parent: tuple[int, ...]  #: Node that each node feeds, −1 for a root.
    depth: tuple[int, ...]  #: Depth of each node in its tree.

    def __len__(self) -> int:
        return len(self.path)

    def kind(self, node: int) -> str:
        """The transformation of a node: the last part of its name."""
        return self.path[node].rpartition("::")[2].partition("[")[0]

    def downstream(self, node: int) -> tuple[int, ...]:
        """The nodes that a node feeds, nearest first."""
        found: list[int] = []
        while (node := self.parent[node]) >= 0:
            found.append(node)
        return tuple(found)


class Work(Record, frozen=True):
    """The time in which each node works, as pieces to add or to subtract.

    A piece to subtract lies inside a piece of the same node; in it another node works.
    """

    node: Ints  #: Node of each piece.
    begin_ns: Ints
    end_ns: Ints
    sign: Ints  #: 1 for a piece to add, −1 for a piece to subtract.
    is_python: Bools  #: Per node: whether its functions run Python.
    waits: Bools  #: Per node: whether its own calls only wait for another thread.
    owner: Ints  #: Node of each of ``PipelineFlow.produced``, −1 if not known.
    #: For each pipeline that prefetches to a device: number of its source pipeline; −1 for other pipelines.
    feeds: tuple[int, ...]

    def of(self, node: int) -> Ints:
        """Indices of the pieces of one node."""
        return np.flatnonzero(self.node == node)

    def within(self, pieces: Ints, windows: Intervals) -> int:
        """The time that the pieces work inside the windows."""
        covered = covered_within(windows, self.begin_ns[pieces], self.end_ns[pieces])
        return max(0, int((self.sign[pieces] * covered).sum()))

    def working(self, pieces: Ints) -> Intervals:
        """The time in which at least one of the pieces, of one node, works."""
        times = np.concatenate([self.begin_ns[pieces], self.end_ns[pieces]])
        change = np.concatenate([self.sign[pieces], -self.sign[pieces]])
        order = np.argsort(times, kind="stable")
        at, working = times[order], change[order].cumsum()[:-1] > 0
        return union(at[:-1][working], at[1:][working])

    def total(self, count: int) -> Ints:
        """The time that each node works in the whole recording."""
        time = np.zeros(count, np.int64)
        np.add.at(time, self.node, self.sign * (self.end_ns - self.begin_ns))
        return np.maximum(time, 0)

    def most_at_once(self, pieces: Ints) -> int:
        """The largest number of the pieces at the same time, at least 1."""
        mine = pieces[self.sign[pieces] > 0]
        times = np.concatenate([self.end_ns[mine], self.begin_ns[mine]])
        steps = np.repeat(np.array([-1, 1]), len(mine))
        return max(1, int(steps[np.argsort(times, kind="stable")].cumsum().max(initial=0)))

    def longest_ns(self, pieces: Ints) -> int:
        """The length of the longest of the pieces."""
        mine = pieces[self.sign[pieces] > 0]
        return int((self.end_ns[mine] - self.begin_ns[mine]).max(initial=0))


def find_nodes(host: HostTrace) -> Nodes:
    """The iterators of a host."""
    events, calls = host.events, host.iterators
    paths = sorted({_RUN.sub("", events.names[code]) for code in unique(events.name[calls.row]).tolist()})
    places = {text: i for i, text in enumerate(paths)}
    path = map_codes(events.name[calls.row], events.names, lambda name: places[_RUN.sub("", name)], 0)
    nodes = Groups(_pipelines(host, paths, path), path)
    found = [(number, paths[code]) for number, code in nodes.keys.tolist()]
    parent = _parents(host, nodes, found)
    order, depth = _tree_order(parent)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return Nodes(
        place[nodes.of_row],
        tuple(found[i][1] for i in order),
        tuple(found[i][0] for i in order),
        tuple(int(place[parent[i]]) if parent[i] >= 0 else -1 for i in order),
        tuple(depth[i] for i in order),
    )


def _pipelines(host: HostTrace, paths: list[str], path: Ints) -> Ints:
    """For each call the number of its pipeline, by the root to which its ids lead."""
    calls = host.iterators
    own = first_places(calls.iterator_id, calls.iterator_id)
    caller = _callers(host)[own]
    up = np.where(caller >= 0, own[caller], own)
    top = own
    for _ in range(_DEEPEST):
        if (up[top] == top).all():
            break
        top = up[top]
    # A call without ids, or without a recorded root, belongs to the only pipeline of its root's name.
    root_text = np.array(["::".join(p.split("::")[:2]) for p in paths])
    roots, root = np.unique(root_text, return_inverse=True)
    is_root = np.array([p.count("::") < 2 for p in paths])
    anchored = (calls.iterator_id != 0) & is_root[path[top]]
    key = np.where(anchored, unique_inverse(calls.iterator_id)[1][top], -1)
    for number in range(len(roots)):
        mine = root[path] == number
        own = unique(key[mine & anchored])
        alone = int(own[0]) if len(own) == 1 else -1 - number
        key[mine & ~anchored] = alone
    return Groups(key).of_row


def _callers(host: HostTrace) -> Ints:
    """For each call the first call of the iterator that it feeds, −1 if its id is not recorded."""
    calls = host.iterators
    return np.where(calls.parent_id != 0, first_places(calls.iterator_id, calls.parent_id), -1)


def _parents(host: HostTrace, nodes: Groups, found: list[tuple[int, str]]) -> list[int]:
    """For each node the node that it feeds: by ids, else by names."""
    by_id = value_at(nodes.of_row, _callers(host)[nodes.first])
    places = {key: i for i, key in enumerate(found)}
    parents = []
    for i, (pipeline, path) in enumerate(found):
        parent = int(by_id[i])
        while parent in (-1, i) and "::" in path:
            path = path.rpartition("::")[0]
            parent = places.get((pipeline, path), places.get((pipeline, _INDEX.sub("", path)), -1))
        parents.append(-1 if parent == i else parent)
    return parents


def _tree_order(parent: list[int]) -> tuple[list[int], list[int]]:
    """Nodes in the order of a printed tree, and their depths; a ring is cut at one node, a root then."""
    children: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        children.setdefault(p, []).append(i)
    order: list[int] = []
    depth = [0] * len(parent)
    seen = [False] * len(parent)
    for start in (*children.get(-1, ()), *range(len(parent))):
        if seen[start]:
            continue
        parent[start] = -1  # which it already is, except in a ring
        todo = [start]
        while todo:
            i = todo.pop()
            if seen[i]:
                continue
            seen[i] = True
            order.append(i)
            depth[i] = depth[parent[i]] + 1 if parent[i] >= 0 else 0
            todo += [c for c in reversed(children.get(i, [])) if not seen[c]]
    return order, depth


def find_work(host: HostTrace, nodes: Nodes) -> Work:
    """Assigns the time of tf.data's threads to the iterators that work in it.

    A call works while no call of an upstream iterator runs inside it. An asynchronous stage's own calls only
    wait: the stage works while functions that it started are running, or else in its producer's events.
    """
    events, calls, flow = host.events, host.iterators, host.iterators.flow
    node_at = np.full(len(events.start_ns), -1, np.int64)
    node_at[calls.row] = nodes.node
    owner = _owners(host, nodes, node_at)
    node_at[flow.produced] = owner
    is_call, is_mark = np.zeros((2, len(events.start_ns)), np.bool_)
    is_call[calls.row] = is_mark[calls.row] = is_mark[flow.produced] = True
    starter = events.enclosing(flow.function, is_mark)
    alone = (starter < 0) & ~flow.function_waits
    works_for = np.where(alone, _takers(host, nodes, is_mark), value_at(node_at, starter))
    functions, begin, end = _under_way(host, works_for)
    is_mark[flow.run] = True  # an executor's work inside a producer's event belongs to the function
    waits, by_function = np.zeros((2, len(nodes)), np.bool_)
    waits[owner[owner >= 0]] = by_function[functions] = True
    waits[works_for[alone & (works_for >= 0)]] = True
    waits |= np.array([p.endswith("::Prefetch") for p in nodes.path], np.bool_)

    marks = np.flatnonzero(is_mark)
    known = np.maximum(node_at, 0)
    counts = (node_at >= 0) & np.where(is_call, ~waits[known], ~by_function[known])
    above = events.enclosing(marks, is_mark)
    inner = value_at(counts, above, False)
    plus, minus, inside = marks[counts[marks]], marks[inner], above[inner]
    feeds, apart = _feeds(host, nodes, above[is_call[marks]])
    off = [np.full(len(piece), i, np.int64) for i, piece in apart]
    node = np.concatenate([functions, node_at[plus], node_at[inside], *off])
    return Work(
        node=node,
        begin_ns=np.concatenate(
            [begin, events.start_ns[plus], events.start_ns[minus], *(x.begin_ns for _, x in apart)]
        ),
        end_ns=np.concatenate(
            [end, events.end_ns[plus], events.end_ns[minus], *(x.end_ns for _, x in apart)]
        ),
        sign=np.where(np.arange(len(node)) < len(functions) + len(plus), 1, -1),
        is_python=_is_python(host, works_for, len(nodes)),
        waits=waits,
        owner=owner,
        feeds=feeds,
    )


def _takers(host: HostTrace, nodes: Nodes, is_mark: Bools) -> Ints:
    """For each function the asynchronous stage that takes what the last call before it on its thread returns,
    else −1.

    So a stage's thread works; its own event is not recorded if it lasts longer than the recording.
    """
    events, calls = host.events, host.iterators
    outer = np.flatnonzero(events.enclosing(calls.row, is_mark) < 0)
    outer = outer[np.argsort(calls.row[outer])]
    row, function = np.append(-1, calls.row[outer]), calls.flow.function
    before = searchsorted(row[1:], function, "right")
    apart = [p if p >= 0 and _APART.search(nodes.kind(p)) else -1 for p in nodes.parent]
    taker = np.append(-1, np.array(apart, np.int64)[nodes.node[outer]])[before]
    return np.where(events.thread[row[before]] == events.thread[function], taker, -1)


def _owners(host: HostTrace, nodes: Nodes, node_at: Ints) -> Ints:
    """For each producer's event the node that its inputs feed, else that takes its element, else −1."""
    events, calls, flow = host.events, host.iterators, host.iterators.flow
    is_call = node_at >= 0
    above = events.enclosing(calls.row, is_call | events.marked(flow.produced))
    owner = np.full(len(flow.produced), -1, np.int64)
    place = first_places(flow.produced, above)
    feeds = np.array(nodes.parent, np.int64)[nodes.node]
    owner[place[(place >= 0) & (feeds >= 0)]] = feeds[(place >= 0) & (feeds >= 0)]
    # Ids of elements are unique within each kind of stage.
    elements = Groups(
        np.append(flow.consumed_element, flow.produced_element),
        np.append(flow.consumed_kind, flow.produced_kind),
    ).of_row
    taken, made = np.split(elements, [len(flow.consumed)])
    consumer = value_at(events.enclosing(flow.consumed, is_call), first_places(taken, made))
    return np.where((owner < 0) & (flow.produced_element != -1), value_at(node_at, consumer), owner)


def _under_way(host: HostTrace, works_for: Ints) -> tuple[Ints, Ints, Ints]:
    """For asynchronous functions the node of each, and the moments when it was started and when it had ended.

    From start to end it occupies one of its stage's parallel calls, whether or not a core is free.
    """
    events, flow = host.events, host.iterators.flow
    apart = np.flatnonzero(~flow.function_waits & (works_for >= 0) & (flow.function_id != 0))
    apart = apart[Groups(flow.function_id[apart]).first]
    begin, run = events.start_ns[flow.function[apart]], first_places(flow.function_id[apart], flow.run_id)
    end = np.maximum(begin, largest_of(run[run >= 0], flow.run_until_ns[run >= 0], len(apart)))
    ended = end > begin
    return works_for[apart][ended], begin[ended], end[ended]


def _is_python(host: HostTrace, works_for: Ints, count: int) -> Bools:
    """For each node whether its functions spend most of their time in ops that call Python."""
    events, flow = host.events, host.iterators.flow
    node = value_at(works_for, first_places(flow.function_id, flow.run_id))
    whose = value_at(node, first_places(flow.run, events.enclosing(flow.python, events.marked(flow.run))))
    every, python = np.zeros((2, count), np.int64)
    np.add.at(every, node[node >= 0], (flow.run_until_ns - events.start_ns[flow.run])[node >= 0])
    np.add.at(python, whose[whose >= 0], (events.end_ns - events.start_ns)[flow.python[whose >= 0]])
    return np.asarray((every > 0) & (python >= PYTHON_RATIO * every))


def _feeds(host: HostTrace, nodes: Nodes, above: Ints) -> tuple[tuple[int, ...], list[tuple[int, Intervals]]]:
    """The source pipelines of pipelines that prefetch to a device.

    Returns for each pipeline the number of the pipeline that feeds it (−1 if none), and for the prefetching
    nodes the time to subtract: calls of the other pipeline on another thread while they wait for it.
    ``above``: for each call the call or producer that encloses it.
    """
    events, calls = host.events, host.iterators
    feeds = [-1] * (1 + max(nodes.pipeline, default=-1))
    apart: list[tuple[int, Intervals]] = []
    pipeline = np.array(nodes.pipeline, np.int64)
    is_root = np.array(nodes.depth, np.int64)[nodes.node] == 0
    caller = value_at(nodes.node, first_places(calls.row, above))
    hosts = {p for n, p in enumerate(nodes.pipeline) if nodes.depth[n] == 0 and nodes.path[n] != DEVICE_ROOT}
    for i, path in enumerate(nodes.path):
        if path != DEVICE_GENERATOR:
            continue
        others = unique(pipeline[nodes.node[is_root & (caller == i)]])
        others = others[others != nodes.pipeline[i]]
        if len(others):
            feeds[nodes.pipeline[i]] = int(others[0])
        elif len(hosts) == 1:
            (feeds[nodes.pipeline[i]],) = hosts
            mine = calls.row[nodes.node == i]
            theirs = calls.row[is_root & (pipeline[nodes.node] == feeds[nodes.pipeline[i]])]
            apart.append((i, intersect(events.spans(mine), events.spans(theirs))))
    return tuple(feeds), apart


def critical_path(
    host: HostTrace, nodes: Nodes, work: Work, members: Sequence[int], weight: Floats, request: int
) -> list[int]:
    """The nodes on the path of one request.

    From each call the path follows the longest call inside it, or the one that produced the element that it
    takes from a buffer; if neither is recorded, the upstream node with the largest weight.

    Args:
        members: the nodes that the request may wait for.
        weight: float64[nodes], share of the time in which steps wait that each node works.
        request: row of the request.
    """
    events, calls, flow = host.events, host.iterators, host.iterators.flow
    is_mark = events.marked(np.concatenate([calls.row, flow.produced, [request]]))
    above = events.enclosing(calls.row, is_mark)
    taken_by = events.enclosing(flow.consumed, is_mark)
    is_member = np.isin(np.arange(len(nodes)), members)
    length = (events.end_ns - events.start_ns)[calls.row]
    at, path = np.array([request]), list[int]()
    while True:
        inside = np.flatnonzero(np.isin(above, at) & is_member[nodes.node] & ~np.isin(nodes.node, path))
        if not len(inside):
            return _upstream(nodes, members, weight, path)
        node = int(np.argmax(np.bincount(nodes.node[inside], length[inside], len(nodes))))
        path.append(node)
        mine = inside[nodes.node[inside] == node]
        row = int(calls.row[mine[np.argmax(length[mine])]])
        element = flow.consumed_element[taken_by == row]
        made = np.isin(flow.produced_element, element[element != -1]) & (work.owner == node)
        at = np.append(flow.produced[made], row)


def _upstream(nodes: Nodes, members: Sequence[int], weight: Floats, path: list[int]) -> list[int]:
    """The path, or the heaviest root if it is empty, continued along the tree to a source."""
    heaviest = {n: float(weight[n]) for n in members}
    for n in sorted(members, key=lambda n: -nodes.depth[n]):
        if nodes.parent[n] in heaviest:
            heaviest[nodes.parent[n]] = max(heaviest[nodes.parent[n]], heaviest[n])
    roots = [n for n in members if nodes.parent[n] < 0]
    feeders = [] if path else roots[:1]
    while True:
        if path:
            feeders = [n for n in members if nodes.parent[n] == path[-1]]
            if nodes.path[path[-1]] == DEVICE_GENERATOR:
                feeders += [n for n in roots if nodes.pipeline[n] != nodes.pipeline[path[-1]]]
        feeders = [n for n in feeders if n not in path]
        if not feeders:
            return path
        path.append(max(feeders, key=lambda n: (heaviest[n], -n)))
