"""What rules report: findings with evidence, places and fixes, in plain text and numbers with units.

Units: ``_ns`` integer nanoseconds, ``_ratio`` shares 0..1, ``_ms`` milliseconds on one host's timeline.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import field

from tfperf_plugin.analysis.evidence import Confidence, Evidence, Place
from tfperf_plugin.records import Record

Severity = Literal["critical", "warning", "info"]
Level = Literal["strong", "fair", "thin", "none"]
"""Evidence, how much a recording can prove: ``strong``: five whole steps or more, and no doubt about the
capture; ``fair``: three or four, or a doubt; ``thin``: fewer; ``none``: no GPU events."""
Group = Literal["capture", "input", "one_gpu", "precision", "several_gpus", "machine"]
"""The guides' order of work: first the capture, then input, one GPU, precision, several GPUs; then what the
machine did during the whole training."""


class Saving(Record, frozen=True):
    """What a step would gain; ``bound`` is true for "up to". ``basis`` says how it was derived.

    ``accounts``: ledger account → ns of the saving; they add up to ``ns``, or are empty if it lies in rare
    long steps and is spread over all. ``once_ns``: the time in a single step if nearly all of it lies in one
    of only a few recorded steps, else 0. ``kernels``: names of the kernels whose compute it claims, those
    with the most time first; at most 40, cut after 200 characters.
    """

    ns: int
    ratio: float
    basis: str
    bound: bool = True
    accounts: dict[str, int] = field(default_factory=dict)
    once_ns: int = 0
    kernels: tuple[str, ...] = ()
    late_kernel: str = ""  # the kernel for which GPUs wait as long as is claimed, "" if it is not one
    frees_input: bool = False  # batches come faster, so the input pipeline limits the step no longer


LOOKS_ONLY: Final = frozenset({"unexplained-idle"})
"""Rules whose action finds a cause, and makes no step shorter by itself."""


class After(Record, frozen=True):
    """The average step once findings are fixed, as projected, and the range of nine of ten such projections.

    The range holds the projection and no time below zero.
    """

    ns: int
    low_ns: int
    high_ns: int


class Guide(Record, frozen=True):
    """The section of a public guide that a rule comes from."""

    section: str
    url: str


class Snippet(Record, frozen=True):
    """Code to copy; ``framework`` is "Keras", "custom loop", "shell", "JAX" …"""

    framework: str
    code: str


class Link(Record, frozen=True):
    """Where to read on."""

    title: str
    url: str


class Fix(Record, frozen=True):
    """What to change; the most useful action comes first."""

    summary: str
    actions: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    links: tuple[Link, ...] = ()


class Finding(Record, frozen=True):
    """One thing that costs time. ``explains`` holds the findings folded under it.

    ``action``: what to do first, in the imperative; ``cause``: one sentence that names what causes it, such
    as a GPU, host or thread; ``command``: a line to copy that does it, "" if a single line does not.
    ``guide``: ``None`` if the rule has none for the program's framework.
    ``after``: the step once it alone is fixed, ``None`` if it promises no saving in the usual step.
    ``formerly``: ids of rules that are gone and found the same.
    """

    id: str
    title: str
    group: Group
    severity: Severity
    confidence: Confidence
    summary: str
    saving: Saving | None
    guide: Guide | None
    evidence: tuple[Evidence, ...]
    where: tuple[Place, ...]
    fix: Fix
    explains: tuple[Finding, ...] = ()
    action: str = ""
    cause: str = ""
    command: str = ""
    after: After | None = None
    formerly: tuple[str, ...] = ()


class Row(Record, frozen=True):
    """A rule without a finding: passed, not applicable, missing data, by hand, or failed.

    ``reason``: one sentence with the rule's number, or why the rule did not judge; ``how``: how to record
    what is missing, or how to check by hand.
    """

    id: str
    title: str
    reason: str
    how: str = ""
