"""What a rule is: a declaration and a pure function from artifacts to a verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

from msgspec import field

from tfperf_plugin.analysis.evidence import Confidence, Evidence, Place, Unit
from tfperf_plugin.analysis.evidence import Missing as Missing
from tfperf_plugin.analysis.evidence import NotApplicable as NotApplicable
from tfperf_plugin.judging.verdicts import Fix, Group, Guide, Severity
from tfperf_plugin.records import Record


class Threshold(Record, frozen=True, eq=False):
    """A named limit with its unit and where it comes from.

    ``default`` is what counts unless another value is tried out; rules read ``value``. ``fixed``: another
    value cannot be tried out, because the limit is applied before rules judge, or by other parts as well.
    """

    name: str
    default: float
    unit: Unit
    source: str
    fixed: bool = False

    @property
    def id(self) -> str:
        """The name as it is written in addresses and on the command line; unique within a rule."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def value(self) -> float:
        """What counts here: the default, or inside ``trying`` what is tried out."""
        return _TRIED.get().get(self, self.default)


_TRIED: ContextVar[Mapping[Threshold, float]] = ContextVar("tried thresholds", default=MappingProxyType({}))


@contextmanager
def trying(values: Mapping[Threshold, float]) -> Iterator[None]:
    """Inside, and in this thread only, these thresholds have these values."""
    token = _TRIED.set(values)
    try:
        yield
    finally:
        _TRIED.reset(token)


class Found(Record, frozen=True):
    """The rule found something.

    ``summary``: one or two plain sentences with the numbers. ``claims``: ledger account → ns of the
    average step that would go if this were fixed; the engine never lets two findings claim the same
    time. ``basis`` says how the claim was derived. Findings that cost no step time give ``severity``
    and, for ranking, ``impact_ratio`` instead. ``independent``: none of the rule's causes explains it.
    ``once_ns`` (see ``Saving``) and ``recurring_ratio``, the share of claims that recurs, are the engine's.
    ``covers``: account → ns that this is the reason for, where it claims only a part of that: symptoms that
    claim the time are folded or yield.
    """

    summary: str
    evidence: tuple[Evidence, ...]
    where: tuple[Place, ...] = ()
    claims: Mapping[str, int] = field(default_factory=dict)
    basis: str = ""
    bound: bool = True
    confidence: Confidence = "high"
    severity: Severity | None = None
    impact_ratio: float = 0.0
    title: str | None = None
    fix: Fix | None = None
    independent: bool = False
    once_ns: int = 0
    recurring_ratio: float = 1.0
    covers: Mapping[str, int] = field(default_factory=dict)

    def reason_for(self, account: str) -> int:
        """How much of an account this finding is the reason for."""
        return max(self.claims.get(account, 0), self.covers.get(account, 0))


class Passed(Record, frozen=True):
    """Nothing to say; ``reason`` holds the rule's number."""

    reason: str


Verdict = Found | Passed | NotApplicable | Missing


class Rule(Record, frozen=True):
    """A rule's declaration. ``judge``'s parameter types declare what it needs (see engine/inputs.py).

    ``title`` states what is wrong; ``topic`` names the question, for where nothing was found.
    ``explained_by``: ids of rules whose finding folds this one's; with ``needs_cover`` only where they claim
    most of all that this one claims, not only of what both do. ``yields_to``: those of them whose claims come
    before this one's where they do not cover it. ``trust``: judges the capture, not the
    training; shown first, never with a saving. ``why``: what the problem is and what it does to a step.
    ``measured``: how the number is made, from which events; ``limits``: what the rule cannot see or may
    get wrong, one sentence each. ``jax``: what to change in a program of JAX, where ``fix``
    speaks of TensorFlow. ``doubts``: accounts of the ledger that a note on the capture casts doubt on.
    ``keeps_launches``: the fix makes kernels shorter and launches no fewer, so the host limits the saving.
    """

    id: str
    topic: str
    title: str
    group: Group
    why: str
    guide: Guide
    judge: Callable[..., Verdict]
    fix: Fix
    thresholds: tuple[Threshold, ...] = ()
    explained_by: tuple[str, ...] = ()
    trust: bool = False
    measured: str = ""
    limits: tuple[str, ...] = ()
    needs_cover: bool = False
    yields_to: tuple[str, ...] = ()
    jax: Fix | None = None
    doubts: tuple[str, ...] = ()
    keeps_launches: bool = False
