"""What a rule is: a declaration and a pure function from artifacts to a verdict."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from msgspec import field

from tfperf_plugin.analysis.evidence import Confidence, Evidence, Place, Unit
from tfperf_plugin.analysis.evidence import Missing as Missing
from tfperf_plugin.analysis.evidence import NotApplicable as NotApplicable
from tfperf_plugin.judging.engine.page import Page, parse, title
from tfperf_plugin.judging.verdicts import Fix, Group, Guide, Severity
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Aspect

Side = Literal["≥", "≤", ">", "<", ""]
RARE: Final = "rare"
"""What ``Found.claims`` calls time of rare long steps: no account of the usual step holds it."""


class Threshold(Record, frozen=True, eq=False):
    """A named limit with its unit and where it comes from.

    Rules read ``value``, which is ``default`` unless a user tries out another value. ``fixed``: no other
    value can be tried out, because the limit applies before rules judge, or in other parts as well. ``side``:
    on which side of it a value speaks for the finding, "" for what is no limit but enters a calculation.
    """

    name: str
    default: float
    unit: Unit
    source: str
    fixed: bool = False
    side: Side = "≥"

    @property
    def id(self) -> str:
        """The name in addresses and on the command line; unique within a rule."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def value(self) -> float:
        """The default or, inside ``trying``, the value tried out."""
        return _TRIED.get().get(self, self.default)


_TRIED: ContextVar[Mapping[Threshold, float]] = ContextVar("tried thresholds", default=MappingProxyType({}))


@contextmanager
def trying(values: Mapping[Threshold, float]) -> Iterator[None]:
    """Gives thresholds other values inside the context, in this thread only."""
    token = _TRIED.set(values)
    try:
        yield
    finally:
        _TRIED.reset(token)


class Found(Record, frozen=True):
    """The rule found something.

    ``summary``: one or two plain sentences with the numbers. ``cause``: one sentence that names what causes
    it; without one, the first sentence of ``summary``. ``advice``: the case of the page that applies, with
    ``values`` for its placeholders; ``title`` and ``action``: in place of the page's. ``claims``: ledger
    account → ns of the average step that a fix would remove, or ``RARE`` → what rare long steps cost, spread
    over all steps; the engine never gives the same time to two findings. ``basis``: how the claim was
    derived. The engine drops a finding that claims too little (``severity.py``). Findings that cost no step
    time give ``impact_ratio`` instead, for their severity and rank, or ``severity`` as well. ``independent``:
    none of the rule's causes explains it. ``covers``: account → ns that this finding causes, if it claims
    only a part of that; symptoms that claim this time are folded or yield. The engine or the rule sets
    ``once_ns`` (see ``Saving``), the engine ``recurring_ratio``, the share of the claims that recurs, ``fix``
    and ``guide``. ``kernels``,
    ``late_kernel``, ``frees_input``: see ``Saving``. ``launching_ns``: time that the host needs for kernels
    that the fix adds.
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
    title: str = ""
    action: str = ""
    advice: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    independent: bool = False
    once_ns: int = 0
    recurring_ratio: float = 1.0
    covers: Mapping[str, int] = field(default_factory=dict)
    cause: str = ""
    kernels: tuple[str, ...] = ()
    late_kernel: str = ""
    frees_input: bool = False
    launching_ns: int = 0
    fix: Fix | None = None
    guide: Guide | None = None

    def reason_for(self, account: str) -> int:
        """The time of an account that this finding causes, in ns."""
        return max(self.claims.get(account, 0), self.covers.get(account, 0))


class Passed(Record, frozen=True):
    """No finding; ``reason`` holds the rule's number."""

    reason: str


Verdict = Found | Passed | NotApplicable | Missing


class Rule(Record, frozen=True):
    """A rule: the text of its page, and its measurement.

    The types of ``judge``'s parameters say what it needs (``inputs.py``).

    ``explained_by``: ids of rules whose finding folds this one's; with ``needs_cover`` only where they claim
    most of all that this one claims, not only of what both do. ``yields_to``: those of them whose claims
    come before this one's where they do not cover it. ``doubts``: accounts of the ledger that a note on the
    capture casts doubt on. ``keeps_launches``: the fix makes kernels shorter and launches no fewer, so the
    host limits the saving. ``needs``: what must be recorded before the rule can say that all is well.
    """

    id: str
    group: Group
    text: str
    judge: Callable[..., Verdict]
    thresholds: tuple[Threshold, ...] = ()
    explained_by: tuple[str, ...] = ()
    needs_cover: bool = False
    yields_to: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    keeps_launches: bool = False
    needs: tuple[Aspect, ...] = ()

    @property
    def title(self) -> str:
        """What is wrong, in the field's words."""
        return title(self.text)

    @property
    def page(self) -> Page:
        """The page in parts, which most reports need of few rules. Raises PageError."""
        return parse(self.text, f"{self.id}.md")

    @property
    def trust(self) -> bool:
        """Whether it judges the capture, not the training: shown first, never with a saving."""
        return self.group == "capture"


def declared(judge: Callable[..., Verdict], **how: Any) -> Rule:
    """The rule that a module measures: file and folder name it and its group, the page is beside it."""
    path = Path(inspect.getfile(judge)).with_suffix(".md")
    text = path.read_text(encoding="utf-8")
    return Rule(path.stem.replace("_", "-"), cast(Group, path.parent.name), text, judge, **how)
