"""Attention that an XLA program computes in several instructions, with all scores in memory.

It is found by what flows where, not by names: a batched product makes scores […, Sq, Sk], which go through
elementwise instructions with an exponential and with the maximum and the sum of each row (a softmax) into a
batched product that is summed over Sk. Gradients belong to it where their scores meet those: the backward
pass makes and uses arrays of the same size, from these probabilities or from those that it computes again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tfperf_plugin.readers.xspace.operations import ELEMENTWISE, MOVES, TRANSCENDENTAL
from tfperf_plugin.readers.xspace.program import CALLED, MAX_BYTES, MAX_DEPTH, Program, Unknown
from tfperf_plugin.readers.xspace.wire import WireError
from tfperf_plugin.trace.model import OpWork, Product

_STEPS_A_USER: Final = 4
"""How many microseconds each user of an array takes, about."""
_MAX_PASSED: Final = 64
_MAX_STEPS: Final = 256
"""Behind one product. A softmax and its gradient are a dozen instructions; an array with more users holds no
scores."""
_PASSED: Final = (
    ELEMENTWISE | TRANSCENDENTAL | MOVES | frozenset((b"bitcast", b"fusion", b"get-tuple-element", b"reduce"))
)
"""What may lie between the products of an attention."""
_EXPONENTIAL: Final = frozenset((b"exponential", b"exponential-minus-one"))


class _Softmax(NamedTuple):
    """Sizes, in elements, of exponentials and of the results of reductions to the largest and to the sum."""

    exponentials: frozenset[int] = frozenset()
    largest: frozenset[int] = frozenset()
    sums: frozenset[int] = frozenset()


class _Graph(NamedTuple):
    """The instructions of a computation by number."""

    program: Program
    #: Of each instruction its users that are products or that results may pass through.
    users: Mapping[int, Sequence[int]]
    products: Mapping[int, Product]  #: The instructions that are one product.
    softmaxes: _Softmaxes


class _Flow(NamedTuple):
    """Where the scores of a product go: what lies between it and the ``ends`` that multiply them."""

    scores: int
    between: set[int]
    ends: set[int]


def attentions_of(program: Program, computation: int, works: Mapping[int, OpWork]) -> dict[int, int]:
    """Instruction that is part of an attention in several instructions → the first product of that one."""
    products = {
        row: work.products[0]
        for row, work in works.items()
        if len(work.products) == 1 and work.kind == "product"
    }
    if sum(product.batch > 1 for product in products.values()) < 2:
        return {}
    users: dict[int, list[int]] = {}
    for row in program.rows_of(computation):
        if row in products or program.opcodes[row] in _PASSED:
            for operand in program.operand_rows(row):
                users.setdefault(operand, []).append(row)
    return _attentions(_Graph(program, users, products, _Softmaxes(program)))


def _attentions(graph: _Graph) -> dict[int, int]:
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


def _flow(graph: _Graph, start: int, product: Product) -> _Flow | None:
    scores = min(product.batch * product.m * product.n, MAX_BYTES)
    passed = {scores, scores // product.m, scores // product.n}
    sources: dict[int, list[int]] = {}
    waiting, steps = [start], 0
    seen, ends = {start}, set()
    while waiting:
        node = waiting.pop()
        for user in graph.users.get(node, ()):
            steps += 1
            if steps > _MAX_STEPS or len(seen) > _MAX_PASSED or not graph.program.budget.draw(_STEPS_A_USER):
                return None
            if user in graph.products:
                if _multiplies(graph.products[user], product, scores):
                    ends.add(user)
                    sources.setdefault(user, []).append(node)
            elif user in seen or passed.intersection(graph.program.sizes(user)):
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


def _is_softmax(graph: _Graph, start: int, flow: _Flow) -> bool:
    """Whether the scores pass a softmax over the dimension that a product is then summed over."""
    nodes = (start, *flow.between, *flow.ends)
    if not graph.program.budget.draw(_STEPS_A_USER * len(nodes)):
        return False
    parts = [graph.softmaxes.of(node) for node in nodes]
    rows = {flow.scores // graph.products[end].k for end in flow.ends}
    return any(flow.scores in part.exponentials for part in parts) and any(
        any(row in part.largest for part in parts) and any(row in part.sums for part in parts) for row in rows
    )


class _Softmaxes:
    """What instructions compute of a softmax; each computation is read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._inside: dict[int, _Softmax] = {}

    def of(self, row: int, depth: int = 0) -> _Softmax:
        """What an instruction computes of a softmax, within itself if it is a fusion."""
        opcode = self._program.opcodes[row]
        try:
            if opcode in _EXPONENTIAL:
                return _Softmax(frozenset((self._program.result(row).elements,)))
            called = self._program.ints(row, CALLED)[:1]
            if opcode == b"reduce" and called:
                result = frozenset(self._program.sizes(row))
                root = self._program.root_opcode(called[0])
                return _Softmax(
                    largest=result if root == b"maximum" else frozenset(),
                    sums=result if root == b"add" else frozenset(),
                )
            if opcode == b"fusion" and called and depth < MAX_DEPTH:
                return self._of_computation(called[0], depth)
        except (Unknown, WireError):
            pass
        return _Softmax()

    def _of_computation(self, computation: int, depth: int) -> _Softmax:
        if computation not in self._inside:
            self._inside[computation] = _Softmax()  # also if it calls itself
            total: list[set[int]] = [set(), set(), set()]
            for row in self._program.rows_of(computation) if computation in self._program.by_id else ():
                for known, more in zip(total, self.of(row, depth + 1), strict=True):
                    if self._program.budget.draw(len(more)):
                        known |= more
            self._inside[computation] = _Softmax(*map(frozenset, total))
        return self._inside[computation]
