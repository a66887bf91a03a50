"""Attention that an XLA program computes in several instructions, with all scores in memory.

It is found by what flows where, not by names: a batched product makes scores […, Sq, Sk], which go through
elementwise instructions with an exponential and with the maximum and the sum of each row (a softmax) into a
batched product that is summed over Sk. Gradients belong to it where their scores meet those: the backward
pass makes and uses arrays of the same size, from these probabilities or from those that it computes again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from tfperf_plugin.readers.budget import Budget
from tfperf_plugin.readers.xspace.hlo import MAX_BYTES
from tfperf_plugin.trace.model import Product

_STEPS_A_USER: Final = 4
"""Microseconds, about, that each user of an array takes."""
_MAX_PASSED: Final = 64
_MAX_STEPS: Final = 256
"""Behind one product. A softmax and its gradient are a dozen instructions; an array with more users holds no
scores."""


class Softmax(NamedTuple):
    """Sizes, in elements, of exponentials and of the results of reductions to the largest and to the sum."""

    exponentials: frozenset[int] = frozenset()
    largest: frozenset[int] = frozenset()
    sums: frozenset[int] = frozenset()


class Graph(NamedTuple):
    """The instructions of a computation by number.

    ``users``: of each, those of its users that are products or that results may pass through; ``products``:
    those that are one; ``sizes``: elements of each array of a result; ``softmax``: what is computed of one;
    ``budget``: what the search may take.
    """

    users: Mapping[int, Sequence[int]]
    products: Mapping[int, Product]
    sizes: Callable[[int], Sequence[int]]
    softmax: Callable[[int], Softmax]
    budget: Budget


class _Flow(NamedTuple):
    """Where the scores of a product go: what lies between it and the ``ends`` that multiply them."""

    scores: int
    between: set[int]
    ends: set[int]


def attentions(graph: Graph) -> dict[int, int]:
    """Instruction that is part of an attention → the first product of that attention."""
    flows = {
        row: flow
        for row, product in sorted(graph.products.items())
        if product.batch > 1 and min(product.m, product.n) > 1 and (flow := _flow(graph, row, product))
    }
    # Flows that meet belong together: the gradient's scores meet the probabilities.
    parent: dict[int, int] = {}

    def first_of(node: int) -> int:
        while parent.setdefault(node, node) != node:
            parent[node] = node = parent[parent[node]]
        return node

    for row, flow in flows.items():
        for node in flow.between:
            parent[first_of(node)] = first_of(row)
    groups: dict[int, list[int]] = {}
    for row in flows:
        groups.setdefault(first_of(row), []).append(row)
    found: dict[int, int] = {}
    for rows in groups.values():
        if any(_is_softmax(graph, row, flows[row]) for row in rows):
            first = min(rows)
            for row in rows:
                for node in (row, *flows[row].between, *flows[row].ends):
                    found.setdefault(node, first)
    return found


def _flow(graph: Graph, start: int, product: Product) -> _Flow | None:
    scores = min(product.batch * product.m * product.n, MAX_BYTES)
    passed = {scores, scores // product.m, scores // product.n}
    sources: dict[int, list[int]] = {}
    waiting, steps = [start], 0
    seen, ends = {start}, set()
    while waiting:
        node = waiting.pop()
        for user in graph.users.get(node, ()):
            steps += 1
            if steps > _MAX_STEPS or len(seen) > _MAX_PASSED or not graph.budget.draw(_STEPS_A_USER):
                return None
            if user in graph.products:
                if _multiplies(graph.products[user], product, scores):
                    ends.add(user)
                    sources.setdefault(user, []).append(node)
            elif user in seen or passed.intersection(graph.sizes(user)):
                sources.setdefault(user, []).append(node)
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
    between: set[int] = set()
    waiting = list(ends)
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source != start and source not in between:
                between.add(source)
                waiting.append(source)
    return _Flow(scores, between, ends) if between else None


def _multiplies(user: Product, product: Product, scores: int) -> bool:
    """Whether a product multiplies the scores that another made, summed over their rows or columns."""
    return (
        user.batch == product.batch
        and user.k in (product.m, product.n)
        and scores in (user.batch * user.m * user.k, user.batch * user.n * user.k)
    )


def _is_softmax(graph: Graph, start: int, flow: _Flow) -> bool:
    """Whether the scores pass a softmax over the dimension that a product is then summed over."""
    nodes = (start, *flow.between, *flow.ends)
    if not graph.budget.draw(_STEPS_A_USER * len(nodes)):
        return False
    parts = [graph.softmax(node) for node in nodes]
    rows = {flow.scores // graph.products[end].k for end in flow.ends}
    return any(flow.scores in part.exponentials for part in parts) and any(
        any(row in part.largest for part in parts) and any(row in part.sums for part in parts) for row in rows
    )
