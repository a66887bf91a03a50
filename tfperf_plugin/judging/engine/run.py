"""Runs rules on artifacts, and gives their findings the advice for the program's framework.

A missing artifact becomes a row, an exception becomes the rule's error row.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.artifacts.host.startup import Startup
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import SLOW_BEGIN_LATER_COUNT
from tfperf_plugin.errors import lacks_memory
from tfperf_plugin.judging.engine.evidence_level import borne, level_of, runs_once, too_small
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, Inputs
from tfperf_plugin.judging.engine.rank import certain_of, rank, trust_findings
from tfperf_plugin.judging.engine.rule import (
    RARE,
    Found,
    Missing,
    NotApplicable,
    Passed,
    Rule,
    Threshold,
    trying,
)
from tfperf_plugin.judging.engine.severity import weighed
from tfperf_plugin.judging.engine.words import filled, ms, percent
from tfperf_plugin.judging.verdicts import Finding, Level, Row
from tfperf_plugin.records import Record

# A finding was seen once if one of a few steps holds this share of its time.
ONCE_RATIO: Final = 0.8
_ON_CPU: Final = "gpu-not-used"
_log = logging.getLogger(__name__)
_STARTING = "The recording ends while GPUs are still being started: what was recorded is no step."
_STILL_ALLOCATES = "GPUs begin apart because the first call allocates its buffers: a later call tells more."
_STILL_TUNES = "cuDNN still chooses its algorithms in this step: a later one tells how its products run."
_MOSTLY_STARTUP = "Most of what was recorded is start-up: it says nothing about a step of training."
_LATE_AT_START = "GPUs start up in the only recorded step: a later step tells whether one is late."
_WAITING: Final = frozenset({"communication.wait", "idle.stagger"})
_RUNS_ONCE = "The program launches few kernels, once: nothing is known to recur that this would save."
_MARKS: Final = "Record at least ten steps with step markers: "
_HOW_TO_MARK_STEPS: Final = {
    "Keras": f"{_MARKS}the TensorBoard callback with profile_batch=(10, 20).",
    "JAX": f"{_MARKS}jax.profiler.StepTraceAnnotation('train', step_num=step) around each step.",
    "PyTorch": f"{_MARKS}torch.profiler.profile(schedule=...), with step() after each step.",
    "": f"{_MARKS}an annotation of the profiler, such as an NVTX range, around each step.",
}
_OF_TENSORFLOW: Final = re.compile(r"tracer_level|Callback|TensorFlow")


class Outcome(Record, frozen=True):
    """Every rule exactly once: as a finding, possibly folded under another one, or as a row.

    ``claims``: for each rule with a finding, account → ns of the average step that it claims, before the
    engine settles claims on the same time. ``level``: the evidence.
    """

    trust: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    passed: tuple[Row, ...]
    not_applicable: tuple[Row, ...]
    missing_data: tuple[Row, ...]
    errors: tuple[Row, ...]
    claims: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    level: Level = "strong"

    @property
    def on_cpu(self) -> bool:
        """Whether the model ran on the CPU."""
        return any(f.id == _ON_CPU for f in self.findings)


def run_rules(
    rules: Sequence[Rule], inputs: Inputs, tried: Mapping[Threshold, float] = MappingProxyType({})
) -> Outcome:
    """Runs all rules and ranks their findings; ``tried``: values of thresholds other than the defaults."""
    with trying(tried):
        return _run(rules, inputs)


def _run(rules: Sequence[Rule], inputs: Inputs) -> Outcome:
    found: list[tuple[Rule, Found]] = []
    rows: dict[type, list[Row]] = {Passed: [], NotApplicable: [], Missing: []}
    errors: list[Row] = []
    program: Program = inputs.get(Program)
    no_step = _STARTING if inputs.get(Devices).unseen("starting") else ""
    startup: Startup | None = inputs.get(Startup) if inputs.ledger else None
    if startup and startup.mostly:
        no_step = no_step or _MOSTLY_STARTUP
    unlike = _unlike_later(startup)
    once = bool(inputs.ledger) and runs_once(inputs.steps, program, inputs.get(Kernels))
    starts = startup is not None and startup.marked and inputs.steps.judged_count == 1
    lacks = inputs.get(Capture).lacking
    ledger = inputs.ledger
    step_ns = ledger.step_ns if ledger else 0
    for rule in rules:
        try:
            verdict = weighed(inputs.call(rule.judge), step_ns)
            verdict = borne(rule, verdict, lacks, program)
        except Exception as error:  # a failing rule costs its own row, never the report
            if lacks_memory(error) or isinstance(error, SystemError):
                raise  # a report that lacks the rule would be kept for when there is more memory
            _log.exception("rule %s failed", rule.id)
            errors.append(Row(rule.id, rule.title, f"This check failed: {type(error).__name__}: {error}"))
            continue
        if isinstance(verdict, Found) and verdict.claims and no_step:
            rows[NotApplicable].append(Row(rule.id, rule.title, no_step))
        elif isinstance(verdict, Found) and verdict.claims and rule.group in unlike:
            rows[NotApplicable].append(Row(rule.id, rule.title, unlike[rule.group]))
        elif isinstance(verdict, Found) and starts and _WAITING & verdict.claims.keys():
            rows[NotApplicable].append(Row(rule.id, rule.title, _LATE_AT_START))
        elif isinstance(verdict, Found) and once and _needs_repetition(verdict):
            rows[NotApplicable].append(Row(rule.id, rule.title, _RUNS_ONCE))
        elif isinstance(verdict, Found):
            verdict = seen_once(verdict, ledger) if ledger else verdict
            found.append((rule, advised(rule, verdict, program)))
        else:
            how = how_to(verdict.how, program) if isinstance(verdict, Missing) else ""
            rows[type(verdict)].append(Row(rule.id, rule.title, verdict.reason, how))
    host = inputs.get(HostPass) if ledger else None
    trust = trust_findings([f for f in found if f[0].trust])
    level = _level(inputs, trust, inputs.get(HostCompute).on_cpu)
    ranked = rank(
        certain_of(found),
        ledger.average() if ledger else {},
        level,
        host and host.spare_ns - host.unrecorded_ns,
        host.open_ns if host else 0,
    )
    passed, missing = too_small(ranked.too_small, lacks)
    return Outcome(
        trust=trust,
        findings=ranked.findings,
        passed=(*rows[Passed], *passed),
        not_applicable=(*rows[NotApplicable], *ranked.later),
        missing_data=(*rows[Missing], *missing),
        errors=tuple(errors),
        claims={rule.id: verdict.claims for rule, verdict in found},
        level=level,
    )


def _needs_repetition(verdict: Found) -> bool:
    """Whether a finding saves time only where it recurs: it makes no kernel shorter, nor was seen once."""
    in_kernels = any(account.startswith("compute") for account in verdict.claims)
    return bool(verdict.claims) and not in_kernels and not verdict.once_ns


def doubts_of(trust: Sequence[Finding]) -> list[Finding]:
    """The notes that cast doubt on a capture. Of too few steps, the number itself counts."""
    return [note for note in trust if note.severity != "info" and note.id != "too-few-steps"]


def _level(inputs: Inputs, trust: Sequence[Finding], on_cpu: bool) -> Level:
    steps = inputs.steps
    doubted = bool(doubts_of(trust) or inputs.run.losses) or "launches" in inputs.get(Capture).lacking
    has_steps = inputs.ledger is not None or (on_cpu and not steps.uneven)
    of_gpus = bool(inputs.get(Devices).participating)
    return level_of(steps, has_steps, of_gpus, on_cpu, doubted)


def _unlike_later(startup: Startup | None) -> Mapping[str, str]:
    """Groups of rules that a step cannot tell of because it starts up, and why."""
    if startup is None or not startup.marked:
        return {}
    why = {"trying": ("precision", _STILL_TUNES), "allocating": ("several_gpus", _STILL_ALLOCATES)}
    return dict(why[cause] for cause in startup.by_cause if cause in why)


def once_among(ledger: Ledger, *accounts: str) -> tuple[float, int] | None:
    """The share of these accounts' time in one of only a few steps, if nearly all, and how many steps.

    With more steps, ``step-outliers`` finds the unusual ones. Compute recurs in each step, whatever claims
    it.
    """
    spent = ledger.by_step(*accounts)
    total, count = int(spent.sum()), len(spent)
    if not 2 <= count <= SLOW_BEGIN_LATER_COUNT or not total or "compute" in accounts:
        return None
    share = int(spent.max()) / total
    return (share, count) if share >= ONCE_RATIO else None


def seen_once(verdict: Found, ledger: Ledger) -> Found:
    """Marks a finding if one of only a few steps holds nearly all of its claims, so that it may not recur."""
    once = None if RARE in verdict.claims else once_among(ledger, *verdict.claims)
    if once is None:
        return verdict
    share, count = once
    once_ns = round(share * count * sum(verdict.claims.values()))
    return replace(
        verdict,
        summary=f"{verdict.summary} {percent(share)} of it lies in one of {count} steps, where it takes "
        f"{ms(once_ns)}: record more steps to see whether it recurs.",
        once_ns=once_ns,
        recurring_ratio=1 - share,
    )


def advised(rule: Rule, verdict: Found, program: Program) -> Found:
    """The verdict with what the rule's page says, as far as it does not state title, action or fix itself."""
    advice = rule.page.advice_of(verdict.advice)
    return replace(
        verdict,
        title=verdict.title or filled(advice.title or rule.title, verdict.values),
        action=verdict.action or filled(advice.action or rule.page.action, verdict.values),
        fix=verdict.fix or advice.fix(program, verdict.values),
        guide=rule.page.guide_for(program),
    )


def how_to(text: str, program: Program) -> str:
    """How to record missing data in such a program; "" if only another one can."""
    if program.framework in ("PyTorch", "") and _OF_TENSORFLOW.search(text) and text != HOW_TO_MARK_STEPS:
        return ""
    if program.nsight and "torch.profiler" in text:
        return ""
    framework = "" if program.nsight else program.framework
    return _HOW_TO_MARK_STEPS.get(framework, text) if text == HOW_TO_MARK_STEPS else text
