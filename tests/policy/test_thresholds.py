"""Thresholds: ids that stay, and values that the rules really read."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.reports import demo_report, made
from tests.conftest import REPOSITORY
from tfperf_plugin.execution import analyze
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.rule import Rule, Threshold
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import OtherThreshold, values

IDS = Path(__file__).with_name("threshold_ids.txt")
HUGE, TINY = 1e15, 1e-9

TINY_MATTERS = {
    "tracer-overhead:estimated-cost-of-tracing-python-heavy",
    "kernel-launch-bound:mean-kernel",
    "small-kernels:fixed-part-of-a-kernel-at-most",
    "memory-grows:time-until-memory-is-full-against-the-time-watched",
    "memory-grows:time-until-memory-is-full-for-a-warning",
    "memory-headroom:growth-that-is-not-stated-exactly",
    "allreduce-wait:share-of-the-waiting-that-one-gpu-causes",
    "allreduce-fragmented:bytes-per-call-that-xla-s-combiner-aims-at",
    "allreduce-fragmented:starting-a-call",
    "allreduce-exposed:transfer-that-no-compute-hides",
    "excessive-memcpy:bytes-read-back-after-the-last-kernel",
    "input-bound:making-a-batch-against-the-step",
}
"""In these the demo run is below the limit, or the limit is what something costs; in others above."""

ANOTHER_RUN = {
    "gpus-run-serially:computing-at-the-same-time": "gpu_stagger",
    "allreduce-exposed:share-of-the-transfer-under-compute": "gpu_stagger",
    "allreduce-exposed:transfer-that-no-compute-hides": "gpu_stagger",
    "excessive-memcpy:bytes-read-back-after-the-last-kernel": "step_gaps",
    "elementwise-fusion:elementwise-time-made-by-xla": "xla_recompilation",
    "input-bound:making-a-batch-against-the-step": "too_few_steps",
}
"""Where the rule's own demo run does not depend on the threshold, but this one does."""

NO_RUN = {
    "gpu-throttled:clock-below-the-highest-at-the-power-limit": "no demo run is at its power limit",
    "host-thread-contention:waiting-with-much-of-tf-data-against-with-little": "no demo run waits without it",
    "memory-pressure:share-of-memory-in-use-from-which-broken-up-memory-counts": "no demo run has it",
    "memory-pressure:share-of-the-card-that-the-allocator-may-use": "demo runs use the whole card",
    "slow-products:smaller-products-of-a-step": "small products of demo runs fill the GPU",
    "slow-products:time-of-smaller-products-above-the-floor": "small products of demo runs fill the GPU",
    "idle-gpus:share-of-visible-gpus-that-ran-nothing-for-a-warning": "the demo run is above both limits",
    "replica-imbalance:kernels-above-the-median": "in demo runs the busiest GPU runs kernels of its own",
    "allreduce-fragmented:bytes-in-calls-that-carry-no-gradients": "calls of demo runs carry gradients only",
    "one-host-of-many:time-in-collectives-that-were-found-on-no-other-gpu": "demo runs join their hosts",
}
"""What no demo run shows: here only the source tells that the judge reads it."""


def name(rule: Rule, threshold: Threshold) -> str:
    return f"{rule.id}:{threshold.id}"


EVERY = [(rule, threshold) for rule in RULES for threshold in rule.thresholds]
TRYABLE = [(r, t) for r, t in EVERY if not t.fixed and name(r, t) not in NO_RUN]


def test_ids_stay() -> None:
    """They are in addresses and scripts of users: a new name of a threshold needs a thought for those."""
    ids = IDS.read_text(encoding="utf-8").split()

    assert sorted(name(*pair) for pair in EVERY) == ids
    assert len(set(ids)) == len(ids)


def test_rules_share_no_threshold() -> None:
    """Else trying it out for one rule would change another."""
    thresholds = [id(threshold) for _, threshold in EVERY]

    assert len(set(thresholds)) == len(thresholds)


def test_exceptions_are_thresholds() -> None:
    ids = {name(rule, threshold) for rule, threshold in EVERY if not threshold.fixed}

    assert TINY_MATTERS | ANOTHER_RUN.keys() | NO_RUN.keys() <= ids


@pytest.mark.parametrize(("rule", "threshold"), TRYABLE, ids=[name(*pair) for pair in TRYABLE])
def test_another_value_changes_what_the_rule_says(rule: Rule, threshold: Threshold) -> None:
    scenario = ANOTHER_RUN.get(name(rule, threshold), rule.id.replace("-", "_"))
    value = TINY if name(rule, threshold) in TINY_MATTERS else HUGE

    inputs = judged(scenario)
    usual = said(run_rules(RULES, inputs), rule)
    tried = said(run_rules(RULES, inputs, {threshold: value}), rule)

    assert usual != tried
    assert "This check failed" not in str(tried)


@pytest.mark.parametrize(
    ("rule", "threshold"), [pair for pair in EVERY if not pair[1].fixed], ids=lambda x: getattr(x, "id", "")
)
def test_the_rule_reads_what_is_tried(rule: Rule, threshold: Threshold) -> None:
    path = REPOSITORY / "tfperf_plugin" / "judging" / "rules" / rule.group / f"{rule.id.replace('-', '_')}.py"
    source = path.read_text(encoding="utf-8")
    module = sys.modules[rule.judge.__module__]
    (constant,) = [key for key, value in vars(module).items() if value is threshold]

    assert f"{constant}.value" in source
    assert f"{constant}.default" not in source


@functools.cache
def judged(scenario: str) -> Inputs:
    """What the rules are given when the report of this demo run is made: one analysis for all thresholds."""
    given: list[Inputs] = []

    def keep(rules: Sequence[Rule], inputs: Inputs, tried: Mapping[Threshold, float]) -> Outcome:
        given.append(inputs)
        return run_rules(rules, inputs, tried)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyze, "run_rules", keep)
        made(scenario)
    (inputs,) = given
    return inputs


def test_a_report_says_what_its_rules_say_of_another_threshold() -> None:
    """The tests above ask rules alone, users ask for reports."""
    (rule,) = [rule for rule in RULES if rule.id == "gpu-stagger"]
    other = OtherThreshold(rule.id, "spread-of-first-kernels", HUGE)
    report = demo_report("gpu_stagger", other)

    assert said(report, rule) == said(run_rules(RULES, judged("gpu_stagger"), values([other])), rule)
    assert said(report, rule) != said(demo_report("gpu_stagger"), rule)


def said(report: Report | Outcome, rule: Rule) -> object:
    """What is said of a rule, without the thresholds that are shown beside evidence."""
    for finding, place in findings(report):
        if finding.id == rule.id:
            evidence = tuple(replace(e, threshold=None, source="") for e in finding.evidence)
            return place, replace(finding, evidence=evidence, explains=())
    rows: tuple[Row, ...] = (*report.passed, *report.not_applicable, *report.missing_data, *report.errors)
    (row,) = [row for row in rows if row.id == rule.id]
    return row


def findings(report: Report | Outcome) -> list[tuple[Finding, str]]:
    tops = [(finding, "") for finding in (*report.trust, *report.findings)]
    return [*tops, *((inner, top.id) for top, _ in tops for inner in top.explains)]
