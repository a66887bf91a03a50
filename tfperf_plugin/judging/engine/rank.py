"""From verdicts to the ranked list: severity, folding, and a time budget that findings do not share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, get_args

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.timeline_rows import KERNEL_NAME_LENGTH
from tfperf_plugin.analysis.evidence import Confidence
from tfperf_plugin.judging import former
from tfperf_plugin.judging.engine.evidence_level import at_most, lowered, severity_at_most
from tfperf_plugin.judging.engine.rule import RARE, Found, Rule
from tfperf_plugin.judging.engine.severity import SEVERITIES, lowest, severity_of
from tfperf_plugin.judging.engine.words import listing, ms, percent, say
from tfperf_plugin.judging.verdicts import Finding, Fix, Group, Level, Row, Saving, Severity
from tfperf_plugin.records import Record

KERNELS_CAP: Final = 40
# A symptom is folded under its causes only if they cover this share of the time that both claim.
EXPLAINED_RATIO: Final = 0.8
CONFIDENCE_WEIGHT: Final[Mapping[Confidence, float]] = {"high": 1.0, "medium": 0.7, "low": 0.4}
# A budget beside the accounts: what shorter kernels can save before the host's own work limits the step.
_SPARE: Final = "spare"
LATER: Final = "{before}: kernels would get {shorter:ms} shorter, but no step would: the host takes as long."
THEN: Final = "Once this is fixed, shorter kernels make steps shorter, too: {later}."
_NEEDED: Final = "needs for its own work"
_GROUP_ORDER: Final = get_args(Group)
# Starts the training with other settings, in one line.
_STARTS: Final = re.compile(r"[^|;&\n]{1,200} python train\.py")
_SEVERITY_ORDER: Final = tuple(SEVERITIES)


class Ranked(Record, frozen=True):
    """``findings`` in order; ``too_small``: those with a saving below the lowest severity; ``later``: those
    that make kernels shorter, but no step before the host does less."""

    findings: tuple[Finding, ...]
    too_small: tuple[Row, ...]
    later: tuple[Row, ...] = ()


class _Budget:
    """The time of the average step that findings may still claim.

    ``left``: account → ns; ``open_ns``: see ``rank``.
    """

    def __init__(self, average: Mapping[str, int], spare_ns: int | None, open_ns: int) -> None:
        self.step_ns = sum(average.values())
        self.open_ns = open_ns
        self.left = {**average, RARE: self.step_ns, _SPARE: self.step_ns if spare_ns is None else spare_ns}

    def available(self, rule: Rule, verdict: Found) -> dict[str, int]:
        """The part of the claims that the accounts still hold."""
        spare = max(0, self.left[_SPARE] - verdict.launching_ns)
        held = {"compute": spare} if rule.keeps_launches else {}
        return {a: min(ns, self.left.get(a, 0), held.get(a, ns)) for a, ns in verdict.claims.items()}

    def saved_ns(self, rule: Rule, verdict: Found) -> int:
        """What the finding can still save."""
        return sum(self.available(rule, verdict).values())

    def held(self, rule: Rule, verdict: Found, wanted_ns: int) -> bool:
        """Whether the host leaves less than the finding claimed."""
        short = self.saved_ns(rule, verdict) < wanted_ns
        return rule.keeps_launches and short and self.left[_SPARE] < self.left.get("compute", 0)

    def severity(self, rule: Rule, verdict: Found) -> Severity | None:
        """The severity of the finding, its own or by what it saves; ``None`` below the lowest."""
        return verdict.severity or severity_of(self.saved_ns(rule, verdict), self.step_ns)

    def doubted_ns(self, rule: Rule, verdict: Found) -> int:
        """What a finding saves only if the host waits in its open calls; 0 if that is no finding."""
        taken = self.available(rule, verdict).get("compute", 0) if rule.keeps_launches else 0
        doubted = taken - max(0, self.left[_SPARE] - self.open_ns)
        return doubted if severity_of(doubted, self.step_ns) else 0

    def sort_key(self, candidate: tuple[Rule, Found]) -> tuple[float, int, str]:
        """Orders by saving × confidence, then as the guides do."""
        rule, verdict = candidate
        saved = self.saved_ns(rule, verdict)
        impact = saved / self.step_ns if saved and self.step_ns else verdict.impact_ratio
        weight = verdict.recurring_ratio * CONFIDENCE_WEIGHT[verdict.confidence]
        if saved and verdict.severity == "info":
            weight = 0.0  # a note takes only what no finding claims
        return -impact * weight, _GROUP_ORDER.index(rule.group), rule.id

    def settled(self, rule: Rule, verdict: Found, wanted_ns: int) -> Finding | Row:
        """Takes what the finding claims: the finding with its saving, or that too little is left for one.

        ``wanted_ns``: what it claimed before its causes did.
        """
        taken = self.available(rule, verdict)
        saved, severity = sum(taken.values()), self.severity(rule, verdict)
        held = self.held(rule, verdict, wanted_ns)
        if severity is None:
            counted = "; the rest is counted under another finding" if saved < wanted_ns else ""
            share = percent(saved / max(1, self.step_ns))
            return Row(rule.id, rule.title, f"{share} of the step, below {lowest()}{counted}.")
        doubted = self.doubted_ns(rule, verdict)
        for account, ns in taken.items():
            self.left[account] -= ns
        if rule.keeps_launches:
            self.left[_SPARE] -= taken.get("compute", 0)
        if not saved or not self.step_ns:
            return _finding(rule, verdict, severity, None)
        saving = Saving(
            saved, saved / self.step_ns, verdict.basis, verdict.bound,
            {account: ns for account, ns in taken.items() if ns and account != RARE}, verdict.once_ns,
            kernels=tuple(name[:KERNEL_NAME_LENGTH] for name in verdict.kernels[:KERNELS_CAP]),
            late_kernel=verdict.late_kernel[:KERNEL_NAME_LENGTH], frees_input=verdict.frees_input,
        )  # fmt: skip
        said = ""
        if held:
            said = f" Kernels get {ms(wanted_ns)} shorter, steps {ms(saved)}: the rest the host {_NEEDED}."
        elif severity_of(wanted_ns - saved, self.step_ns):
            said = f" {ms(wanted_ns - saved)} of that is counted under another finding."
        if doubted:
            said += (
                f" For {ms(self.open_ns)} of a step a call of the step's function is open, and nothing "
                "recorded says whether the host works or waits in it: if it works, steps get only "
                f"{ms(saved - doubted)} shorter."
            )
        return _finding(rule, replace(verdict, summary=verdict.summary + said), severity, saving)


def rank(
    found: Sequence[tuple[Rule, Found]],
    average: Mapping[str, int],
    level: Level,
    spare_ns: int | None = None,
    open_ns: int = 0,
) -> Ranked:
    """Ranks findings by saving × confidence, the guides' order, then id; costless ones and notes follow.

    Args:
        found: the rules that fired, with their findings.
        average: the ledger's average step, account → ns: the budget for savings.
        level: the evidence, which limits severity and confidence.
        spare_ns: by how much shorter kernels can shorten a step before the host limits it, or ``None``.
        open_ns: the part of ``spare_ns`` in which the host may work, but nothing recorded says so: it lowers
            the confidence of what needs it and is told, never subtracted.
    """
    budget = _Budget(average, spare_ns, open_ns)
    candidates = [(r, replace(v, confidence=at_most(v.confidence, level))) for r, v in found]
    candidates = [(r, lowered(v) if budget.doubted_ns(r, v) else v) for r, v in candidates]
    ordered = sorted(candidates, key=budget.sort_key)
    # A cause that is too small to be a finding explains nothing.
    causes = {r.id: v for r, v in ordered if budget.severity(r, v)}
    tops = [(r, _without_causes(r, v, causes)) for r, v in ordered if not _explained(r, v, causes)]
    by_id = {r.id: (r, v) for r, v in ordered}
    claimed = {r.id: sum(v.claims.values()) for r, v in ordered}
    findings: list[Finding] = []
    too_small: list[Row] = []
    later: list[tuple[Rule, int]] = []
    # Each finding takes its time from the budget before the next one is chosen: the order fits the savings.
    while tops:
        rule, verdict = tops.pop(tops.index(min(tops, key=budget.sort_key)))
        wanted = claimed[rule.id]
        held = budget.held(rule, verdict, wanted) and severity_of(wanted, budget.step_ns)
        settled = budget.settled(rule, verdict, wanted)
        if isinstance(settled, Row) and held:
            later.append((rule, wanted))
        elif isinstance(settled, Row):
            too_small.append(settled)
        else:
            findings.append(settled)
    for rule, verdict in ordered:
        if not _explained(rule, verdict, causes):
            continue
        severity = verdict.severity or severity_of(claimed[rule.id], budget.step_ns) or "info"
        if not _fold(findings, _finding(rule, verdict, severity, None), by_id):
            reason = f"Explained by a finding below {lowest()} of the step."
            too_small.append(Row(rule.id, rule.title, reason))
    findings = [_within(f, budget.step_ns, findings) for f in findings]
    findings = [_capped(f, level) for f in findings]
    findings.sort(key=_order)
    relieved = bool(findings) and not by_id[findings[0].id][0].keeps_launches
    if relieved and later:
        gains = [f"up to {ms(ns)} for {rule.title}" for rule, ns in later]
        first = findings[0]
        findings[0] = replace(
            first, summary=say("{summary} " + THEN, summary=first.summary, later=listing(gains, 3))
        )
    before = "Not before fix 1" if relieved else "Not before the host does less"
    waiting = (Row(r.id, r.title, say(LATER, before=before, shorter=ns)) for r, ns in later)
    return Ranked(tuple(findings), tuple(too_small), tuple(waiting))


def _capped(finding: Finding, level: Level) -> Finding:
    """The finding, and those folded under it, at most as severe as the evidence allows."""
    explains = tuple(_capped(inner, level) for inner in finding.explains)
    return replace(finding, severity=severity_at_most(finding.severity, level), explains=explains)


def _order(finding: Finding) -> int:
    """What costs every step comes first, then what was seen once, what has no cost, and last notes."""
    if finding.severity == "info":
        return 4 if finding.saving is None else 3
    if finding.saving is None:
        return 2
    return 1 if finding.saving.once_ns else 0


def _within(finding: Finding, step_ns: int, findings: Sequence[Finding]) -> Finding:
    """The finding; a saving in rare long steps is at most what the savings in the usual step leave of it."""
    saving = finding.saving
    if saving is None or saving.accounts:
        return finding
    ns = min(saving.ns, step_ns - sum(sum(f.saving.accounts.values()) for f in findings if f.saving))
    return replace(finding, saving=replace(saving, ns=ns, ratio=ns / step_ns) if ns > 0 else None)


def _explained(rule: Rule, verdict: Found, causes: Mapping[str, Found]) -> bool:
    """Whether causes were found that cover enough of the time that both claim.

    If they claim no common account, the causes must claim at least as much, so that a small cause does not
    hide a large symptom; where neither claims anything, what they cost tells.
    """
    present = [causes[i] for i in rule.explained_by if i in causes and not verdict.independent]
    if rule.needs_cover:
        every = sum(verdict.claims.values())
        covered = sum(min(ns, sum(c.reason_for(a) for c in present)) for a, ns in verdict.claims.items())
        return every > 0 and covered >= EXPLAINED_RATIO * every
    shared = [a for a in verdict.claims if any(a in c.claims or a in c.covers for c in present)]
    if not verdict.claims and not any(c.claims for c in present):
        costs = sum(c.impact_ratio for c in present)
        return bool(present) and EXPLAINED_RATIO * verdict.impact_ratio <= costs
    if not shared:
        smaller = sum(verdict.claims.values()) <= sum(sum(c.claims.values()) for c in present)
        return bool(present) and (smaller or not any(c.claims for c in present))
    covered = sum(min(verdict.claims[a], sum(c.reason_for(a) for c in present)) for a in shared)
    return covered >= EXPLAINED_RATIO * sum(verdict.claims[a] for a in shared)


def _without_causes(rule: Rule, verdict: Found, causes: Mapping[str, Found]) -> Found:
    """A symptom without the time that its causes claim, and with no higher confidence than theirs."""
    present = [causes[i] for i in rule.yields_to if i in causes]
    claims = {a: max(0, ns - sum(c.reason_for(a) for c in present)) for a, ns in verdict.claims.items()}
    certainty = min((v.confidence for v in (verdict, *present)), key=CONFIDENCE_WEIGHT.__getitem__)
    return replace(verdict, claims=claims, confidence=certainty) if present else verdict


def _fold(findings: list[Finding], symptom: Finding, found: Mapping[str, tuple[Rule, Found]]) -> bool:
    """Puts a symptom under the finding that explains it, directly or through causes that are folded too.

    ``found``: id → rule and verdict. Returns whether there is such a finding.
    """
    at = {f.id: i for i, f in enumerate(findings)}
    todo = [symptom.id]
    for id_ in todo:  # which grows
        for cause in _possible_causes(id_, found):
            if cause in at:
                home = findings[at[cause]]
                findings[at[cause]] = replace(home, explains=(*home.explains, symptom))
                return True
            if cause not in todo:
                todo.append(cause)
    return False


def _possible_causes(id_: str, found: Mapping[str, tuple[Rule, Found]]) -> Sequence[str]:
    """Rules that may explain a rule, in order; with ``needs_cover``, those that cover most come first."""
    if id_ not in found:
        return ()
    rule, verdict = found[id_]
    if not rule.needs_cover:
        return rule.explained_by
    causes = {c: found[c][1] for c in rule.explained_by if c in found}
    covered = {
        id_: sum(min(ns, cause.reason_for(a)) for a, ns in verdict.claims.items())
        for id_, cause in causes.items()
    }
    return sorted((c for c in covered if covered[c]), key=lambda c: -covered[c])


def trust_findings(found: Sequence[tuple[Rule, Found]]) -> tuple[Finding, ...]:
    """Findings about the capture, most severe first, symptoms under their causes."""
    ids = {rule.id: (rule, verdict) for rule, verdict in found}
    every = [(rule, _finding(rule, verdict, verdict.severity or "info", None)) for rule, verdict in found]
    folds = [not verdict.independent and bool(ids.keys() & rule.explained_by) for rule, verdict in found]
    findings = [finding for (_, finding), folded in zip(every, folds, strict=True) if not folded]
    for (_, finding), folded in zip(every, folds, strict=True):
        if folded:
            _fold(findings, finding, ids)
    return tuple(sorted(findings, key=lambda f: (_SEVERITY_ORDER.index(f.severity), f.id)))


def certain_of(found: Sequence[tuple[Rule, Found]]) -> list[tuple[Rule, Found]]:
    """Findings about the training, with lower confidence in accounts that a note on the capture doubts."""
    doubted = {account for rule, _ in found if rule.trust for account in rule.doubts}

    def certain(verdict: Found) -> Found:
        doubtful = verdict.confidence == "high" and doubted.intersection(verdict.claims)
        return lowered(verdict) if doubtful else verdict

    return [(rule, certain(verdict)) for rule, verdict in found if not rule.trust]


def _finding(rule: Rule, verdict: Found, severity: Severity, saving: Saving | None) -> Finding:
    fix = verdict.fix or Fix("")
    return Finding(
        id=rule.id,
        title=verdict.title or rule.title,
        group=rule.group,
        severity=severity,
        confidence=verdict.confidence,
        summary=verdict.summary,
        saving=saving,
        guide=verdict.guide,
        evidence=verdict.evidence,
        where=verdict.where,
        fix=fix,
        action=verdict.action or rule.page.action,
        cause=verdict.cause or verdict.summary.partition(". ")[0].rstrip(".") + ".",
        formerly=former.ids_of(rule.id),
        command=next(
            (s.code for s in fix.snippets if s.framework == "shell" and _STARTS.fullmatch(s.code)), ""
        ),
    )
