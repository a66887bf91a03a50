"""Compares accounts, and how far a training on more GPUs is from ideal scaling."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from tfperf_plugin.compare.comparable import CommonWork
from tfperf_plugin.compare.model import AccountChange, Scaling
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, ms
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.gpus import used_count

# The sentence names accounts that grew by more than this share of the step, and more than the drift.
_WORTH_SAYING: Final = 0.01


def change_accounts(base: Report, base_ns: int, new: Report, new_ns: int) -> tuple[AccountChange, ...]:
    """The accounts of both runs, scaled so that they add up to ``base_ns`` and ``new_ns`` exactly.

    Empty if a run has no ledger. Leaves out accounts that are zero in both.
    """
    if not base.ledger or not new.ledger:
        return ()
    before, after = _scaled(base, base_ns), _scaled(new, new_ns)
    ids = [a for a in dict.fromkeys([*before, *after]) if before.get(a) or after.get(a)]
    return tuple(
        AccountChange(a, before.get(a, 0), after.get(a, 0), after.get(a, 0) - before.get(a, 0)) for a in ids
    )


def _scaled(report: Report, total_ns: int) -> dict[str, int]:
    """Account → ns in the proportions of the report, adding up to ``total_ns``."""
    assert report.ledger
    accounts = report.ledger.accounts
    if report.ledger.step_ns == total_ns:
        return {a.id: a.ns for a in accounts}
    step_ns = max(1, report.ledger.step_ns)
    parts = [a.ns * total_ns // step_ns for a in accounts]
    # The nanoseconds left by rounding down go to the accounts that lost most.
    rests = sorted(range(len(parts)), key=lambda i: -(accounts[i].ns * total_ns % step_ns))
    for i in rests[: total_ns - sum(parts)]:
        parts[i] += 1
    return {a.id: ns for a, ns in zip(accounts, parts, strict=True)}


def find_scaling(base: Report, new: Report, work: CommonWork, drift: float) -> Scaling | None:
    """Scaling from fewer to more GPUs; ``None`` if equal numbers of GPUs take part.

    ``drift``: share of the step by which launches of one training differ.
    """
    gpus = used_count(base), used_count(new)
    if gpus[0] == gpus[1] or not all(gpus) or not base.ledger or not new.ledger:
        return None
    grows = gpus[1] > gpus[0]
    fewer, more = (base, new) if grows else (new, base)
    few, many = min(gpus), max(gpus)
    examples = work.examples if grows else 1 / work.examples
    each = examples * Fraction(few, many)
    assert fewer.ledger and more.ledger
    step_ns = more.ledger.step_ns
    ideal_ns = round(fewer.ledger.step_ns * each)
    accounts = change_accounts(fewer, ideal_ns, more, step_ns)
    kind: Literal["weak", "strong", "mixed"] = "weak" if each == 1 else "strong" if examples == 1 else "mixed"
    efficiency = ideal_ns / step_ns
    speedup = float(examples * fewer.ledger.step_ns / step_ns)
    return Scaling(
        kind=kind,
        basis=work.basis,
        fewer="base" if grows else "new",
        fewer_gpus=few,
        more_gpus=many,
        ideal_ns=ideal_ns,
        step_ns=step_ns,
        lost_ns=step_ns - ideal_ns,
        efficiency=efficiency,
        speedup=speedup,
        accounts=accounts,
        sentence=_sentence(ideal_ns, step_ns, accounts, drift),
    )


def _sentence(ideal_ns: int, step_ns: int, accounts: tuple[AccountChange, ...], drift: float) -> str:
    text = f"With more GPUs a step takes {ms(step_ns)} where {ms(ideal_ns)} would be ideal."
    least_ns = max(_WORTH_SAYING, drift) * step_ns
    most = sorted((a for a in accounts if a.delta_ns > least_ns), key=lambda a: -a.delta_ns)
    if most:
        words = ", ".join(f"{ACCOUNT_WORDS.get(a.id, a.id)} ({ms(a.delta_ns)})" for a in most[:3])
        text += f" More time goes to {words}."
    return text
