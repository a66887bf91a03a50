"""From measured cases to how often each rule is right.

* A rule *fires* in a run if it is a finding of its own with severity warning or critical. A rule whose
  findings are notes by design fires in the runs of its own causes with any severity.
* Precision: of the runs in which a rule fires, those that hold a cause of it, or one of which it is a true
  symptom.
* Recall: of the runs in which a cause of the rule costs clearly more than a warning needs, those in which the
  rule fires or is folded under another finding.
* First: of the runs whose strongest cause is one of the rule's, those in which the rule ranks first.
* Savings error: what a finding promises less what the simulator gains without the cause, as a share of the
  step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from demo.accuracy.causes import BY_NAME, CAUSES, Cause
from demo.accuracy.measure import Fired, Measured, Trial
from tfperf_plugin.judging.engine.evidence_level import ENOUGH_STEPS_COUNT
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.rules import RULES

# A cause is clearly strong enough for a warning from half as much again as the severity's threshold.
CLEAR_RATIO: Final = 1.5 * SEVERITIES["warning"].default
# Of two causes whose costs differ by less than this share of the step, either may rank first.
EQUAL_RATIO: Final = 0.02
TOO_FEW: Final = "too-few-steps"
TRUST: Final = frozenset(rule.id for rule in RULES if rule.trust)
NOTES: Final = frozenset(cause.rule for cause in CAUSES if cause.kind in ("small", "note", "trust note"))


@dataclass(frozen=True)
class Share:
    """``hits`` of ``count``."""

    hits: int
    count: int

    @property
    def ratio(self) -> float:
        """1 where there was nothing to get wrong."""
        return self.hits / self.count if self.count else 1.0


@dataclass(frozen=True)
class Score:
    """One rule. ``runs`` hold a cause of it; ``errors`` are its savings errors as shares of the step."""

    rule: str
    runs: int
    precision: Share
    recall: Share
    first: Share
    errors: tuple[float, ...]


def own(run: Measured, rule: str) -> tuple[Cause, ...]:
    """The causes of ``rule`` in a run."""
    return tuple(BY_NAME[name] for name, _ in run.case.causes if BY_NAME[name].rule == rule)


def fires(run: Measured, rule: str) -> bool:
    """Whether the rule is a finding of its own that counts."""
    notes = rule in NOTES and bool(own(run, rule))
    return any(f.rule == rule and not f.under and (notes or f.severity != "info") for f in rows(run))


def rows(run: Measured) -> tuple[Fired, ...]:
    return (*run.trust, *run.findings)


def justified(run: Measured, rule: str) -> bool:
    """Whether a cause in the run makes it right that the rule fires."""
    if (rule == TOO_FEW and short(run)) or rule in background(run):
        return True
    causes = [BY_NAME[name] for name, _ in run.case.causes]
    return any(rule == cause.rule or rule in cause.symptoms for cause in causes)


def background(run: Measured) -> frozenset[str]:
    """What is true of the training that causes are put into: simulated transformers compute attention op by
    op."""
    return frozenset({"attention-unfused"} if run.case.setting.model == "transformer" else ())


def short(run: Measured) -> bool:
    """Whether too few steps are whole in the capture, which cuts its first and its last one."""
    return run.case.setting.steps - 2 < ENOUGH_STEPS_COUNT


def clear(run: Measured, cause: Cause) -> bool:
    """Whether a cause is so strong that its rule must see it."""
    return cause.kind != "time" or dict(run.strengths)[cause.name] >= CLEAR_RATIO


def found(run: Measured, rule: str) -> bool:
    """Whether the rule fires, or is folded under another."""
    return fires(run, rule) or any(f.rule == rule and f.under for f in rows(run))


def strongest(run: Measured) -> tuple[Cause, ...]:
    """The cause that costs most, with those that cost about as much; none if no cause must be seen."""
    causes = [(BY_NAME[name], strength) for name, strength in run.strengths]
    timed = [(c, s) for c, s in causes if c.kind in ("time", "small", "capacity")]
    # What costs no step time is listed after what does.
    if must := [(c, s) for c, s in timed if c.kind != "capacity" and s >= CLEAR_RATIO]:
        timed = must
    if not timed:
        return tuple(c for c, _ in causes)
    most = max(s for _, s in timed)
    if most < CLEAR_RATIO and not all(clear(run, c) for c, _ in timed):
        return ()
    return tuple(c for c, s in timed if s >= most - EQUAL_RATIO)


def ranks_first(run: Measured, causes: Iterable[Cause]) -> bool:
    """Whether the rule of one of ``causes`` leads its list."""
    for cause in causes:
        listed = run.trust if cause.rule in TRUST else run.findings
        # What is true of any short capture stands in nobody's way.
        if short(run) and cause.rule != TOO_FEW:
            listed = tuple(found for found in listed if found.rule != TOO_FEW)
        usual = background(run) - {cause.rule}
        listed = tuple(f for f in listed if f.rule not in usual and f.under not in usual)
        if listed and listed[0].rule == cause.rule:
            return True
    return False


def savings_error(run: Measured, cause: Cause) -> float | None:
    """Promised less gained, as a share of the step; ``None`` if nothing was promised."""
    promised = next((f.saving_ns for f in run.findings if f.rule == cause.rule and not f.under), None)
    if promised is None or cause.kind not in ("time", "small"):
        return None
    return promised / run.step_ns - dict(run.strengths)[cause.name]


def trials(runs: Iterable[Measured], *, causes: int, together: bool) -> list[Trial]:
    """Predictions for runs with so many causes: for all of them together, or for one at a time."""
    return [
        trial
        for run in runs
        if len(run.case.causes) == causes
        for trial in run.trials
        if (len(trial.causes) == causes) is together
    ]


def prediction_errors(found: Sequence[Trial]) -> list[float]:
    """Predicted less simulated step, as shares of the recorded step."""
    return sorted(trial.gained - trial.predicted for trial in found)


def prediction_summary(runs: Sequence[Measured]) -> dict[str, float | int]:
    """What the tab shows beside a prediction, over all predictions in all runs."""
    every = [trial for run in runs for trial in run.trials]
    errors = prediction_errors(every)
    return {
        "low_ratio": round(quantile(errors, 0.05), 4),
        "median_ratio": round(quantile(errors, 0.5), 4),
        "high_ratio": round(quantile(errors, 0.95), 4),
        "predictions": len(every),
        "runs": sum(bool(run.trials) for run in runs),
    }


def score(rule: str, runs: Sequence[Measured]) -> Score:
    fired = [run for run in runs if fires(run, rule)]
    wanted = [run for run in runs if any(clear(run, cause) for cause in own(run, rule))]
    leading = [run for run in runs if any(cause.rule == rule for cause in strongest(run))]
    errors = [
        savings_error(run, cause) for run in runs for cause in own(run, rule) if len(run.strengths) == 1
    ]
    return Score(
        rule,
        sum(bool(own(run, rule)) for run in runs),
        Share(sum(justified(run, rule) for run in fired), len(fired)),
        Share(sum(found(run, rule) for run in wanted), len(wanted)),
        Share(sum(ranks_first(run, strongest(run)) for run in leading), len(leading)),
        tuple(sorted(error for error in errors if error is not None)),
    )


def first_share(runs: Sequence[Measured]) -> Share:
    """Over all runs with a cause that must be seen."""
    judged = [run for run in runs if strongest(run)]
    return Share(sum(ranks_first(run, strongest(run)) for run in judged), len(judged))


def precision(runs: Sequence[Measured]) -> Share:
    """Over all rules and runs."""
    fired = [(run, rule.id) for rule in RULES for run in runs if fires(run, rule.id)]
    return Share(sum(justified(run, rule) for run, rule in fired), len(fired))


def warned(runs: Sequence[Measured]) -> list[tuple[Measured, Fired]]:
    """Warnings on healthy trainings."""
    return [
        (run, row)
        for run in runs
        if not run.case.causes
        for row in rows(run)
        if row.severity != "info" and not justified(run, row.rule)
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """Of sorted values, the one below which ``share`` of them lie (nearest rank)."""
    return values[round(share * (len(values) - 1))]
