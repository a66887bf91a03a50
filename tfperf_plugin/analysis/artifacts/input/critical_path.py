"""The critical path of one request for a batch, from the root of its pipeline upstream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.artifacts.input.pipeline_tree import DEVICE_GENERATOR, Nodes, Work
from tfperf_plugin.arrays.intervals import Floats
from tfperf_plugin.trace.model import HostTrace


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
