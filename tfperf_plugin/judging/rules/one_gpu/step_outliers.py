"""Some steps are much longer than the others."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.outliers import Outliers
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import (
    ALONE_FACTOR,
    FEW_FACTOR,
    RARE_DEVIATIONS,
    RARE_ENOUGH_COUNT,
    RARE_FACTOR,
    RARE_RATIO,
)
from tfperf_plugin.judging.engine.rule import RARE, Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, SEVERITIES, too_little
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, listing, ms, say, together, with_name
from tfperf_plugin.judging.verdicts import Severity

STEPS = Threshold(
    "judged steps", RARE_ENOUGH_COUNT, "count", "fewer tell what is usual only if a step is far longer"
)
LONGER = Threshold(
    "an outlier's length over the median", RARE_FACTOR, "times",
    "as SageMaker Debugger has it: 1.5 times the median and three standard deviations", fixed=True, side=">")  # fmt: skip
CLEARER = Threshold(
    "the same where few steps were recorded", FEW_FACTOR, "times",
    "our choice: few steps hardly show how much steps differ", fixed=True, side=">")  # fmt: skip
ALONE = Threshold(
    "the same where the few others are alike", ALONE_FACTOR, "times",
    "our choice: no other step takes 5 % more than the shortest", fixed=True, side=">")  # fmt: skip
SIGMA = Threshold(
    "an outlier's distance from the median, in σ", RARE_DEVIATIONS, "times",
    "SageMaker Debugger: 3 σ; here from the median absolute deviation", fixed=True, side=">")  # fmt: skip
SHARE = Threshold(
    "share of steps that are outliers", RARE_RATIO, "ratio",
    "our choice: what more than every fourth step does is usual", fixed=True, side="≤")  # fmt: skip
NAMED = Threshold(
    "share that a named cause must cover", 0.80, "ratio", "a cause that covers less is not named"
)
# A smaller part of the excess is noise.
PART = Threshold("an account's part of what outliers take longer", 0.10, "ratio", "less is not named")

TOO_FEW = "{n:whole steps}: too few to tell which of them are outliers."
NONE = "No step of {every} stands apart, much longer than the median."
MORE_WORK = (
    "{n:step} of {every} much longer than the median, left out of all averages, compute more, at no regular distance: "
    "batches of different size do so."
)
TAKES = "{which} takes {long:ms} instead of the usual {usual:ms}."
TAKES_WHILE = "{which} takes {long:ms} instead of the usual {usual:ms}; meanwhile the host runs {name}."
MOSTLY = "The extra time is mostly {parts}."
RUNS = "Meanwhile the host runs {name}."
LATE = "It is {account}, {late:ms} in each of them."
LATE_HOST = "On {host} it is {account}, {late:ms} in each of them; other hosts wait for that."
ONCE = "This was seen once; the recording does not show whether it recurs."
WORK = "That is additional work rather than waiting, so no saving is counted."
OTHERS = "All other findings are about the usual steps only."
BASIS = "the time by which these steps exceed the median of the others, spread over all steps"


def judge(outliers: Outliers, ledger: Ledger) -> Verdict:
    """Compares the extra time of outliers, spread over all steps, with the usual step."""
    every = outliers.steps_count
    few = every < RARE_ENOUGH_COUNT
    if every < STEPS.value and not (few and outliers.count):
        return NotApplicable(say(TOO_FEW, n=every))
    excess_ns = max(0, sum(outliers.excess.values()))
    share = excess_ns / max(1, ledger.step_ns)
    if not outliers.count:
        return Passed(say(NONE, every=every))
    if little := too_little(excess_ns, ledger.step_ns):
        return little
    parts = {a: ns for a, ns in outliers.excess.items() if ns >= PART.value * excess_ns}
    ordered = sorted(parts, key=lambda a: -parts[a])
    # More computing is additional work, not waiting: the profile does not show whether it is needed.
    waits_ns = sum(ns for a, ns in parts.items() if a != "compute")
    waiting = not too_little(waits_ns, ledger.step_ns)
    if not waiting and outliers.period is None:
        return Passed(say(MORE_WORK, n=outliers.count, every=every))
    name, covered = cause(outliers)
    once, checkpoints = outliers.count == 1, "SaveV2" in name
    severity: Severity | None = None if waiting else "info"
    if once and waiting:  # it may never recur
        severity = "warning" if share >= SEVERITIES["critical"].value else "info"
    late = "" if name else _late(outliers, len(ledger.hosts) > 1)
    told = {
        "which": often(outliers), "long": outliers.outlier_ns, "usual": outliers.median_ns, "name": name,
        "parts": listing([f"{ACCOUNT_WORDS[a]} ({ms(parts[a] * _rarity(outliers))})" for a in ordered], 3),
    }  # fmt: skip
    clear = outliers.outlier_ns > CLEARER.value * outliers.median_ns
    least = LONGER if not few else CLEARER if clear else ALONE
    case = "checkpoints" if checkpoints else "input is slow now and then"
    waits = bool(late and outliers.late[2] == "idle.input") or ordered[:1] == ["idle.input"]
    return Found(
        summary=together(
            say(TAKES, MOSTLY, RUNS if name else "", **told), late, say(ONCE if once else "", "" if waiting else WORK, OTHERS)
        ),
        cause=say(TAKES_WHILE, **told) if name else together(say(TAKES, **told), late) if late else "",
        action=with_name("Run {} less often, or in the background", name) if name and not checkpoints else "",
        values={"input waits": waits, "a cause is named": bool(name or late)},
        advice=case if checkpoints or waits else "",
        evidence=(
            Evidence("outliers", outliers.count, "count", None, f"of {every} whole steps"),
            Evidence("share of the steps", outliers.count / every, "ratio", SHARE.value, SHARE.source),
            Evidence("median step", outliers.median_ns, "ns", None, "usual steps"),
            Evidence("mean of the outliers", outliers.outlier_ns, "ns", int(least.value * outliers.median_ns), least.source),
            Evidence("what they cost, spread over all steps", excess_ns, "ns", int(LEAST.value * ledger.step_ns), "step budget"),
            *(Evidence(f"of it {ACCOUNT_WORDS[a]}", parts[a], "ns", None, f"account {ACCOUNT_WORDS[a]}") for a in ordered),
            *((Evidence(f"share of it during {name}", covered, "ratio", NAMED.value, "host events"),) if name else ()),
        ),
        where=outliers.places.all(),
        claims={RARE: waits_ns} if waiting else {},
        basis=BASIS,
        severity=severity,
        impact_ratio=0.0 if waiting else share,
        confidence="low" if once else "medium" if outliers.count == 2 else "high",
        once_ns=round(waits_ns * _rarity(outliers)) if once and waiting else 0,
    )  # fmt: skip


def _late(outliers: Outliers, several: bool) -> str:
    """A sentence on the host whose own time makes these steps long; "" if nothing covers enough of that time."""
    extra_ns = outliers.outlier_ns - outliers.median_ns
    late_ns, host, account = outliers.late
    if (not several and account != "idle.input") or late_ns < NAMED.value * extra_ns:
        return ""
    told = {"account": ACCOUNT_WORDS[account], "late": late_ns}
    return say(LATE_HOST, host=host, **told) if several else say(LATE, **told)


def _rarity(outliers: Outliers) -> float:
    """Steps per outlier: from their cost per step back to one of them."""
    return outliers.steps_count / outliers.count


def cause(outliers: Outliers) -> tuple[str, float]:
    """The host's activity in nearly all of the extra time, "" if none covers enough, and the share."""
    name, covered = outliers.named[0] if outliers.named else ("", 0.0)
    # The share of all extra time, not only of that between steps.
    covered *= min(1.0, outliers.excess["idle.between_steps"] / max(1, sum(outliers.excess.values())))
    return (name if covered >= NAMED.value else "", covered)


def often(outliers: Outliers) -> str:
    """The steps in words: "Every 5th step"."""
    if outliers.period:
        return f"Every {_ordinal(outliers.period)} step"
    numbers = listing([str(n) for n in outliers.numbers])
    return f"Step {numbers}" if outliers.count == 1 else f"Each of the steps {numbers}"


def _ordinal(number: int) -> str:
    special = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else special.get(number % 10, 'th')}"


RULE = declared(
    judge,
    thresholds=(STEPS, LONGER, CLEARER, ALONE, SIGMA, SHARE, NAMED, PART),
    explained_by=("function-retracing", "xla-recompilation"),
    needs_cover=True,
)
